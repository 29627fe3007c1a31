// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fabric/wafer/crossed.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

[[noreturn]] void refuse(const WaferPlan& plan, const std::string& what) {
  throw Error(ErrorCode::invalid_argument, fmt::format("{}: {}", plan.describe(), what));
}

std::int64_t divided(const WaferPlan& plan, std::int64_t length, int elements, const char* what) {
  if (length % elements != 0)
    refuse(plan,
           fmt::format("{} = {} is not a multiple of {} elements; choose a mesh that divides it",
                       what, length, elements));
  return length / elements;
}

void check_crossed(const WaferPlan& plan, const WaferLayout& layout) {
  if (layout.nx != layout.ny || layout.nx != layout.nz || plan.width != layout.nx ||
      plan.height != layout.nx || layout.nx % 2 != 0)
    refuse(plan,
           "rows and columns at once needs n x n x n on n x n elements, n even; use the "
           "schedule `segmented`");
  if (plan.direction == Direction::backward)
    refuse(plan, "rows and columns at once runs forward only; use the schedule `segmented`");
}

std::int64_t bytes_per_number(Precision precision) { return precision == Precision::f16 ? 4 : 8; }

}  // namespace

std::string WaferPlan::describe() const {
  const char* name = schedule == WaferSchedule::paper       ? "paper"
                     : schedule == WaferSchedule::segmented ? "segmented"
                                                            : "crossed";
  return fmt::format(
      "{}x{}x{} {} {} on {}x{} elements, schedule {}{}, kernel {}", shape[0], shape[1], shape[2],
      precision == Precision::f16 ? "f16" : "f32",
      direction == Direction::forward ? "forward" : "backward", width, height, name,
      groups > 0 && schedule != WaferSchedule::paper ? fmt::format("({})", groups) : "",
      kernel == WaferKernel::listing1 ? "listing1" : "stockham");
}

WaferLayout layout_of(const WaferPlan& plan, const WaferMachine& machine) {
  if (plan.precision == Precision::f64) refuse(plan, "the wafer computes in f32 or f16");
  for (const std::int64_t length : plan.shape)
    if (length < 1 || length > 1 << 20) refuse(plan, "lengths are 1 to 2^20");
  if (plan.width < 1 || plan.height < 1 || plan.width > machine.width ||
      plan.height > machine.height)
    refuse(plan, fmt::format("the wafer has {} x {} elements", machine.width, machine.height));
  WaferLayout layout{.nx = plan.shape[0], .ny = plan.shape[1], .nz = plan.shape[2]};
  layout.words = plan.precision == Precision::f16 ? 1 : 2;
  layout.mx = divided(plan, layout.nx, plan.width, "x");
  layout.my = divided(plan, layout.ny, plan.height, "y");
  layout.mz = divided(plan, layout.nz, plan.width, "z");
  layout.mx_last = divided(plan, layout.nx, plan.height, "x");
  layout.elements_z = layout.mx * layout.my * layout.nz;
  layout.elements_x = layout.mz * layout.my * layout.nx;
  layout.elements_y = layout.mz * layout.mx_last * layout.ny;
  if (plan.schedule == WaferSchedule::crossed) check_crossed(plan, layout);
  return layout;
}

WaferPlan with_groups(const WaferPlan& plan, const WaferMachine& machine) {
  WaferPlan result = plan;
  if (plan.schedule == WaferSchedule::paper) return result;
  // Rows and columns have G + 1 colors each; `crossed` has two more, between sisters.
  const int spare = plan.schedule == WaferSchedule::crossed ? 2 : 0;
  const int most = (machine.rules.colors - spare) / 2 - 1;
  // No more segments than keep two destinations each.
  const int line = std::max(plan.width, plan.height);
  const int useful = std::max(1, plan.schedule == WaferSchedule::crossed ? line / 4 : line / 2);
  if (plan.groups == 0) result.groups = std::clamp(useful, 1, most);
  if (result.groups < 1 || result.groups > most ||
      result.groups > std::min(plan.width, plan.height))
    refuse(plan, fmt::format(
                     "{} groups; {} colors serve 1 to {}, and a line of {} no more than that "
                     "many",
                     result.groups, machine.rules.colors, most, std::min(plan.width, plan.height)));
  return result;
}

