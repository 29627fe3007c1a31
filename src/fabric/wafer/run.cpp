// SPDX-License-Identifier: BSD-3-Clause
// Real numbers through the kernels and the exchanges.
#include "fabric/wafer/run.hpp"

#include <algorithm>
#include <atomic>

#include "base/format.hpp"
#include "fabric/wafer/crossed.hpp"
#include "weft/error.hpp"
#include "weft/executor.hpp"

namespace weft::fabric {
namespace {

using Number = std::complex<float>;

/// Runs one kernel over many pencils, kernel_lanes at a time.
class PencilRunner {
 public:
  PencilRunner(const KernelProgram& program, Precision precision)
      : program_(program), precision_(precision) {
    load_constants(program, memory_);
  }

  /// `numbers` of them, pencil after pencil.
  void operator()(Number* pencils, std::int64_t numbers) {
    if (program_.length == 0) return;
    const std::int64_t count = numbers / program_.length;
    for (std::int64_t first = 0; first < count; first += kernel_lanes) {
      const auto lanes = static_cast<int>(std::min<std::int64_t>(kernel_lanes, count - first));
      batch(pencils + first * program_.length, lanes);
    }
  }

 private:
  void batch(Number* pencils, int lanes) {
    const std::int64_t n = program_.length;
    float* in = memory_.data() + std::ptrdiff_t{program_.input} * kernel_lanes;
    for (int lane = 0; lane < lanes; ++lane)
      for (std::int64_t k = 0; k < n; ++k) {
        in[(2 * k) * kernel_lanes + lane] = pencils[lane * n + k].real();
        in[(2 * k + 1) * kernel_lanes + lane] = pencils[lane * n + k].imag();
      }
    execute(program_, precision_, memory_);
    const float* out = memory_.data() + std::ptrdiff_t{program_.output} * kernel_lanes;
    for (int lane = 0; lane < lanes; ++lane)
      for (std::int64_t k = 0; k < n; ++k)
        pencils[lane * n + k] = {out[(2 * k) * kernel_lanes + lane],
                                 out[(2 * k + 1) * kernel_lanes + lane]};
  }

  const KernelProgram& program_;
  Precision precision_;
  std::vector<float> memory_;
};

/// Calls work(item, scratch) for all items on several threads, each with a scratch of its own.
template <class MakeScratch, class Work>
void for_all(std::int64_t items, int threads, const std::string& phase, const RunOptions& options,
             const MakeScratch& make_scratch, const Work& work) {
  std::atomic<std::int64_t> next = 0;
  const auto executor = threads > 1 ? thread_executor(threads) : serial_executor();
  executor->run(std::max(1, threads), [&](int task) {
    auto scratch = make_scratch();
    for (std::int64_t item = next++; item < items; item = next++) {
      work(item, scratch);
      if (task == 0 && options.on_progress)
        options.on_progress(phase, static_cast<double>(item + 1) / static_cast<double>(items));
    }
  });
  if (options.on_progress) options.on_progress(phase, 1);
}

class LineData {
 public:
  LineData(const WaferPlan& plan, const WaferMachine& machine, const WaferExchanges& exchanges,
           std::span<Number> data, const RunOptions& options)
      : plan_(plan),
        layout_(layout_of(plan, machine)),
        exchanges_(exchanges),
        data_(data),
        options_(options),
        first_(kernel_of(plan, layout_.pencils[0].length, machine)),
        middle_(kernel_of(plan, layout_.pencils[1].length, machine)),
        last_(kernel_of(plan, layout_.pencils[2].length, machine)) {}

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
        plan_.height, options_.threads, "numbers through rows", options_,
        [&] {
          return Scratch{{first_, plan_.precision},
                         {first ? middle_ : first_, plan_.precision},
                         {},
                         std::vector<Number>(static_cast<std::size_t>(line))};
        },
        [&](std::int64_t y, Scratch& scratch) {
          Number* here = data_.data() + y * line;
          if (first) scratch.before(here, line);
          exchange(exchanges_.row, here, scratch.to.data(), line);
          std::copy(scratch.to.begin(), scratch.to.end(), here);
          scratch.after(here, line);
        });
  }

