// SPDX-License-Identifier: BSD-3-Clause
// Runs the kernels and the exchanges on actual data.
#include "fabric/wafer/run.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "fabric/wafer/numbers.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// The twiddles of one line, multiplied after the first (step 0) and second (step 1) transform.
class LineTwiddles {
 public:
  LineTwiddles(const WaferPlan& plan, const WaferLayout& layout) : plan_(plan), layout_(layout) {}

  void operator()(int step, std::int64_t a, std::int64_t b, Number* numbers) const {
    const auto& [nx, ny, nz, mx, my, mz, mx_last, words, pencils] = layout_;
    if (!plan_.one_line) return;
    if (plan_.dimensions == 2) {  // [x][ky]
      const std::int64_t first = (b * plan_.width + a) * mx;
      for (std::int64_t x = 0; step == 0 && x < mx; ++x)
        for (std::int64_t ky = 0; ky < ny; ++ky)
          turn(numbers[x * ny + ky], (first + x) * ky, nx * ny);
      return;
    }
    for (std::int64_t y = 0; y < my; ++y)
      if (step == 0) {  // [y][x][kz]
        for (std::int64_t x = 0; x < mx; ++x)
          for (std::int64_t kz = 0; kz < nz; ++kz)
            turn(numbers[(y * mx + x) * nz + kz], ((a * mx + x) * ny + b * my + y) * kz,
                 nx * ny * nz);
      } else {  // [y][kz][kx]
        for (std::int64_t z = 0; z < mz; ++z)
          for (std::int64_t kx = 0; kx < nx; ++kx)
            turn(numbers[(y * mz + z) * nx + kx], (b * my + y) * kx, nx * ny);
      }
  }

 private:
  void turn(Number& number, std::int64_t turns, std::int64_t whole) const {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(turns % whole) / static_cast<double>(whole);
    const std::array<float, 2> root = {rounded(static_cast<float>(std::cos(angle))),
                                       rounded(static_cast<float>(std::sin(angle)))};
    const float real = number.real(), imag = number.imag();
    number = {rounded(std::fma(-imag, root[1], rounded(real * root[0]))),
              rounded(std::fma(real, root[1], rounded(imag * root[0])))};
  }
  float rounded(float value) const {
    return plan_.precision == Precision::f16 ? round_to_half(value) : value;
  }

  const WaferPlan& plan_;
  const WaferLayout& layout_;
};

class LineData {
 public:
  LineData(const WaferPlan& plan, const WaferMachine& machine, const WaferExchanges& exchanges,
           std::span<Number> data, const RunOptions& options)
      : plan_(plan),
        layout_(layout_of(plan, machine)),
        exchanges_(exchanges),
        data_(data),
        options_(options),
        twiddles_(plan_, layout_),
        middle_(sending_kernel_of(plan, layout_.pencils[1].length, machine)) {
    first_ = (plan.direction == Direction::forward ? sending_kernel_of : kernel_of)(
        plan, layout_.pencils[0].length, machine);
    last_ = (plan.direction == Direction::forward ? kernel_of : sending_kernel_of)(
        plan, layout_.pencils[2].length, machine);
  }

  void run() {
    if (plan_.direction == Direction::forward) {
      rows(true);
      columns(false);
    } else {
      columns(true);
      rows(false);
    }
  }

 private:
  struct Scratch {
    PencilRunner before, after;
    std::vector<Number> from, to;
  };

  std::int64_t per_element() const { return layout_.numbers(); }

  /// Transforms and exchanges one row after another; the first call also transforms the middle
  /// pencils.
  void rows(bool first) {
    const auto line = static_cast<std::int64_t>(plan_.width) * per_element();
    for_all(
        plan_.height, "numbers through rows", options_,
        [&] {
          return Scratch{{first_, plan_.precision},
                         {first ? middle_ : first_, plan_.precision},
                         {},
                         std::vector<Number>(static_cast<std::size_t>(line))};
        },
        [&](std::int64_t y, Scratch& scratch) {
          Number* here = data_.data() + y * line;
          if (first) scratch.before(here, here, line);
          twiddle(0, y, here);
          exchange(exchanges_.row, here, scratch.to.data(), plan_.width);
          scratch.after(scratch.to.data(), here, line);
          twiddle(1, y, here);
        });
  }

  void columns(bool first) {
    const auto line = static_cast<std::int64_t>(plan_.height) * per_element();
    const std::int64_t stride = plan_.width * per_element();
    for_all(
        plan_.width, "numbers through columns", options_,
        [&] {
          return Scratch{{last_, plan_.precision},
                         {first ? middle_ : last_, plan_.precision},
                         std::vector<Number>(static_cast<std::size_t>(line)),
                         std::vector<Number>(static_cast<std::size_t>(line))};
        },
        [&](std::int64_t x, Scratch& scratch) {
          for (std::int64_t y = 0; y < plan_.height; ++y)
            std::copy_n(data_.data() + y * stride + x * per_element(), per_element(),
                        scratch.from.data() + y * per_element());
          if (first) scratch.before(scratch.from.data(), scratch.from.data(), line);
          exchange(exchanges_.column, scratch.from.data(), scratch.to.data(), plan_.height);
          scratch.after(scratch.to.data(), scratch.to.data(), line);
          for (std::int64_t y = 0; y < plan_.height; ++y)
            std::copy_n(scratch.to.data() + y * per_element(), per_element(),
                        data_.data() + y * stride + x * per_element());
        });
  }

