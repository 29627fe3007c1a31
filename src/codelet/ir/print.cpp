// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/ir/print.hpp"

#include "base/format.hpp"
#include "codelet/ir/groups.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet::ir {
namespace {

std::string name(const Kernel& kernel, Value v) {
  const Operation& o = kernel.operations[v];
  const char* part = o.part == Part::re ? "re" : "im";
  switch (o.op) {
    case Op::load: return weft::format("x{}.{}", o.row, part);
    case Op::twiddle: return weft::format("w{}.{}", o.row, part);
    case Op::scale: return "scale";
    case Op::constant: return weft::format("{:.17g}{}", o.constant, o.imaginary ? "i" : "");
    case Op::lane_constant: return weft::format("f{}.{}{}", o.row, part, o.imaginary ? "i" : "");
    default: return weft::format("v{}", v);
  }
}

std::string expression(const Kernel& kernel, Value v) {
  const Operation& o = kernel.operations[v];
  const auto argument = [&](int i) { return name(kernel, o.arguments[i]); };
  switch (o.op) {
    case Op::negate: return "-" + argument(0);
    case Op::add: return argument(0) + " + " + argument(1);
    case Op::subtract: return argument(0) + " - " + argument(1);
    case Op::multiply: return argument(0) + " * " + argument(1);
    case Op::fma: return argument(0) + " * " + argument(1) + " + " + argument(2);
    case Op::fms: return argument(0) + " * " + argument(1) + " - " + argument(2);
    case Op::fnma: return argument(2) + " - " + argument(0) + " * " + argument(1);
    case Op::times_i: return "i * " + argument(0);
    case Op::swap: return "swap " + argument(0);
    case Op::pair_low: return "pair_low " + argument(0) + " " + argument(1);
    case Op::pair_high: return "pair_high " + argument(0) + " " + argument(1);
    case Op::even: return "even " + argument(0) + " " + argument(1);
    case Op::odd: return "odd " + argument(0) + " " + argument(1);
    case Op::pick: return weft::format("pick {:x} ", o.row) + argument(0) + " " + argument(1);
    case Op::conjugate: return "conjugate " + argument(0);
    case Op::real_first: return "real_first " + argument(0);
    default: return name(kernel, v);
  }
}

std::string members(const Group& group, char letter) {
  std::string text;
  for (const Member& member : group.members)
    text += weft::format(" {}{}.{}", letter, member.row, member.part == Part::re ? "re" : "im");
  return text;
}

std::string print_graph(const Kernel& kernel) {
  std::string text;
  for (Value v = 0; v < static_cast<Value>(kernel.operations.size()); ++v)
    if (arity(kernel.operations[v].op) > 0)
      text += weft::format("v{} = {}\n", v, expression(kernel, v));
  for (const Output& output : kernel.outputs)
    text += weft::format("y{}.{} = {}\n", output.row, output.part == Part::re ? "re" : "im",
                         name(kernel, output.value));
  return text;
}

std::string print_statements(const Kernel& kernel) {
  const std::vector<Group> inputs = input_groups(kernel.key), outputs = output_groups(kernel.key);
  std::string text;
  for (const Statement& statement : kernel.statements) {
    switch (statement.kind) {
      case Statement::Kind::load:
        text += "load" + members(inputs[statement.index], 'x') + "\n";
        break;
      case Statement::Kind::store:
        text += "store" + members(outputs[statement.index], 'y') + "\n";
        break;
      case Statement::Kind::compute:
        text += weft::format("{} = {}\n", name(kernel, statement.index),
                             arity(kernel.operations[statement.index].op) == 0
                                 ? "load"
                                 : expression(kernel, statement.index));
        break;
      case Statement::Kind::spill:
        text +=
            weft::format("spill {} to slot {}\n", name(kernel, statement.index), statement.slot);
        break;
      case Statement::Kind::reload:
        text +=
            weft::format("reload {} from slot {}\n", name(kernel, statement.index), statement.slot);
        break;
    }
  }
  return text;
}

}  // namespace

std::string print(const Kernel& kernel) {
  const OperationCount operations = count(kernel);
  const std::string head = weft::format(
      "{}: {} additions, {} multiplications, {} fused, {} negations\n", to_string(kernel.key),
      operations.additions, operations.multiplications, operations.fused, operations.negations);
  return head + (kernel.statements.empty() ? print_graph(kernel) : print_statements(kernel));
}

}  // namespace weft::codelet::ir
