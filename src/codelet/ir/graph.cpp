// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/ir/graph.hpp"

#include <cmath>
#include <utility>

namespace weft::codelet::ir {
namespace {

/// The same sine or cosine may be computed in different ways; values that differ by less than 2^-60
/// are taken as equal.
long double snapped(long double value) {
  return std::ldexp(std::round(std::ldexp(value, 60)), -60);
}

}  // namespace

Graph::Key Graph::key_of(const Operation& o) {
  const auto& [a, b, c] = o.arguments;
  return {o.op, o.row, o.part, o.constant, o.imaginary, a, b, c};
}

Value Graph::find(const Operation& o) const {
  const auto it = known_.find(key_of(o));
  return it == known_.end() ? -1 : it->second;
}

Value Graph::exactly(const Operation& o) {
  if (const Value known = find(o); known >= 0) return known;
  const auto value = static_cast<Value>(operations_.size());
  operations_.push_back(o);
  known_[key_of(o)] = value;
  return value;
}

bool Graph::is_constant(Value v, long double value) const {
  return operations_[v].op == Op::constant && operations_[v].constant == value;
}

Value Graph::constant(long double value) {
  value = snapped(value);
  if (value < 0) return negate(constant(-value));
  return exactly({.op = Op::constant, .constant = value});
}

Value Graph::signed_constant(long double value) {
  return exactly({.op = Op::constant, .constant = snapped(value)});
}

Value Graph::load(int row, Part part) {
  return exactly({.op = Op::load, .row = row, .part = part});
}

Value Graph::twiddle(int row, Part part) {
  return exactly({.op = Op::twiddle, .row = row, .part = part});
}

Value Graph::scale() { return exactly({.op = Op::scale}); }

Value Graph::negate(Value a) {
  if (operations_[a].op == Op::negate) return operations_[a].arguments[0];
  if (is_constant(a, 0)) return a;
  return exactly({.op = Op::negate, .arguments = {a, -1, -1}});
}

Value Graph::add(Value a, Value b) {
  const Operation x = operations_[a], y = operations_[b];
  if (is_constant(a, 0)) return b;
  if (is_constant(b, 0)) return a;
  if (x.op == Op::negate && y.op == Op::negate) return negate(add(x.arguments[0], y.arguments[0]));
  if (y.op == Op::negate) return subtract(a, y.arguments[0]);
  if (x.op == Op::negate) return subtract(b, x.arguments[0]);
  if (x.op == Op::times_i && y.op == Op::times_i)
    return times_i(add(x.arguments[0], y.arguments[0]));
  // c x + c y = c (x + y): an eighth root of unity costs two multiplications, not four.
  if (x.op == Op::multiply && y.op == Op::multiply && x.arguments[0] == y.arguments[0])
    return multiply(x.arguments[0], add(x.arguments[1], y.arguments[1]));
  if (a > b) std::swap(a, b);
  return exactly({.op = Op::add, .arguments = {a, b, -1}});
}

Value Graph::subtract(Value a, Value b) {
  const Operation x = operations_[a], y = operations_[b];
  if (a == b) return constant(0);
  if (is_constant(b, 0)) return a;
  if (is_constant(a, 0)) return negate(b);
  if (y.op == Op::negate) return add(a, y.arguments[0]);
  if (x.op == Op::negate) return negate(add(x.arguments[0], b));
  if (x.op == Op::times_i && y.op == Op::times_i)
    return times_i(subtract(x.arguments[0], y.arguments[0]));
  if (x.op == Op::multiply && y.op == Op::multiply && x.arguments[0] == y.arguments[0])
    return multiply(x.arguments[0], subtract(x.arguments[1], y.arguments[1]));
  const Operation reversed{.op = Op::subtract, .arguments = {b, a, -1}};
  if (const Value known = find(reversed); known >= 0) return negate(known);
  return exactly({.op = Op::subtract, .arguments = {a, b, -1}});
}

Value Graph::multiply(Value a, Value b) {
  if (operations_[b].op == Op::constant) std::swap(a, b);
  const Operation x = operations_[a], y = operations_[b];
  if (x.op == Op::constant && y.op == Op::constant) return constant(x.constant * y.constant);
  if (is_constant(a, 0)) return a;
  if (is_constant(a, 1)) return b;
  if (x.op == Op::negate) return negate(multiply(x.arguments[0], b));
  if (y.op == Op::negate) return negate(multiply(a, y.arguments[0]));
  if (x.op != Op::constant && a > b) std::swap(a, b);
  return exactly({.op = Op::multiply, .arguments = {a, b, -1}});
}

Value Graph::times_i(Value a) {
  const Operation x = operations_[a];
  if (is_constant(a, 0)) return a;
  if (x.op == Op::negate) return negate(times_i(x.arguments[0]));
  if (x.op == Op::times_i) return negate(x.arguments[0]);
  if (x.op == Op::multiply && operations_[x.arguments[0]].op == Op::constant)
    return multiply(x.arguments[0], times_i(x.arguments[1]));
  return exactly({.op = Op::times_i, .arguments = {a, -1, -1}});
}

Value rebuild(Graph& graph, const Operation& o, const std::vector<Value>& renamed) {
  const auto argument = [&](int i) { return renamed[o.arguments[i]]; };
  switch (o.op) {
    case Op::constant: return graph.constant(o.constant);
    case Op::negate: return graph.negate(argument(0));
    case Op::add: return graph.add(argument(0), argument(1));
    case Op::subtract: return graph.subtract(argument(0), argument(1));
    case Op::multiply: return graph.multiply(argument(0), argument(1));
    case Op::times_i: return graph.times_i(argument(0));
    default: break;
  }
  Operation copy = o;
  for (int i = 0; i < arity(o.op); ++i) copy.arguments[i] = argument(i);
  return graph.exactly(copy);
}

}  // namespace weft::codelet::ir
