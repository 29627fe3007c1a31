// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.hpp"
#include "fabric/wafer/crossed.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

[[noreturn]] void refuse(const WaferPlan& plan, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, weft::format("{}: {}", plan.describe(), what));
}

std::int64_t divided(const WaferPlan& plan, std::int64_t length, std::int64_t elements,
                     const char* what) {
  if (length % elements != 0)
    refuse(plan,
           weft::format("{} = {} is not a multiple of {} elements; choose a mesh that divides it",
                        what, length, elements));
  return length / elements;
}

void check_crossed(const WaferPlan& plan, const WaferLayout& layout) {
  if (plan.dimensions != 3 || layout.nx != layout.ny || layout.nx != layout.nz ||
      plan.width != layout.nx || plan.height != layout.nx || layout.nx % 2 != 0)
    refuse(plan,
           "rows and columns at once needs n x n x n on n x n elements, n even; use the "
           "schedule `segmented`");
}

void check_parts(const WaferPlan& plan, const WaferLayout& layout) {
  bool one_each = plan.dimensions == 3;
  for (const auto& [length, count] : layout.pencils) one_each = one_each && count == 1;
  if (plan.schedule == WaferSchedule::paper || plan.kernel != WaferKernel::stockham || !one_each)
    refuse(
        plan,
        "sending in parts needs a schedule other than `paper`, the kernel stockham and one pencil "
        "per element");
  const int unit = (plan.schedule == WaferSchedule::crossed ? 2 : 1) * parts_of(plan);
  if (layout.nx % unit != 0 || layout.ny % unit != 0 || layout.nz % unit != 0)
    refuse(plan, weft::format("sending in {} parts needs lengths that are multiples of {}",
                              parts_of(plan), unit));
}

std::int64_t bytes_per_number(Precision precision) { return precision == Precision::f16 ? 4 : 8; }

}  // namespace

int parts_of(const WaferPlan& plan) {
  switch (plan.sending) {
    case WaferSending::halves: return 2;
    case WaferSending::quarter: return 4;
    default: return 1;
  }
}

std::string WaferPlan::describe() const {
  const char* name = schedule == WaferSchedule::paper       ? "paper"
                     : schedule == WaferSchedule::segmented ? "segmented"
                                                            : "crossed";
  return weft::format(
      "{}{}x{}{} {} {} on {}x{} elements, schedule {}{}{}, kernel {}{}",
      one_line ? weft::format("one line of {} points as ", shape[0] * shape[1] * shape[2]) : "",
      shape[0], shape[1], dimensions == 3 ? weft::format("x{}", shape[2]) : "",
      precision == Precision::f16 ? "f16" : "f32",
      direction == Direction::forward ? "forward" : "backward", width, height, name,
      groups > 0 && schedule != WaferSchedule::paper ? weft::format("({})", groups) : "",
      timed ? " timed" : "", kernel == WaferKernel::listing1 ? "listing1" : "stockham",
      sending == WaferSending::halves    ? " in halves"
      : sending == WaferSending::quarter ? ", a quarter first"
                                         : "");
}

