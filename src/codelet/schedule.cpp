// SPDX-License-Identifier: BSD-3-Clause
// Orders the statements of a kernel.
#include <map>
#include <utility>

#include "codelet/groups.hpp"
#include "codelet/passes.hpp"

namespace weft::codelet::ir {
namespace {

class DepthFirst {
 public:
  explicit DepthFirst(Kernel& kernel)
      : kernel_(kernel), inputs_(input_groups(kernel.key)), done_(kernel.operations.size(), false) {
    for (int g = 0; g < static_cast<int>(inputs_.size()); ++g)
      for (const Member& member : inputs_[g].members) group_of_[{member.row, member.part}] = g;
  }

  void run() {
    std::map<std::pair<int, Part>, Value> value_of;
    for (const Output& output : kernel_.outputs) value_of[{output.row, output.part}] = output.value;
    const std::vector<Group> outputs = output_groups(kernel_.key);
    for (int g = 0; g < static_cast<int>(outputs.size()); ++g) {
      for (const Member& member : outputs[g].members) visit(value_of[{member.row, member.part}]);
      kernel_.steps.push_back({Step::Kind::store, g});
    }
  }

 private:
  void visit(Value v) {
    if (done_[v]) return;
    done_[v] = true;
    const Operation& operation = kernel_.operations[v];
    if (operation.op == Op::load) {
      const int group = group_of_[{operation.row, operation.part}];
      if (!loaded_[group]) kernel_.steps.push_back({Step::Kind::load, group});
      loaded_[group] = true;
      return;
    }
    for (int i = 0; i < arity(operation.op); ++i) visit(operation.arguments[i]);
    if (operation.op != Op::constant && operation.op != Op::scale)
      kernel_.steps.push_back({Step::Kind::compute, v});
  }

  Kernel& kernel_;
  std::vector<Group> inputs_;
  std::vector<bool> done_;
  std::map<std::pair<int, Part>, int> group_of_;
  std::map<int, bool> loaded_;
};

}  // namespace

Kernel schedule(Kernel kernel) {
  kernel.steps.clear();
  DepthFirst(kernel).run();
  return kernel;
}

}  // namespace weft::codelet::ir