  void twiddle(int step, std::int64_t y, Number* row) const {
    for (std::int64_t x = 0; x < plan_.width; ++x) twiddles_(step, x, y, row + x * per_element());
  }

  void exchange(const ExchangeTable& table, const Number* from, Number* to, int places) const {
    gather(table, per_element(), from, {to, per_element()}, places, per_element());
  }

  const WaferPlan& plan_;
  WaferLayout layout_;
  const WaferExchanges& exchanges_;
  std::span<Number> data_;
  const RunOptions& options_;
  LineTwiddles twiddles_;
  KernelProgram middle_, first_, last_;  ///< first and last in the forward transform
};

/// to[element][k] = from[table[...]]; numbers that are not in the table are unchanged.
void apply_mesh_table(const ExchangeTable& table, std::int64_t table_numbers, std::int64_t offset,
                      std::span<const Number> from, std::span<Number> to, std::int64_t numbers) {
  const auto elements = static_cast<std::int64_t>(table.size()) / table_numbers;
  for (std::int64_t element = 0; element < elements; ++element)
    for (std::int64_t k = 0; k < numbers; ++k)
      to[static_cast<std::size_t>(element * numbers + k)] =
          from[table[static_cast<std::size_t>(element * table_numbers + offset + k)]];
}

void run_mesh(const WaferPlan& plan, const WaferMachine& machine, const WaferExchanges& exchanges,
              std::span<Number> data, const RunOptions& options) {
  const WaferLayout layout = layout_of(plan, machine);
  std::array<Pencils, 3> pencils = layout.pencils;
  if (plan.direction == Direction::backward) std::swap(pencils[0], pencils[2]);
  std::vector<Number> copy(data.size());
  const LineTwiddles twiddles(plan, layout);
  for (std::size_t step = 0; step < 3; ++step) {
    const auto [length, count] = pencils[step];
    const auto elements = static_cast<std::int64_t>(plan.width) * plan.height;
    const KernelProgram kernel = (step == 2 ? kernel_of : sending_kernel_of)(plan, length, machine);
    transform_all(kernel, plan.precision, {data.data(), length}, {data.data(), length},
                  elements * count, options);
    if (step == 2) break;
    for (std::int64_t element = 0; element < elements; ++element)
      twiddles(static_cast<int>(step), element % plan.width, element / plan.width,
               data.data() + element * layout.numbers());
    std::ranges::copy(data, copy.begin());
    if (options.on_send) options.on_send(static_cast<int>(step), copy);
    apply_mesh_table(exchanges.mesh[step], layout.numbers(), 0, copy, data, layout.numbers());
  }
}

}  // namespace

WaferTiming run_on_wafer(const WaferPlan& asked, const WaferMachine& machine,
                         std::span<std::complex<float>> data, const RunOptions& options) {
  const WaferPlan plan = with_groups(asked, machine);
  const WaferLayout layout = layout_of(plan, machine);
  if (static_cast<std::int64_t>(data.size()) != layout.nx * layout.ny * layout.nz)
    throw Error(ErrorCode::invalid_argument,
                weft::format("{}: {} numbers given, the array has {}", plan.describe(), data.size(),
                             layout.nx * layout.ny * layout.nz));
  if (options.fidelity < Fidelity::wavelets)
    throw Error(ErrorCode::invalid_argument,
                "numbers need the level wavelets or whole: formulas move no data");
  const WaferExchanges exchanges = exchange_on_wafer(plan, machine, options);
  if (plan.schedule == WaferSchedule::crossed)
    run_crossed(plan, machine, exchanges, data, options);
  else if (options.fidelity == Fidelity::whole)
    run_mesh(plan, machine, exchanges, data, options);
  else
    LineData(plan, machine, exchanges, data, options).run();
  return exchanges.timing;
}

std::int64_t spatial_position(const WaferPlan& plan, const WaferLayout& layout, std::int64_t x,
                              std::int64_t y, std::int64_t z) {
  if (plan.dimensions == 2) return x / layout.mx * layout.numbers() + x % layout.mx * layout.ny + y;
  const std::int64_t element = y / layout.my * plan.width + x / layout.mx;
  return element * layout.numbers() + (y % layout.my * layout.mx + x % layout.mx) * layout.nz + z;
}

std::int64_t spectral_position(const WaferPlan& plan, const WaferLayout& layout, std::int64_t kx,
                               std::int64_t ky, std::int64_t kz) {
  if (plan.schedule == WaferSchedule::crossed) {
    const std::int64_t h = layout.nx / 2;
    const bool lower = kz < h;
    const std::int64_t k = lower ? kx : ky;  // crossed.hpp: A or B
    const std::int64_t half = k / h;
    const std::int64_t place = 2 * (k - half * h) + half;
    const std::int64_t column = lower ? 2 * kz + 1 - half : place;
    const std::int64_t row = lower ? place : 2 * (kz - h) + half;
    return (row * plan.width + column) * layout.nx + (lower ? ky : kx);
  }
  if (plan.dimensions == 2)
    return ky / layout.my * layout.numbers() + ky % layout.my * layout.nx + kx;
  const std::int64_t element = kx / layout.mx_last * plan.width + kz / layout.mz;
  return element * layout.numbers() +
         (kx % layout.mx_last * layout.mz + kz % layout.mz) * layout.ny + ky;
}

}  // namespace weft::fabric
