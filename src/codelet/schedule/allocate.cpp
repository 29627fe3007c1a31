// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/schedule/allocate.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::codelet::ir {
namespace {

constexpr int never = std::numeric_limits<int>::max();

class Allocator {
 public:
  Allocator(std::span<const Task> tasks, std::span<const int> order, int value_count, int registers)
      : tasks_(tasks),
        order_(order),
        registers_(registers),
        uses_(value_count),
        next_use_(value_count, 0),
        slot_(value_count, -1),
        in_register_(value_count, false) {
    for (int position = 0; position < static_cast<int>(order.size()); ++position)
      for (Value v : tasks[order[position]].reads) uses_[v].push_back(position);
  }

  Allocation run() {
    for (position_ = 0; position_ < static_cast<int>(order_.size()); ++position_) {
      const Task& task = tasks_[order_[position_]];
      for (Value v : task.reads)
        if (!in_register_[v]) reload(v, task);
      for (Value v : task.reads) {
        ++next_use_[v];
        if (next_use(v) == never) release(v);
      }
      for (Value v : task.defines) {
        make_room(task, 1);
        occupy(v);
      }
      result_.statements.push_back(task.statement);
    }
    result_.slots = static_cast<int>(slots_used_);
    return std::move(result_);
  }

 private:
  int next_use(Value v) const {
    const auto& uses = uses_[v];
    return next_use_[v] < static_cast<int>(uses.size()) ? uses[next_use_[v]] : never;
  }
  void occupy(Value v) {
    in_register_[v] = true;
    held_.push_back(v);
  }
  void leave_register(Value v) {
    in_register_[v] = false;
    held_.erase(std::ranges::find(held_, v));
  }
  /// The value is not needed any more: frees its register and its slot.
  void release(Value v) {
    if (in_register_[v]) leave_register(v);
    if (slot_[v] >= 0) free_slots_.push_back(slot_[v]);
  }

  void make_room(const Task& task, int wanted) {
    while (static_cast<int>(held_.size()) + wanted > registers_) {
      Value victim = -1;
      int farthest = -1;
      for (Value v : held_) {
        if (std::ranges::find(task.reads, v) != task.reads.end()) continue;
        if (std::ranges::find(task.defines, v) != task.defines.end()) continue;
        if (const int next = next_use(v); next > farthest) farthest = next, victim = v;
      }
      if (victim < 0)
        return;  // this task alone needs more registers than there are; the compiler handles it
      spill(victim);
    }
  }
  void spill(Value v) {
    if (slot_[v] < 0) {
      slot_[v] = take_slot();
      result_.statements.push_back({Statement::Kind::spill, v, slot_[v]});
      ++result_.spills;
    }
    leave_register(v);
  }
  int take_slot() {
    if (free_slots_.empty()) return slots_used_++;
    const int slot = free_slots_.back();
    free_slots_.pop_back();
    return slot;
  }
  void reload(Value v, const Task& task) {
    make_room(task, 1);
    occupy(v);
    result_.statements.push_back({Statement::Kind::reload, v, slot_[v]});
    ++result_.reloads;
  }

  std::span<const Task> tasks_;
  std::span<const int> order_;
  int registers_;
  int position_ = 0;
  std::vector<std::vector<int>> uses_;  // positions in the order
  std::vector<int> next_use_;           // index into uses_
  std::vector<int> slot_;
  std::vector<bool> in_register_;
  std::vector<Value> held_;
  std::vector<int> free_slots_;
  int slots_used_ = 0;
  Allocation result_;
};

}  // namespace

Allocation allocate_registers(std::span<const Task> tasks, std::span<const int> order,
                              int value_count, int registers) {
  return Allocator(tasks, order, value_count, registers).run();
}

}  // namespace weft::codelet::ir
