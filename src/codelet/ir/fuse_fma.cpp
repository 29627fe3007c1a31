// SPDX-License-Identifier: BSD-3-Clause
// Forms multiply-adds. A product with a constant is not computed at once: it is kept as a pair
// (factor, value) until a sum uses it, c x + y = fma(c, x, y). In a sum of two such pairs the
// larger factor is moved outside, c x + s y = c (x + (s/c) y). So a rotation followed by a
// butterfly costs six operations instead of ten, and multiplications remain only before stores.
#include <cmath>
#include <utility>

#include "codelet/ir/graph.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/ir/passes.hpp"

namespace weft::codelet::ir {
namespace {

struct Scaled {
  long double factor;  // 1 for a plain value
  Value value;
};

class Fusion {
 public:
  explicit Fusion(const Kernel& kernel) : kernel_(kernel), uses_(use_counts(kernel)) {}

  Kernel run() {
    for (const Operation& operation : kernel_.operations) renamed_.push_back(convert(operation));
    Kernel result = kernel_;
    for (Output& output : result.outputs) output.value = plain(renamed_[output.value]);
    result.operations = std::move(graph_).take();
    return without_dead_operations(std::move(result));
  }

 private:
  Value constant(long double value) { return graph_.signed_constant(value); }
  Value plain(Scaled x) {
    if (x.factor == 1) return x.value;
    if (x.factor == -1) return graph_.exactly({.op = Op::negate, .arguments = {x.value, -1, -1}});
    return graph_.exactly({.op = Op::multiply, .arguments = {constant(x.factor), x.value, -1}});
  }

  Scaled convert(const Operation& o) {
    switch (o.op) {
      case Op::negate: {
        const Scaled x = renamed_[o.arguments[0]];
        if (x.factor != 1) return {-x.factor, x.value};
        return {1, graph_.exactly({.op = Op::negate, .arguments = {x.value, -1, -1}})};
      }
      case Op::times_i: {
        const Scaled x = renamed_[o.arguments[0]];
        return {x.factor, graph_.exactly({.op = Op::times_i, .arguments = {x.value, -1, -1}})};
      }
      case Op::pair_low:
      case Op::pair_high:
      case Op::even:
      case Op::odd:
      case Op::pick: {
        const Value a = plain(renamed_[o.arguments[0]]), b = plain(renamed_[o.arguments[1]]);
        return {1, graph_.exactly({.op = o.op, .row = o.row, .arguments = {a, b, -1}})};
      }
      case Op::conjugate:
      case Op::real_first: {
        const Value a = plain(renamed_[o.arguments[0]]);
        return {1, graph_.exactly({.op = o.op, .arguments = {a, -1, -1}})};
      }
      case Op::multiply: return product(o);
      case Op::add: return sum(o, 1);
      case Op::subtract: return sum(o, -1);
      default: return {1, graph_.exactly(o)};
    }
  }

  Scaled product(const Operation& o) {
    const Operation& left = kernel_.operations[o.arguments[0]];
    const Scaled right = renamed_[o.arguments[1]];
    if (left.op == Op::constant) return {left.constant * right.factor, right.value};
    return {1, graph_.exactly({.op = Op::multiply,
                               .arguments = {plain(renamed_[o.arguments[0]]), plain(right), -1}})};
  }

  /// x + sign * y.
  Scaled sum(const Operation& o, int sign) {
    Scaled x = renamed_[o.arguments[0]];
    Scaled y = renamed_[o.arguments[1]];
    if (x.factor == 1 && y.factor == 1) return {1, plain_sum(o, x.value, y.value, sign)};
    y.factor *= sign;
    const bool plain_x = std::fabs(x.factor) == 1, plain_y = std::fabs(y.factor) == 1;
    if (plain_y && !plain_x) return add_to_plain(y, x);
    if (plain_x && !plain_y) return add_to_plain(x, y);
    if (std::fabs(y.factor) > std::fabs(x.factor)) std::swap(x, y);
    return {x.factor, multiply_add(y.factor / x.factor, y.value, x.value)};
  }

  /// u + y, where u has factor 1 or -1.
  Scaled add_to_plain(Scaled u, Scaled y) {
    if (u.factor < 0 && y.factor > 0)
      return {1,
              graph_.exactly({.op = Op::fms, .arguments = {constant(y.factor), y.value, u.value}})};
    return {u.factor, multiply_add(y.factor / u.factor, y.value, u.value)};
  }

  /// factor * a + b for any factor.
  Value multiply_add(long double factor, Value a, Value b) {
    if (factor == 1) return graph_.exactly({.op = Op::add, .arguments = {a, b, -1}});
    if (factor == -1) return graph_.exactly({.op = Op::subtract, .arguments = {b, a, -1}});
    const Op op = factor < 0 ? Op::fnma : Op::fma;
    return graph_.exactly({.op = op, .arguments = {constant(std::fabs(factor)), a, b}});
  }

  /// Both summands have factor 1; a product of two run-time values may still be fused.
  Value plain_sum(const Operation& o, Value x, Value y, int sign) {
    const auto fusible = [&](int i) {
      const Operation& argument = kernel_.operations[o.arguments[i]];
      return argument.op == Op::multiply && (uses_[o.arguments[i]] == 1 || is_line(kernel_.key));
    };
    if (fusible(0)) {
      const Operation p = graph_.operation(x);
      return graph_.exactly(
          {.op = sign > 0 ? Op::fma : Op::fms, .arguments = {p.arguments[0], p.arguments[1], y}});
    }
    if (fusible(1)) {
      const Operation p = graph_.operation(y);
      return graph_.exactly(
          {.op = sign > 0 ? Op::fma : Op::fnma, .arguments = {p.arguments[0], p.arguments[1], x}});
    }
    return graph_.exactly({.op = sign > 0 ? Op::add : Op::subtract, .arguments = {x, y, -1}});
  }

  const Kernel& kernel_;
  std::vector<int> uses_;
  std::vector<Scaled> renamed_;
  Graph graph_;
};

}  // namespace

Kernel fuse_fma(Kernel kernel) {
  if (kernel.key.isa == Isa::scalar) return kernel;
  return Fusion(kernel).run();
}

}  // namespace weft::codelet::ir