WaferMemory memory_of(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  std::int64_t numbers = 2 * layout.numbers();
  if (plan.schedule == WaferSchedule::crossed) numbers += layout.nx / 2;  // words for the sister
  std::int64_t kernel = 0;
  for (const std::int64_t length : {layout.nx, layout.ny, layout.nz}) {
    // A kernel works in the pencil's own place; Stockham also in its second copy.
    const KernelProgram program = kernel_of(plan, length, machine);
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
  return fmt::format("{} bytes per element ({} data, {} kernel, {} code) of {}: {}", total(),
                     data_bytes, kernel_bytes, code_bytes, available_bytes,
                     fits() ? "fits" : "does not fit");
}

KernelProgram kernel_of(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine) {
  if (plan.kernel == WaferKernel::listing1)
    return listing1_kernel(length, plan.direction, plan.precision);
  return stockham_kernel(length, plan.direction, plan.precision,
                         machine.kernel(plan.precision).rates);
}

Cycle pencil_cycles(const WaferPlan& plan, std::int64_t length, const WaferMachine& machine) {
  if (plan.kernel == WaferKernel::listing1)
    return static_cast<Cycle>(std::llround(machine.kernel(plan.precision).pencil.cycles(length)));
  return static_cast<Cycle>(
      std::llround(kernel_of(plan, length, machine).cycles(machine.kernel(plan.precision).rates)));
}

LineTraffic row_traffic(const WaferLayout& layout, int elements, Direction direction) {
  // Before: ((y mx + x) nz + z). After: ((y mz + z) nx + x). Sent in the order y, z, x.
  const auto r = static_cast<std::int32_t>(layout.words);
  const auto w = [&](std::int64_t numbers) { return static_cast<std::int32_t>(numbers * r); };
  const auto n = [](std::int64_t count) { return static_cast<std::int32_t>(count); };
  LineTraffic traffic;
  const std::array<std::int32_t, 4> extents = {elements, n(layout.my), n(layout.mz), n(layout.mx)};
  traffic.send = {.extents = extents,
                  .strides = {w(layout.mz), w(layout.mx * layout.nz), w(1), w(layout.nz)},
                  .run_words = r};
  traffic.receive = {.extents = extents,
                     .strides = {w(layout.mx), w(layout.mz * layout.nx), w(layout.nx), w(1)},
                     .run_words = r};
  if (direction == Direction::backward) std::swap(traffic.send, traffic.receive);
  return traffic;
}

LineTraffic column_traffic(const WaferLayout& layout, int elements, Direction direction) {
  // Before: ((y mz + z) nx + x). After: ((x mz + z) ny + y). Sent in the order x, z, y.
  const auto r = static_cast<std::int32_t>(layout.words);
  const auto w = [&](std::int64_t numbers) { return static_cast<std::int32_t>(numbers * r); };
  const auto n = [](std::int64_t count) { return static_cast<std::int32_t>(count); };
  LineTraffic traffic;
  const std::array<std::int32_t, 4> extents = {elements, n(layout.mx_last), n(layout.mz),
                                               n(layout.my)};
  traffic.send = {.extents = extents,
                  .strides = {w(layout.mx_last), w(1), w(layout.nx), w(layout.mz * layout.nx)},
                  .run_words = r};
  traffic.receive = {.extents = extents,
                     .strides = {w(layout.my), w(layout.mz * layout.ny), w(layout.ny), w(1)},
                     .run_words = r};
  if (direction == Direction::backward) std::swap(traffic.send, traffic.receive);
  return traffic;
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
