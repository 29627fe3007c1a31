// SPDX-License-Identifier: BSD-3-Clause
// Orders the statements of a kernel: tries several orders, allocates registers for each, and of
// those with the fewest spills and reloads keeps the one that is fastest on a model of the
// processor.
#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "codelet/ir/passes.hpp"
#include "codelet/schedule/allocate.hpp"
#include "codelet/schedule/order.hpp"
#include "codelet/schedule/simulate.hpp"

namespace weft::codelet::ir {
namespace {

constexpr int trials = 48;
constexpr int horizons[] = {10, 16, 24, 1000};  // in sixteenths of the registers
constexpr int windows[] = {1, 12, 24};
constexpr int finalists = 8;
constexpr int enough_without_spills = 8;

/// A spill is a separate store instruction; a reload is mostly a memory operand.
int traffic(const Allocation& allocation) { return 2 * allocation.spills + allocation.reloads; }

std::vector<Allocation> candidates(const Kernel& kernel, std::span<const Task> tasks, int trials) {
  const int values = static_cast<int>(kernel.operations.size());
  const int registers = register_count(kernel.key.isa);
  std::vector<Allocation> found;
  int least = 1;
  for (int trial = 0; trial < trials; ++trial) {
    if (least == 0 && trial >= enough_without_spills) break;
    const int horizon = registers * horizons[trial % std::size(horizons)] / 16;
    const auto seed = static_cast<std::uint32_t>(trial / std::size(horizons));
    const std::vector<int> order = demand_order(tasks, values, {seed, horizon});
    for (int window : windows) {
      const std::vector<int> spread = spread_order(tasks, values, order, window);
      found.push_back(allocate_registers(tasks, spread, values, registers));
      least = std::min(least, traffic(found.back()));
    }
  }
  return found;
}

Allocation fastest(const Kernel& kernel, std::span<const Task> tasks) {
  std::vector<Allocation> found = candidates(kernel, tasks, trials);
  std::ranges::stable_sort(found, {}, traffic);
  found.resize(std::min<std::size_t>(found.size(), finalists));
  std::vector<int> cycles;
  for (const Allocation& allocation : found)
    cycles.push_back(simulated_cycles(kernel, allocation.statements));
  return found[std::ranges::min_element(cycles) - cycles.begin()];
}

/// Everything that the order depends on; the values of constants do not matter.
std::vector<int> structure(const Kernel& kernel, std::span<const Task> tasks) {
  std::vector<int> result{register_count(kernel.key.isa)};
  for (const Task& task : tasks) {
    const bool computes = task.statement.kind == Statement::Kind::compute;
    result.push_back(computes ? static_cast<int>(kernel.operations[task.statement.index].op)
                              : -1 - static_cast<int>(task.statement.kind));
    result.push_back(task.statement.index);
    result.insert(result.end(), task.reads.begin(), task.reads.end());
    result.push_back(-1);
    result.insert(result.end(), task.defines.begin(), task.defines.end());
    result.push_back(-1);
  }
  return result;
}

}  // namespace

int instructions(const Kernel& kernel) {
  constexpr int few_trials = 12;
  const std::vector<Task> tasks = tasks_of(kernel);
  const std::vector<Allocation> found = candidates(kernel, tasks, few_trials);
  const Allocation& best = *std::ranges::min_element(found, {}, traffic);
  const auto shuffles =
      std::ranges::count_if(kernel.operations, [](const Operation& o) { return is_shuffle(o.op); });
  return count(kernel).total() + static_cast<int>(shuffles) + best.spills + best.reloads / 2;
}

Kernel schedule(Kernel kernel) {
  // Different layouts may have the same structure; the order is then computed once.
  static std::mutex mutex;
  static std::map<std::vector<int>, Allocation> known;
  const std::lock_guard lock(mutex);
  const std::vector<Task> tasks = tasks_of(kernel);
  auto [it, is_new] = known.try_emplace(structure(kernel, tasks));
  if (is_new) it->second = fastest(kernel, tasks);
  kernel.statements = it->second.statements;
  kernel.spill_slots = it->second.slots;
  return kernel;
}

}  // namespace weft::codelet::ir
