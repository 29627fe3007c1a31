// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/plan.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "fabric/wafer/crossed.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

[[noreturn]] void refuse(const WaferPlan& plan, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, weft::format("{}: {}", plan.describe(), what));
}

std::int64_t divided(const WaferPlan& plan, std::int64_t length, int elements, const char* what) {
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

void check_halves(const WaferPlan& plan, const WaferLayout& layout) {
  bool one_each = plan.dimensions == 3;
  for (const auto& [length, count] : layout.pencils) one_each = one_each && count == 1;
  if (plan.schedule == WaferSchedule::paper || plan.kernel != WaferKernel::stockham || !one_each)
    refuse(plan,
           "sending halves needs a schedule other than `paper`, the kernel stockham and one pencil "
           "per element");
  const int unit = plan.schedule == WaferSchedule::crossed ? 4 : 2;
  if (layout.nx % unit != 0 || layout.ny % unit != 0 || layout.nz % unit != 0)
    refuse(plan, weft::format("sending halves needs lengths that are multiples of {}", unit));
}

std::int64_t bytes_per_number(Precision precision) { return precision == Precision::f16 ? 4 : 8; }

}  // namespace

std::string WaferPlan::describe() const {
  const char* name = schedule == WaferSchedule::paper       ? "paper"
                     : schedule == WaferSchedule::segmented ? "segmented"
                                                            : "crossed";
  return weft::format(
      "{}x{}{} {} {} on {}x{} elements, schedule {}{}, kernel {}{}", shape[0], shape[1],
      dimensions == 3 ? weft::format("x{}", shape[2]) : "",
      precision == Precision::f16 ? "f16" : "f32",
      direction == Direction::forward ? "forward" : "backward", width, height, name,
      groups > 0 && schedule != WaferSchedule::paper ? weft::format("({})", groups) : "",
      kernel == WaferKernel::listing1 ? "listing1" : "stockham",
      sending == WaferSending::halves ? " in halves" : "");
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
    layout.mx = divided(plan, layout.nx, plan.width * plan.height, "x");
    layout.my = divided(plan, layout.ny, plan.width * plan.height, "y");
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
  if (plan.schedule == WaferSchedule::crossed) check_crossed(plan, layout);
  if (plan.sending == WaferSending::halves) check_halves(plan, layout);
  return layout;
}

bool rewrites_routes(const WaferPlan& plan, const WaferMachine& machine) {
  return plan.schedule == WaferSchedule::segmented && 2 * (plan.groups + 1) > machine.rules.colors;
}

WaferPlan with_groups(const WaferPlan& plan, const WaferMachine& machine) {
  WaferPlan result = plan;
  if (plan.schedule == WaferSchedule::paper) return result;
  // Rows and columns have G + 1 colors each; `crossed` has two more, between sisters.
  const int spare = plan.schedule == WaferSchedule::crossed ? 2 : 0;
  const int kept = (machine.rules.colors - spare) / 2 - 1;
  const int most = plan.schedule == WaferSchedule::segmented ? machine.rules.colors - 1 : kept;
  // No more segments than keep two destinations each.
  const int line = std::max(plan.width, plan.height);
  const int useful = std::max(1, plan.schedule == WaferSchedule::crossed ? line / 4 : line / 2);
  if (plan.groups == 0) result.groups = std::clamp(useful, 1, kept);
  if (result.groups < 1 || result.groups > most || result.groups > line)
    refuse(plan, weft::format("{} groups; {} colors serve 1 to {}, and a line of {} no more than "
                              "that many",
                              result.groups, machine.rules.colors, most, line));
  return result;
}

WaferMemory memory_of(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  std::int64_t numbers = 2 * layout.numbers();
  if (plan.schedule == WaferSchedule::crossed) numbers += layout.nx / 2;  // words for the sister
  std::int64_t kernel = 0;
  for (const auto& [length, count] : layout.pencils) {
    if (length == 0) continue;
    // A kernel works in the pencil's own place; Stockham also in its second copy.
    const KernelProgram program = sending_kernel_of(plan, length, machine);
    const std::int64_t own = (plan.kernel == WaferKernel::listing1 ? 2 : 4) * length;
    kernel = std::max(kernel, (program.memory_reals - own) * bytes_per_number(plan.precision) / 2);
  }
  return {.data_bytes = numbers * bytes_per_number(plan.precision),
          .kernel_bytes = kernel,
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
                         machine.kernel(plan.precision).rates);
}

Cycle pencil_cycles(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine) {
  if (length == 0) return 0;
  if (plan.kernel == WaferKernel::listing1)
    return static_cast<Cycle>(std::llround(machine.kernel(plan.precision).pencil.cycles(length)));
  return static_cast<Cycle>(
      std::llround(kernel_of(plan, length, machine).cycles(machine.kernel(plan.precision).rates)));
}

KernelProgram sending_kernel_of(const WaferPlan& plan, std::int64_t length,
                                const WaferMachine& machine) {
  if (plan.sending == WaferSending::pencils || length == 0) return kernel_of(plan, length, machine);
  return halves_kernel(length, plan.direction, plan.precision,
                       machine.kernel(plan.precision).rates);
}

SendingCycles sending_cycles(const WaferPlan& plan, const Pencils& pencils,
                             const WaferMachine& machine) {
  const auto& [length, count] = pencils;
  if (plan.sending == WaferSending::pencils)
    return {.before = static_cast<Cycle>(count) * pencil_cycles(plan, length, machine)};
  const KernelRates& rates = machine.kernel(plan.precision).rates;
  const KernelProgram kernel = sending_kernel_of(plan, length, machine);
  const double first = kernel.cycles_of_first_half(rates);
  const std::int64_t words = (plan.precision == Precision::f16 ? 1 : 2) * length;
  return {.before = static_cast<Cycle>(std::llround(first)),
          .meanwhile = static_cast<Cycle>(std::llround(kernel.cycles(rates) - first) + 2 * words)};
}

namespace {

/// In halves the even numbers lie in front, and go first.
LineTraffic in_rounds(const WaferPlan& plan, const WaferLayout& layout, LineTraffic traffic) {
  if (plan.sending == WaferSending::pencils) return traffic;
  traffic.send_later = traffic.send;
  traffic.send_later->base += static_cast<std::int32_t>(layout.numbers() / 2 * layout.words);
  return traffic;
}

/// A message per peer: three loops over numbers, in the same order on both sides.
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
