// SPDX-License-Identifier: BSD-3-Clause
// simplify(): rebuilds the graph through hash-consing until nothing changes. absorb_negations():
// moves the remaining negations into the operations that produce the values.
#include <utility>

#include "codelet/ir/graph.hpp"
#include "codelet/ir/passes.hpp"

namespace weft::codelet::ir {
namespace {

Kernel rebuilt(const Kernel& kernel) {
  Graph graph;
  std::vector<Value> renamed;
  for (const Operation& operation : kernel.operations)
    renamed.push_back(rebuild(graph, operation, renamed));
  Kernel result = kernel;
  for (Output& output : result.outputs) output.value = renamed[output.value];
  result.operations = std::move(graph).take();
  return without_dead_operations(std::move(result));
}

/// -v without a negation, or -1 if there is no such form: -(a - b) = b - a, -(c x) = (-c) x.
Value negated(Graph& graph, Value v) {
  const Operation o = graph.operation(v);
  if (o.op == Op::subtract)
    return graph.exactly({.op = Op::subtract, .arguments = {o.arguments[1], o.arguments[0], -1}});
  if (o.op == Op::multiply && graph.operation(o.arguments[0]).op == Op::constant) {
    const Value minus = graph.signed_constant(-graph.operation(o.arguments[0]).constant);
    return graph.exactly({.op = Op::multiply, .arguments = {minus, o.arguments[1], -1}});
  }
  if (o.op == Op::add) {
    for (int i : {0, 1})
      if (const Value minus = negated(graph, o.arguments[i]); minus >= 0)
        return graph.exactly({.op = Op::subtract, .arguments = {minus, o.arguments[1 - i], -1}});
  }
  return -1;
}

}  // namespace

Kernel simplify(Kernel kernel) {
  for (;;) {
    const OperationCount before = count(kernel);
    const std::size_t size = kernel.operations.size();
    kernel = rebuilt(kernel);
    if (count(kernel) == before && kernel.operations.size() == size) return kernel;
  }
}

Kernel absorb_negations(Kernel kernel) {
  Graph graph;
  std::vector<Value> renamed;
  for (const Operation& operation : kernel.operations) {
    Operation copy = operation;
    for (int i = 0; i < arity(copy.op); ++i) copy.arguments[i] = renamed[copy.arguments[i]];
    Value value = -1;
    if (copy.op == Op::negate) value = negated(graph, copy.arguments[0]);
    renamed.push_back(value >= 0 ? value : graph.exactly(copy));
  }
  for (Output& output : kernel.outputs) output.value = renamed[output.value];
  kernel.operations = std::move(graph).take();
  return without_dead_operations(std::move(kernel));
}

}  // namespace weft::codelet::ir
