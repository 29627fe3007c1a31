// SPDX-License-Identifier: BSD-3-Clause
// Removes multiplications by i in line kernels. On interleaved numbers, i x is swap(x) with
// alternating signs, and the signs can be moved into the constant of the multiply-add that uses i
// x: b + c i x = fma(ci, swap x, b) with ci = (-c, c, -c, c, ...). So a value i x is kept as a pair
// (swap x, turned) until it is used.
#include <utility>
#include <vector>

#include "codelet/ir/graph.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/ir/passes.hpp"

namespace weft::codelet::ir {
namespace {

/// If `turned` is false: `value`. Otherwise i x, where `value` is swap(x).
struct Turned {
  Value value;
  bool is_turned = false;
};

class Rotation {
 public:
  explicit Rotation(const Kernel& kernel) : kernel_(kernel) {}

  Kernel run() {
    for (const Operation& operation : kernel_.operations) renamed_.push_back(convert(operation));
    Kernel result = kernel_;
    for (Output& output : result.outputs) output.value = plain(renamed_[output.value]);
    result.operations = std::move(graph_).take();
    return without_dead_operations(std::move(result));
  }

 private:
  Value make(Op op, Value a, Value b = -1, Value c = -1) {
    return graph_.exactly({.op = op, .arguments = {a, b, c}});
  }
  Value imaginary_unit() {
    return graph_.exactly({.op = Op::constant, .constant = 1, .imaginary = true});
  }
  Value imaginary(Value factor) {
    Operation o = graph_.operation(factor);
    o.imaginary = true;
    return graph_.exactly(o);
  }
  Value plain(Turned x) {
    return x.is_turned ? make(Op::multiply, imaginary_unit(), x.value) : x.value;
  }
  Value swapped(Turned x) { return x.is_turned ? x.value : make(Op::swap, x.value); }

  Turned convert(const Operation& o) {
    const auto argument = [&](int i) { return renamed_[o.arguments[i]]; };
    if (arity(o.op) == 0) return {graph_.exactly(o)};
    const Turned a = argument(0);
    switch (o.op) {
      case Op::times_i: return {swapped(a), true};
      case Op::negate: return {make(Op::negate, a.value), a.is_turned};
      case Op::multiply: return product(a, argument(1));
      case Op::add:
      case Op::subtract: return sum(o.op, a, argument(1));
      case Op::fma:
      case Op::fms:
      case Op::fnma: return multiply_add(o.op, a, argument(1), argument(2));
      case Op::conjugate:
      case Op::real_first: return {make(o.op, plain(a))};
      default: break;
    }
    const Turned b = argument(1);  // shuffles move whole complex numbers
    const bool both = a.is_turned && b.is_turned;
    const Value x = both ? a.value : plain(a), y = both ? b.value : plain(b);
    return {graph_.exactly({.op = o.op, .row = o.row, .arguments = {x, y, -1}}), both};
  }

  /// One of the factors is a constant or the scale.
  Turned product(Turned a, Turned b) {
    if (is_memory_operand(graph_.operation(b.value).op)) std::swap(a, b);
    if (!b.is_turned) return {make(Op::multiply, a.value, b.value)};
    if (graph_.operation(a.value).op == Op::scale)
      return {make(Op::multiply, a.value, b.value), true};
    return {make(Op::multiply, imaginary(a.value), b.value)};
  }
  Turned sum(Op op, Turned a, Turned b) {
    if (a.is_turned == b.is_turned) return {make(op, a.value, b.value), a.is_turned};
    if (a.is_turned)
      return {make(op == Op::add ? Op::fma : Op::fms, imaginary_unit(), a.value, b.value)};
    return {make(op == Op::add ? Op::fma : Op::fnma, imaginary_unit(), b.value, a.value)};
  }
  Turned multiply_add(Op op, Turned factor, Turned x, Turned y) {
    if (is_memory_operand(graph_.operation(x.value).op)) std::swap(factor, x);
    if (x.is_turned && y.is_turned) return {make(op, factor.value, x.value, y.value), true};
    const Value addend = plain(y);
    return {make(op, x.is_turned ? imaginary(factor.value) : factor.value, x.value, addend)};
  }

  const Kernel& kernel_;
  std::vector<Turned> renamed_;
  Graph graph_;
};

}  // namespace

Kernel rotate(Kernel kernel) {
  if (!is_line(kernel.key)) return kernel;
  return Rotation(kernel).run();
}

}  // namespace weft::codelet::ir
