// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/schedule/simulate.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <queue>
#include <vector>

#include "codelet/ir/groups.hpp"

namespace weft::codelet::ir {
namespace {

// Measured on Zen 3. Other cores have other numbers, but they too are faster if the execution units
// stay busy and the reorder window does not fill up.
constexpr int dispatch_width = 4;
constexpr int window = 224;    // operations between dispatch and retirement
constexpr int scheduler = 72;  // operations that wait for their operands

enum Unit { load_unit, store_unit, add_unit, multiply_unit, shuffle_unit, unit_count };
constexpr std::array<int, unit_count> per_cycle{2, 1, 2, 2, 2};
constexpr std::array<int, unit_count> latency{8, 1, 3, 4, 2};

class Core {
 public:
  /// Executes one operation whose operands are ready at cycle `ready`; returns the cycle when its
  /// result is ready.
  int execute(Unit unit, int ready) {
    dispatch();
    int start = std::max(ready, now_ + 1);
    auto& busy = busy_[unit];
    while (true) {
      if (static_cast<int>(busy.size()) <= start) busy.resize(start + 64, 0);
      if (busy[start] < per_cycle[unit]) break;
      ++start;
    }
    ++busy[start];
    waiting_.push(start);
    const int done = start + latency[unit];
    retired_.push_back(retired_.empty() ? done : std::max(done, retired_.back()));
    return done;
  }
  int now() const { return now_; }

 private:
  void dispatch() {
    if (++dispatched_in_cycle_ > dispatch_width) advance_to(now_ + 1);
    if (static_cast<int>(retired_.size()) >= window) {
      const int oldest = retired_[retired_.size() - window];
      if (oldest > now_) advance_to(oldest);
    }
    while (!waiting_.empty() && waiting_.top() <= now_) waiting_.pop();
    if (static_cast<int>(waiting_.size()) >= scheduler) {
      advance_to(waiting_.top());
      waiting_.pop();
    }
  }
  void advance_to(int cycle) {
    now_ = cycle;
    dispatched_in_cycle_ = 1;
  }

  int now_ = 0, dispatched_in_cycle_ = 0;
  std::array<std::vector<char>, unit_count> busy_;
  std::priority_queue<int, std::vector<int>, std::greater<>> waiting_;
  std::vector<int> retired_;  // the cycle when each operation so far retires
};

class Simulation {
 public:
  Simulation(const Kernel& kernel, std::span<const Statement> statements)
      : kernel_(kernel),
        statements_(statements),
        inputs_(input_groups(kernel.key)),
        outputs_(output_groups(kernel.key)),
        ready_(kernel.operations.size(), 0) {
    for (Value v = 0; v < static_cast<Value>(kernel.operations.size()); ++v)
      if (const Operation& o = kernel.operations[v]; o.op == Op::load) loaded_[{o.row, o.part}] = v;
    for (const Output& output : kernel.outputs) stored_[{output.row, output.part}] = output.value;
  }

  int run() {
    constexpr int warm_up = 1, measured = 2;
    int begin = 0;
    for (int repetition = 0; repetition < warm_up + measured; ++repetition) {
      if (repetition == warm_up) begin = core_.now();
      std::ranges::fill(ready_, 0);
      for (const Statement& statement : statements_) execute(statement);
    }
    return core_.now() - begin;
  }

 private:
  void execute(const Statement& statement) {
    switch (statement.kind) {
      case Statement::Kind::load: load(inputs_[statement.index]); break;
      case Statement::Kind::compute: compute(statement.index); break;
      case Statement::Kind::store: store(outputs_[statement.index]); break;
      case Statement::Kind::spill: core_.execute(store_unit, ready_[statement.index]); break;
      case Statement::Kind::reload:
        ready_[statement.index] = core_.execute(load_unit, ready_[statement.index]);
        break;
    }
  }

  /// Shuffles per value at load or store. The exact number of each layout is left out on purpose,
  /// so that kernels of the same structure get the same order.
  static int shuffles(const Group& group) {
    return group.members.size() == 1 ? 0 : group.members.size() == 2 ? 1 : 2;
  }

  void load(const Group& group) {
    int arrived = 0;
    for (std::size_t i = 0; i < group.members.size(); ++i)
      arrived = std::max(arrived, core_.execute(load_unit, 0));
    for (const Member& member : group.members) {
      int at = arrived;
      for (int k = 0; k < shuffles(group); ++k) at = core_.execute(shuffle_unit, at);
      if (const auto it = loaded_.find({member.row, member.part}); it != loaded_.end())
        ready_[it->second] = at;
    }
  }

  void compute(Value v) {
    const Operation& o = kernel_.operations[v];
    if (o.op == Op::twiddle) {
      ready_[v] = core_.execute(load_unit, 0);
      return;
    }
    int at = 0;
    for (int i = 0; i < arity(o.op); ++i) at = std::max(at, ready_[o.arguments[i]]);
    if (is_shuffle(o.op)) {
      ready_[v] = core_.execute(shuffle_unit, at);
      return;
    }
    const bool adds = o.op == Op::add || o.op == Op::subtract || o.op == Op::negate;
    ready_[v] = core_.execute(adds ? add_unit : multiply_unit, at);
  }

  void store(const Group& group) {
    int at = 0;
    for (const Member& member : group.members)
      at = std::max(at, ready_[stored_.at({member.row, member.part})]);
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      int shuffled = at;
      for (int k = 0; k < shuffles(group); ++k) shuffled = core_.execute(shuffle_unit, shuffled);
      core_.execute(store_unit, shuffled);
    }
  }

  const Kernel& kernel_;
  std::span<const Statement> statements_;
  std::vector<Group> inputs_, outputs_;
  std::vector<int> ready_;
  std::map<std::pair<int, Part>, Value> loaded_, stored_;
  Core core_;
};

}  // namespace

int simulated_cycles(const Kernel& kernel, std::span<const Statement> statements) {
  return Simulation(kernel, statements).run();
}

}  // namespace weft::codelet::ir