WaferLayout layout_of(const WaferPlan& plan, const WaferMachine& machine) {
  if (plan.precision == Precision::f64) refuse(plan, "the wafer computes in f32 or f16");
  for (const std::int64_t length : plan.shape)
    if (length < 1 || length > 1 << 20) refuse(plan, "lengths are 1 to 2^20");
  if (plan.width < 1 || plan.height < 1 || plan.width > machine.width ||
      plan.height > machine.height)
    refuse(plan, weft::format("the wafer has {} x {} elements", machine.width, machine.height));
  WaferLayout layout{.nx = plan.shape[0], .ny = plan.shape[1], .nz = plan.shape[2]};
  layout.words = plan.precision == Precision::f16 ? 1 : 2;
  if (plan.dimensions == 2) {
    if (layout.nz != 1) refuse(plan, "two dimensions have z = 1");
    const std::int64_t elements = std::int64_t{plan.width} * plan.height;
    layout.mx = divided(plan, layout.nx, elements, "x");
    layout.my = divided(plan, layout.ny, elements, "y");
    layout.pencils = {{{layout.ny, layout.mx}, {}, {layout.nx, layout.my}}};
  } else {
    layout.mx = divided(plan, layout.nx, plan.width, "x");
    layout.my = divided(plan, layout.ny, plan.height, "y");
    layout.mz = divided(plan, layout.nz, plan.width, "z");
    layout.mx_last = divided(plan, layout.nx, plan.height, "x");
    layout.pencils = {{{layout.nz, layout.mx * layout.my},
                       {layout.nx, layout.mz * layout.my},
                       {layout.ny, layout.mz * layout.mx_last}}};
  }
  constexpr std::int64_t most = 1 << 27;  // addresses have 32 bits
  if (layout.numbers() > most)
    refuse(plan, weft::format("{} numbers per element, more than {}; use more elements",
                              layout.numbers(), most));
  if (plan.schedule == WaferSchedule::crossed) check_crossed(plan, layout);
  if (plan.one_line &&
      (plan.schedule == WaferSchedule::crossed || plan.direction == Direction::backward ||
       plan.sending != WaferSending::pencils))
    refuse(plan, "one line is transformed forward, by whole pencils, with paper or segmented");
  if (plan.sending != WaferSending::pencils) check_parts(plan, layout);
  if (plan.timed && plan.schedule == WaferSchedule::paper)
    refuse(plan, "a timetable is for the schedules segmented and crossed");
  return layout;
}

bool rewrites_routes(const WaferPlan& plan, const WaferMachine& machine) {
  return plan.schedule == WaferSchedule::segmented && 2 * (plan.groups + 1) > machine.rules.colors;
}

WaferPlan with_groups(const WaferPlan& plan, const WaferMachine& machine) {
  WaferPlan result = plan;
  if (plan.schedule == WaferSchedule::paper) {
    if (machine.rules.colors < 4)
      refuse(plan, weft::format("{} colors are too few; it takes 4", machine.rules.colors));
    return result;
  }
  // Rows and columns need G + 1 colors each; `crossed` needs two more, between sisters.
  const int spare = plan.schedule == WaferSchedule::crossed ? 2 : 0;
  const int kept = (machine.rules.colors - spare) / 2 - 1;
  if (kept < 1)
    refuse(plan,
           weft::format("{} colors are too few; it takes {}", machine.rules.colors, 4 + spare));
  const int most = plan.schedule == WaferSchedule::segmented ? machine.rules.colors - 1 : kept;
  // Every segment must have at least two destinations, and one of each part.
  const int line = std::max(plan.width, plan.height);
  const int unit = (plan.schedule == WaferSchedule::crossed ? 2 : 1) * std::max(2, parts_of(plan));
  const int useful = std::max(1, line / unit);
  if (plan.groups == 0) result.groups = std::clamp(useful, 1, kept);
  if (result.groups < 1 || result.groups > most || result.groups > line)
    refuse(plan, weft::format("{} groups; {} colors serve 1 to {}, and a line of {} no more than "
                              "that many",
                              result.groups, machine.rules.colors, most, line));
  return result;
}

namespace {

/// Memory in addition to the two copies of the data: scratch for the kernel that needs most, and
/// the constants of all kernels.
std::int64_t kernel_reals(const WaferPlan& plan, const WaferLayout& layout,
                          const WaferMachine& machine) {
  std::int64_t work = 0, constants = 0;
  std::set<std::pair<std::int64_t, bool>> seen;
  for (std::size_t step = 0; step < layout.pencils.size(); ++step) {
    const std::int64_t length = layout.pencils[step].length;
    const bool is_last = step == (plan.direction == Direction::forward ? 2 : 0);
    const bool in_parts = plan.sending != WaferSending::pencils && !is_last;
    if (length == 0 || !seen.emplace(length, in_parts).second) continue;
    const KernelProgram program =
        in_parts ? sending_kernel_of(plan, length, machine) : kernel_of(plan, length, machine);
    // Kernels work in the memory of the pencil. Stockham also uses the second copy of the data,
    // except in parts, where words arrive there while the rest is computed.
    const bool alone = plan.kernel == WaferKernel::listing1 || in_parts;
    const auto tables = static_cast<std::int64_t>(program.constants.size());
    work = std::max(work, program.memory_reals - tables - (alone ? 2 : 4) * length);
    constants += tables;
  }
  return work + constants;
}

}  // namespace

