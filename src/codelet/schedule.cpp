// SPDX-License-Identifier: BSD-3-Clause
// Orders the statements of a kernel: tries a number of orders, allocates registers for each, and of
// those that move least to the stack and back keeps the one that a model of the processor executes
// fastest.
#include <algorithm>
#include <iterator>
#include <utility>

#include "codelet/allocate.hpp"
#include "codelet/order.hpp"
#include "codelet/passes.hpp"
#include "codelet/simulate.hpp"

namespace weft::codelet::ir {
namespace {

constexpr int trials = 48;
constexpr int horizons[] = {10, 16, 24, 1000};  // in sixteenths of the registers
constexpr int windows[] = {1, 12, 24};
constexpr int finalists = 8;

/// A spill is a store of its own; a reload is mostly a memory operand.
int traffic(const Allocation& allocation) { return 2 * allocation.spills + allocation.reloads; }

std::vector<Allocation> candidates(const Kernel& kernel, int trials) {
  const std::vector<Task> tasks = tasks_of(kernel);
  const int values = static_cast<int>(kernel.operations.size());
  const int registers = register_count(kernel.key.isa);
  std::vector<Allocation> found;
  for (int seed = 0; seed < trials; ++seed) {
    const int horizon = registers * horizons[seed % std::size(horizons)] / 16;
    const std::vector<int> order = demand_order(
        tasks, values, {static_cast<std::uint32_t>(seed / std::size(horizons)), horizon});
    for (int window : windows) {
      const std::vector<int> spread = spread_order(tasks, values, order, window);
      found.push_back(allocate_registers(tasks, spread, values, registers));
    }
  }
  return found;
}

}  // namespace

int instructions(const Kernel& kernel) {
  constexpr int few_trials = 12;
  const std::vector<Allocation> found = candidates(kernel, few_trials);
  const Allocation& best = *std::ranges::min_element(found, {}, traffic);
  return count(kernel).total() + best.spills + best.reloads / 2;
}

Kernel schedule(Kernel kernel) {
  std::vector<Allocation> found = candidates(kernel, trials);
  std::ranges::stable_sort(found, {}, traffic);
  found.resize(std::min<std::size_t>(found.size(), finalists));
  std::vector<int> cycles;
  for (const Allocation& allocation : found)
    cycles.push_back(simulated_cycles(kernel, allocation.steps));
  Allocation& best = found[std::ranges::min_element(cycles) - cycles.begin()];
  kernel.steps = std::move(best.steps);
  kernel.spill_slots = best.slots;
  return kernel;
}

}  // namespace weft::codelet::ir