  void columns(bool first) {
    const auto line = static_cast<std::int64_t>(plan_.height) * per_element();
    const std::int64_t stride = plan_.width * per_element();
    for_all(
        plan_.width, options_.threads, "numbers through columns", options_,
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
          if (first) scratch.before(scratch.from.data(), line);
          exchange(exchanges_.column, scratch.from.data(), scratch.to.data(), line);
          scratch.after(scratch.to.data(), line);
          for (std::int64_t y = 0; y < plan_.height; ++y)
            std::copy_n(scratch.to.data() + y * per_element(), per_element(),
                        data_.data() + y * stride + x * per_element());
        });
  }

  static void exchange(const ExchangeTable& table, const Number* from, Number* to,
                       std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) to[k] = from[table[static_cast<std::size_t>(k)]];
  }

  const WaferPlan& plan_;
  WaferLayout layout_;
  const WaferExchanges& exchanges_;
  std::span<Number> data_;
  const RunOptions& options_;
  KernelProgram first_, middle_, last_;  ///< in the order of the forward direction
};

/// Pencils of the whole array with one kernel.
void transform_all(const KernelProgram& kernel, Precision precision, std::span<Number> data,
                   const RunOptions& options, const std::string& phase) {
  if (kernel.length == 0) return;
  const auto count = static_cast<std::int64_t>(data.size()) / kernel.length;
  constexpr std::int64_t chunk = std::int64_t{8} * kernel_lanes;
  for_all((count + chunk - 1) / chunk, options.threads, phase, options,
          [&] { return PencilRunner(kernel, precision); },
          [&](std::int64_t item, PencilRunner& runner) {
            runner(data.data() + item * chunk * kernel.length,
                   std::min(chunk, count - item * chunk) * kernel.length);
          });
}

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
    transform_all(kernel_of(plan, pencils[step].length, machine), plan.precision, data, options,
                  "numbers through pencils");
    if (step == 2) break;
    std::ranges::copy(data, copy.begin());
    if (options.on_send) options.on_send(static_cast<int>(step), copy);
    apply_mesh_table(exchanges.mesh[step], layout.numbers(), 0, copy, data, layout.numbers());
  }
}

/// Rows and columns at once: where number k of element (x, y) comes from, or no_word. The memory of
/// an element is its pencil and, behind it, the sister's half.
class CrossedTables {
 public:
  CrossedTables(const WaferExchanges& exchanges, std::int64_t n)
      : exchanges_(exchanges), n_(n), wide_(n + n / 2) {}

  std::int64_t wide() const { return wide_; }
  /// Of the exchange that comes first (0) or second (1): element * wide + address.
  std::int64_t source(int order, std::int64_t x, std::int64_t y, std::int64_t k) const {
    if (!exchanges_.mesh.empty())
      return exchanges_
          .mesh[order == 0 ? 0 : 2][static_cast<std::size_t>((y * n_ + x) * wide_ + k)];
    for (const bool column : {false, true}) {
      const auto& table = exchanges_.crossed[static_cast<std::size_t>(order)][column ? 1 : 0]
                                            [static_cast<std::size_t>((column ? x : y) % 2)];
      const std::int64_t from = table[static_cast<std::size_t>((column ? y : x) * wide_ + k)];
      if (from == no_word) continue;
      const std::int64_t place = from / wide_;
      return (column ? place * n_ + x : y * n_ + place) * wide_ + from % wide_;
    }
    return no_word;
  }
  std::int64_t sister_source(std::int64_t x, std::int64_t y, std::int64_t k) const {
    if (!exchanges_.mesh.empty())
      return exchanges_.mesh[1][static_cast<std::size_t>((y * n_ + x) * wide_ + k)];
    const std::int64_t block = y % 2 * 2 + x % 2;
    const std::int64_t from = exchanges_.sister[static_cast<std::size_t>(block * wide_ + k)];
    if (from == no_word) return no_word;
    const std::int64_t place = from / wide_;
    return ((y - y % 2 + place / 2) * n_ + x - x % 2 + place % 2) * wide_ + from % wide_;
  }

 private:
  const WaferExchanges& exchanges_;
  std::int64_t n_, wide_;
};

class CrossedData {
 public:
  CrossedData(const WaferPlan& plan, const WaferMachine& machine, const WaferExchanges& exchanges,
              std::span<Number> data, const RunOptions& options)
      : n_(layout_of(plan, machine).nx),
        plan_(plan),
        data_(data),
        options_(options),
        tables_(exchanges, n_),
        kernel_(kernel_of(plan, n_, machine)),
        memory_(static_cast<std::size_t>(n_ * n_ * tables_.wide())) {}