WaferMemory memory_of(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  std::int64_t numbers = 2 * layout.numbers();
  if (plan.schedule == WaferSchedule::crossed) numbers += layout.nx / 2;   // words for the sister
  if (plan.one_line) numbers += (plan.dimensions - 1) * layout.numbers();  // twiddles
  return {
      .data_bytes = numbers * bytes_per_number(plan.precision),
      .kernel_bytes = kernel_reals(plan, layout, machine) * bytes_per_number(plan.precision) / 2,
      .code_bytes = machine.code_bytes,
      .available_bytes = machine.memory_bytes};
}

WaferMemory lone_pencil_memory(std::int64_t length, Precision precision,
                               const WaferMachine& machine) {
  const KernelProgram program = listing1_kernel(length, Direction::forward, precision);
  return {.data_bytes = length * bytes_per_number(precision),
          .kernel_bytes = (program.memory_reals - 2 * length) * bytes_per_number(precision) / 2,
          .code_bytes = machine.code_bytes,
          .available_bytes = machine.memory_bytes};
}

std::string WaferMemory::describe() const {
  return weft::format("{} bytes per element ({} data, {} kernel, {} code) of {}: {}", total(),
                      data_bytes, kernel_bytes, code_bytes, available_bytes,
                      fits() ? "fits" : "does not fit");
}

KernelProgram kernel_of(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine) {
  if (length == 0) return {};
  if (plan.kernel == WaferKernel::listing1)
    return listing1_kernel(length, plan.direction, plan.precision);
  return stockham_kernel(length, plan.direction, plan.precision,
                         machine.speeds(plan.precision).rates);
}

Cycle pencil_cycles(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine) {
  if (length == 0) return 0;
  if (plan.kernel == WaferKernel::listing1)
    return static_cast<Cycle>(std::llround(machine.speeds(plan.precision).pencil.cycles(length)));
  return static_cast<Cycle>(
      std::llround(kernel_of(plan, length, machine).cycles(machine.speeds(plan.precision).rates)));
}

KernelProgram sending_kernel_of(const WaferPlan& plan, std::int64_t length,
                                const WaferMachine& machine) {
  if (plan.sending == WaferSending::pencils || length == 0) return kernel_of(plan, length, machine);
  return parts_kernel(parts_of(plan), length, plan.direction, plan.precision,
                      machine.speeds(plan.precision).rates);
}

namespace {

/// One line only: a pencil times its twiddles, which wait in memory. Three vector instructions: one
/// multiplication of all numbers by the real parts, two accumulations of every second number.
Cycle twiddle_cycles(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine) {
  if (!plan.one_line || length == 0) return 0;
  const KernelRates& rates = machine.speeds(plan.precision).rates;
  const double numbers = 2 * (rates.multiply + rates.accumulate_strided);
  return static_cast<Cycle>(
      std::llround(numbers * static_cast<double>(length) + 3 * rates.issue + 9 * rates.descriptor));
}

}  // namespace

SendingCycles sending_cycles(const WaferPlan& plan, const Pencils& pencils,
                             const WaferMachine& machine) {
  const auto& [length, count] = pencils;
  if (plan.sending == WaferSending::pencils)
    return {.before = static_cast<Cycle>(count) * (pencil_cycles(plan, length, machine) +
                                                   twiddle_cycles(plan, length, machine))};
  const KernelRates& rates = machine.speeds(plan.precision).rates;
  const KernelProgram kernel = sending_kernel_of(plan, length, machine);
  const double first = kernel.cycles_of_first_part(rates);
  const std::int64_t words = (plan.precision == Precision::f16 ? 1 : 2) * length;
  return {.before = static_cast<Cycle>(std::llround(first)),
          .meanwhile = static_cast<Cycle>(std::llround(kernel.cycles(rates) - first) + 2 * words)};
}

