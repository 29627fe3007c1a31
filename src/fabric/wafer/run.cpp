// SPDX-License-Identifier: BSD-3-Clause
// Real numbers through the kernels and the exchanges.
#include "fabric/wafer/run.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "fabric/wafer/numbers.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

class LineData {
 public:
  LineData(const WaferPlan& plan, const WaferMachine& machine, const WaferExchanges& exchanges,
           std::span<Number> data, const RunOptions& options)
      : plan_(plan),
        layout_(layout_of(plan, machine)),
        exchanges_(exchanges),
        data_(data),
        options_(options),
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

  /// transforms, exchanges and transforms one row; the first pass also does the middle pencils.
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
          exchange(exchanges_.row, here, scratch.to.data(), plan_.width);
          scratch.after(scratch.to.data(), here, line);
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

  void exchange(const ExchangeTable& table, const Number* from, Number* to, int places) const {
    gather(table, per_element(), from, {to, per_element()}, places, per_element());
  }

  const WaferPlan& plan_;
  WaferLayout layout_;
  const WaferExchanges& exchanges_;
  std::span<Number> data_;
  const RunOptions& options_;
  KernelProgram middle_, first_, last_;  ///< first and last as seen forward
};

/// to[element][k] = from[table]: numbers that the table does not name stay.
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
  for (std::size_t step = 0; step < 3; ++step) {
    const auto [length, count] = pencils[step];
    const auto elements = static_cast<std::int64_t>(plan.width) * plan.height;
    const KernelProgram kernel = (step == 2 ? kernel_of : sending_kernel_of)(plan, length, machine);
    transform_all(kernel, plan.precision, {data.data(), length}, {data.data(), length},
                  elements * count, options);
    if (step == 2) break;
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
