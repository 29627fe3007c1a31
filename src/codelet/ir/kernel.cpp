// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/ir/kernel.hpp"

#include <utility>

namespace weft::codelet::ir {

int arity(Op op) {
  switch (op) {
    case Op::load:
    case Op::twiddle:
    case Op::scale:
    case Op::lane_constant:
    case Op::constant: return 0;
    case Op::times_i:
    case Op::swap:
    case Op::conjugate:
    case Op::real_first:
    case Op::negate: return 1;
    case Op::pair_low:
    case Op::pair_high:
    case Op::even:
    case Op::odd:
    case Op::pick:
    case Op::add:
    case Op::subtract:
    case Op::multiply: return 2;
    case Op::fma:
    case Op::fms:
    case Op::fnma: return 3;
  }
  return 0;
}

bool is_memory_operand(Op op) {
  return op == Op::lane_constant || op == Op::scale || op == Op::constant;
}

bool is_shuffle(Op op) {
  return op == Op::swap || op == Op::pair_low || op == Op::pair_high || op == Op::even ||
         op == Op::odd || op == Op::pick;
}

OperationCount count(const Kernel& kernel) {
  OperationCount result;
  for (const Operation& operation : kernel.operations) {
    switch (operation.op) {
      case Op::add:
      case Op::subtract: ++result.additions; break;
      case Op::multiply: ++result.multiplications; break;
      case Op::negate: ++result.negations; break;
      case Op::fma:
      case Op::fms:
      case Op::fnma: ++result.fused; break;
      default: break;
    }
  }
  return result;
}

std::vector<int> use_counts(const Kernel& kernel) {
  std::vector<int> uses(kernel.operations.size(), 0);
  for (const Operation& operation : kernel.operations)
    for (int i = 0; i < arity(operation.op); ++i) ++uses[operation.arguments[i]];
  for (const Output& output : kernel.outputs) ++uses[output.value];
  return uses;
}

Kernel without_dead_operations(Kernel kernel) {
  const int size = static_cast<int>(kernel.operations.size());
  std::vector<bool> live(size, false);
  for (const Output& output : kernel.outputs) live[output.value] = true;
  for (int v = size - 1; v >= 0; --v) {
    if (!live[v]) continue;
    const Operation& operation = kernel.operations[v];
    for (int i = 0; i < arity(operation.op); ++i) live[operation.arguments[i]] = true;
  }
  std::vector<Value> renamed(size, -1);
  std::vector<Operation> operations;
  for (int v = 0; v < size; ++v) {
    if (!live[v]) continue;
    renamed[v] = static_cast<Value>(operations.size());
    Operation operation = kernel.operations[v];
    for (int i = 0; i < arity(operation.op); ++i)
      operation.arguments[i] = renamed[operation.arguments[i]];
    operations.push_back(operation);
  }
  kernel.operations = std::move(operations);
  for (Output& output : kernel.outputs) output.value = renamed[output.value];
  return kernel;
}

}  // namespace weft::codelet::ir