namespace {

/// In parts, the numbers of each part are stored together, and those of the first are sent first.
LineTraffic in_rounds(const WaferPlan& plan, const WaferLayout& layout, LineTraffic traffic) {
  if (plan.sending == WaferSending::pencils) return traffic;
  traffic.send_later = traffic.send;
  traffic.cycle = parts_of(plan);
  const auto part = static_cast<std::int32_t>(layout.numbers() / parts_of(plan) * layout.words);
  traffic.send_later->base += part;
  traffic.send_later->strides[1] = part;
  return traffic;
}

/// One message per peer: three loops over numbers, in the same order at sender and receiver.
struct Loops {
  std::array<std::int64_t, 4> extents, send_strides, receive_strides;  ///< peers first; numbers
};

LineTraffic traffic_of(const Loops& loops, int words, Direction direction) {
  const auto walk = [&](const std::array<std::int64_t, 4>& strides) {
    Walk result{.run_words = words};
    for (std::size_t k = 0; k < 4; ++k) {
      result.extents[k] = static_cast<std::int32_t>(loops.extents[k]);
      result.strides[k] = static_cast<std::int32_t>(strides[k] * words);
    }
    return result;
  };
  LineTraffic traffic;
  traffic.send = walk(loops.send_strides);
  traffic.receive = walk(loops.receive_strides);
  if (direction == Direction::backward) std::swap(traffic.send, traffic.receive);
  return traffic;
}

}  // namespace

LineTraffic row_traffic(const WaferPlan& plan, const WaferLayout& layout) {
  const auto& [nx, ny, nz, mx, my, mz, mx_last, words, pencils] = layout;
  if (plan.dimensions == 2) {
    // Before: (x ny + y), y = (b px + a) my + y'. After: ((b my + y') px + a of x) mx + x'. Sent in
    // the order x', b, y'.
    return traffic_of({{plan.width, mx, plan.height, my},
                       {my, ny, plan.width * my, 1},
                       {mx, 1, my * plan.width * mx, plan.width * mx}},
                      words, plan.direction);
  }
  // Before: ((y mx + x) nz + z). After: ((y mz + z) nx + x). Sent in the order y, z, x.
  return in_rounds(
      plan, layout,
      traffic_of({{plan.width, my, mz, mx}, {mz, mx * nz, 1, nz}, {mx, mz * nx, nx, 1}}, words,
                 plan.direction));
}

LineTraffic column_traffic(const WaferPlan& plan, const WaferLayout& layout) {
  const auto& [nx, ny, nz, mx, my, mz, mx_last, words, pencils] = layout;
  if (plan.dimensions == 2) {
    // Before: as row_traffic() leaves it. After: (y' nx + x). Sent in the order y', a, x'.
    const std::int64_t row = plan.width * mx;
    return traffic_of({{plan.height, my, plan.width, mx}, {my * row, row, mx, 1}, {row, nx, mx, 1}},
                      words, plan.direction);
  }
  // Before: ((y mz + z) nx + x). After: ((x mz + z) ny + y). Sent in the order x, z, y.
  return in_rounds(
      plan, layout,
      traffic_of({{plan.height, mx_last, mz, my}, {mx_last, 1, nx, mz * nx}, {my, mz * ny, ny, 1}},
                 words, plan.direction));
}

Cycle exchange_cycles(Cycle simulated, std::uint64_t busiest_link_words, std::int64_t line,
                      std::int64_t words_per_element, const WaferMachine& machine) {
  double cycles = static_cast<double>(simulated) +
                  machine.extra_cycles_per_word * static_cast<double>(words_per_element);
  if (machine.slow_from_width > 0 && line >= machine.slow_from_width)
    cycles += (machine.slow_factor - 1) * static_cast<double>(busiest_link_words);
  return static_cast<Cycle>(std::llround(cycles));
}

}  // namespace weft::fabric
