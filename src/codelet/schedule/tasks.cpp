// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/schedule/tasks.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::codelet::ir {
namespace {

using Position = std::pair<int, Part>;

void add_once(std::vector<Value>& values, Value v) {
  if (std::ranges::find(values, v) == values.end()) values.push_back(v);
}

}  // namespace

std::vector<Task> tasks_of(const Kernel& kernel) {
  std::map<Position, Value> loaded, stored;
  for (Value v = 0; v < static_cast<Value>(kernel.operations.size()); ++v)
    if (const Operation& o = kernel.operations[v]; o.op == Op::load) loaded[{o.row, o.part}] = v;
  for (const Output& output : kernel.outputs) stored[{output.row, output.part}] = output.value;

  std::vector<Task> tasks;
  const std::vector<Group> inputs = input_groups(kernel.key), outputs = output_groups(kernel.key);
  for (int g = 0; g < static_cast<int>(inputs.size()); ++g) {
    Task task{{Statement::Kind::load, g}, {}, {}};
    for (const Member& member : inputs[g].members)
      if (const auto it = loaded.find({member.row, member.part}); it != loaded.end())
        task.defines.push_back(it->second);
    if (!task.defines.empty()) tasks.push_back(std::move(task));
  }
  for (Value v = 0; v < static_cast<Value>(kernel.operations.size()); ++v) {
    const Operation& o = kernel.operations[v];
    if (o.op == Op::load || is_memory_operand(o.op)) continue;
    Task task{{Statement::Kind::compute, v}, {}, {v}};
    for (int i = 0; i < arity(o.op); ++i)
      if (!is_memory_operand(kernel.operations[o.arguments[i]].op))
        add_once(task.reads, o.arguments[i]);
    tasks.push_back(std::move(task));
  }
  for (int g = 0; g < static_cast<int>(outputs.size()); ++g) {
    Task task{{Statement::Kind::store, g}, {}, {}};
    for (const Member& member : outputs[g].members)
      if (const Value v = stored.at({member.row, member.part});
          kernel.operations[v].op != Op::constant)
        add_once(task.reads, v);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

int register_count(Isa isa) { return isa == Isa::avx512 || isa == Isa::neon ? 32 : 16; }

}  // namespace weft::codelet::ir