  void run() {
    const bool forward = plan_.direction == Direction::forward;
    transform();
    send(0, 0);
    if (forward) transform();
    send_to_sister();
    if (!forward) transform();
    send(1, 2);
    transform();
  }

 private:
  void transform() {
    transform_all(kernel_, plan_.precision, data_, options_, "numbers through pencils");
  }

  /// work(element, x, y) for all elements.
  template <class Work>
  void for_elements(const std::string& phase, const Work& work) {
    for_all(
        n_, options_.threads, phase, options_, [] { return 0; },
        [&](std::int64_t y, int) {
          for (std::int64_t x = 0; x < n_; ++x) work(y * n_ + x, x, y);
        });
  }

  /// The pencils, each with room for the sister's half behind it.
  void widen() {
    for_elements("numbers into memory", [&](std::int64_t element, std::int64_t, std::int64_t) {
      std::copy_n(data_.data() + element * n_, n_, memory_.data() + element * tables_.wide());
    });
  }

  void send(int order, int phase) {
    // Before the second exchange send_to_sister() has left the pencils where they are sent from.
    if (order == 0 || plan_.direction == Direction::backward) widen();
    if (options_.on_send) options_.on_send(phase, memory_);
    const bool forward = plan_.direction == Direction::forward;
    const std::int64_t wide = tables_.wide();
    if (forward) {  // from anywhere in memory to whole pencils
      for_elements("numbers through rows and columns",
                   [&](std::int64_t element, std::int64_t x, std::int64_t y) {
                     for (std::int64_t k = 0; k < n_; ++k)
                       data_[at(element * n_ + k)] = memory_[at(tables_.source(order, x, y, k))];
                   });
      return;
    }
    for_elements("numbers through rows and columns",
                 [&](std::int64_t element, std::int64_t x, std::int64_t y) {
                   for (std::int64_t k = 0; k < wide; ++k) {
                     const std::int64_t from = tables_.source(order, x, y, k);
                     if (from != no_word)
                       memory_[at(element * wide + k)] = data_[at(from / wide * n_ + from % wide)];
                   }
                 });
    if (order == 1) narrow();
  }

  /// Forward the second exchange sends from here; backward pencils are whole again.
  void send_to_sister() {
    const bool forward = plan_.direction == Direction::forward;
    if (forward) widen();
    if (options_.on_send) options_.on_send(1, memory_);
    const std::int64_t wide = tables_.wide();
    for_elements("numbers to the sister",
                 [&](std::int64_t element, std::int64_t x, std::int64_t y) {
                   // From pencils into halves, or the other way: nobody reads what is written.
                   for (std::int64_t k = forward ? n_ : 0; k < (forward ? wide : n_); ++k) {
                     const std::int64_t from = tables_.sister_source(x, y, k);
                     if (from != no_word) memory_[at(element * wide + k)] = memory_[at(from)];
                   }
                 });
    if (!forward) narrow();
  }

  void narrow() {
    for_elements("numbers from memory", [&](std::int64_t element, std::int64_t, std::int64_t) {
      std::copy_n(memory_.data() + element * tables_.wide(), n_, data_.data() + element * n_);
    });
  }

  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  std::int64_t n_;
  const WaferPlan& plan_;
  std::span<Number> data_;
  const RunOptions& options_;
  CrossedTables tables_;
  KernelProgram kernel_;
  std::vector<Number> memory_;
};

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
    CrossedData(plan, machine, exchanges, data, options).run();
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
    const bool a = kz % 2 == 0;
    const std::int64_t column = a ? kz + 1 - kx % 2 : ky;
    const std::int64_t row = a ? kx : kz - 1 + ky % 2;
    return (row * plan.width + column) * layout.nx + (a ? ky : kx);
  }
  if (plan.dimensions == 2)
    return ky / layout.my * layout.numbers() + ky % layout.my * layout.nx + kx;
  const std::int64_t element = kx / layout.mx_last * plan.width + kz / layout.mz;
  return element * layout.numbers() +
         (kx % layout.mx_last * layout.mz + kz % layout.mz) * layout.ny + ky;
}

}  // namespace weft::fabric
