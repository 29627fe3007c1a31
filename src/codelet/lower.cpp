// SPDX-License-Identifier: BSD-3-Clause
// Formula to arithmetic: the formula is applied to a vector of symbols. Each complex value is a
// pair of reals, a permutation only renames, and what costs nothing (factors 1, i, -1) is left to
// simplify.cpp.
#include <utility>
#include <vector>

#include "base/roots.hpp"
#include "codelet/passes.hpp"
#include "weft/error.hpp"

namespace weft::codelet::ir {
namespace {

using formula::Formula;

struct ComplexValue {
  Value re, im;
};
using Signal = std::vector<ComplexValue>;

class Lowering {
 public:
  Value append(const Operation& operation) {
    operations_.push_back(operation);
    return static_cast<Value>(operations_.size()) - 1;
  }
  Value binary(Op op, Value a, Value b) { return append({.op = op, .arguments = {a, b, -1}}); }
  Value constant(long double value) { return append({.op = Op::constant, .constant = value}); }

  ComplexValue sum(ComplexValue x, ComplexValue y) {
    return {binary(Op::add, x.re, y.re), binary(Op::add, x.im, y.im)};
  }
  ComplexValue product(ComplexValue w, ComplexValue x) {
    const Value re =
        binary(Op::subtract, binary(Op::multiply, w.re, x.re), binary(Op::multiply, w.im, x.im));
    const Value im =
        binary(Op::add, binary(Op::multiply, w.re, x.im), binary(Op::multiply, w.im, x.re));
    return {re, im};
  }
  ComplexValue scaled(formula::Complex factor, ComplexValue x) {
    if (factor == formula::Complex(1)) return x;
    return product({constant(factor.real()), constant(factor.imag())}, x);
  }
  ComplexValue times_scale(ComplexValue x) {
    const Value scale = append({.op = Op::scale});
    return {binary(Op::multiply, scale, x.re), binary(Op::multiply, scale, x.im)};
  }
  ComplexValue load(int row) {
    const Value re = load(row, Part::re);
    return {re, load(row, Part::im)};
  }
  ComplexValue twiddle(int row) {
    const Value re = append({.op = Op::twiddle, .row = row, .part = Part::re});
    return {re, append({.op = Op::twiddle, .row = row, .part = Part::im})};
  }

  /// The signal that the transform is applied to: the rows with their twiddles, or the reals of a
  /// real transform as complex numbers without imaginary part.
  Signal inputs(const KernelKey& key) {
    if (key.transform == KernelTransform::real_forward) return real_inputs(key.radix);
    if (key.transform == KernelTransform::real_backward) return packed_inputs(key.radix);
    const bool twiddles = key.twiddle == Twiddle::broadcast_in || key.twiddle == Twiddle::vector_in;
    Signal x;
    for (int row = 0; row < key.radix; ++row) {
      ComplexValue value = load(row);
      if (twiddles && row > 0) value = product(twiddle(row), value);
      x.push_back(key.backward ? exchanged(value) : value);
    }
    return x;
  }

  void store(const Signal& y, Kernel& kernel) {
    const KernelKey& key = kernel.key;
    if (key.transform == KernelTransform::real_forward) return store_packed(y, kernel);
    for (int row = 0; row < key.radix; ++row) {
      ComplexValue value = key.backward ? exchanged(y[row]) : y[row];
      if (key.twiddle == Twiddle::broadcast_out && row > 0) value = product(twiddle(row), value);
      if (key.scaled) value = times_scale(value);
      kernel.outputs.push_back({row, Part::re, value.re});
      if (key.transform == KernelTransform::real_backward) continue;
      kernel.outputs.push_back({row, Part::im, value.im});
    }
  }

  Signal apply(const Formula& formula, const Signal& x) {
    return std::visit([&](const auto& node) { return apply_node(node, x); }, formula.node());
  }
  std::vector<Operation> take() && { return std::move(operations_); }

 private:
  Value load(int row, Part part) { return append({.op = Op::load, .row = row, .part = part}); }

  /// Backward is forward with real and imaginary parts exchanged on both sides.
  static ComplexValue exchanged(ComplexValue x) { return {x.im, x.re}; }

  Signal real_inputs(int radix) {
    const Value zero = constant(0);
    Signal x;
    for (int row = 0; row < radix; ++row) x.push_back({load(row, Part::re), zero});
    return x;
  }
  /// Half a spectrum in the packed order of formula::RealDft: Re y0, Re y1, Im y1, ...
  Signal packed_inputs(int radix) {
    const Value zero = constant(0);
    Signal x;
    for (int k = 0; k < radix; ++k)
      x.push_back({load((k + 1) / 2, k % 2 == 1 || k == 0 ? Part::re : Part::im), zero});
    return x;
  }
  /// The same order on the way out; rows 0 and radix/2 have no imaginary part.
  void store_packed(const Signal& y, Kernel& kernel) {
    const int radix = kernel.key.radix;
    for (int row = 0; row <= radix / 2; ++row) {
      const bool has_imaginary = row > 0 && 2 * row < radix;
      ComplexValue value{y[row == 0 ? 0 : 2 * row - 1].re,
                         has_imaginary ? y[2 * row].re : constant(0)};
      if (kernel.key.scaled) value = times_scale(value);
      kernel.outputs.push_back({row, Part::re, value.re});
      kernel.outputs.push_back({row, Part::im, value.im});
    }
  }

  Signal apply_node(const formula::Identity&, const Signal& x) { return x; }

  Signal apply_node(const formula::StridePermutation& l, const Signal& x) {
    Signal y;
    for (Index i = 0; i < l.stride; ++i)
      for (Index j = 0; j < l.n / l.stride; ++j) y.push_back(x[j * l.stride + i]);
    return y;
  }
  Signal apply_node(const formula::Permutation& permutation, const Signal& x) {
    Signal y;
    for (Index source : permutation.source) y.push_back(x[source]);
    return y;
  }
  Signal apply_node(const formula::Twiddles& t, const Signal& x) {
    Signal y;
    for (Index i = 0; i < t.n / t.s; ++i)
      for (Index j = 0; j < t.s; ++j)
        y.push_back(scaled(root_of_unity(t.n, i * j), x[i * t.s + j]));
    return y;
  }
  Signal apply_node(const formula::Diagonal& diagonal, const Signal& x) {
    Signal y;
    for (std::size_t i = 0; i < x.size(); ++i) y.push_back(scaled(diagonal.values[i], x[i]));
    return y;
  }
  Signal apply_node(const formula::Dense& dense, const Signal& x) {
    formula::Sparse rows{dense.columns, {}};
    for (Index i = 0; i < dense.rows; ++i) {
      rows.rows.emplace_back();
      for (Index j = 0; j < dense.columns; ++j)
        if (const auto value = dense.values[i * dense.columns + j]; value != formula::Complex(0))
          rows.rows.back().push_back({j, value});
    }
    return apply_node(rows, x);
  }
  Signal apply_node(const formula::Sparse& sparse, const Signal& x) {
    Signal y;
    for (const auto& row : sparse.rows) {
      if (row.empty()) {
        const Value zero = constant(0);
        y.push_back({zero, zero});
        continue;
      }
      ComplexValue total = scaled(row[0].value, x[row[0].column]);
      for (std::size_t k = 1; k < row.size(); ++k)
        total = sum(total, scaled(row[k].value, x[row[k].column]));
      y.push_back(total);
    }
    return y;
  }
  Signal apply_node(const formula::Compose& product, const Signal& x) {
    Signal y = x;
    for (auto factor = product.factors.rbegin(); factor != product.factors.rend(); ++factor)
      y = apply(*factor, y);
    return y;
  }
  Signal apply_node(const formula::DirectSum& sum, const Signal& x) {
    Signal y;
    auto next = x.begin();
    for (const Formula& term : sum.terms) {
      const Signal part = apply(term, Signal(next, next + term.columns()));
      y.insert(y.end(), part.begin(), part.end());
      next += term.columns();
    }
    return y;
  }
  /// A x B x ... = ... (I x B x I) (A x I): one factor at a time, first factor outermost.
  Signal apply_node(const formula::Tensor& tensor, const Signal& x) {
    Signal y = x;
    Index inner = static_cast<Index>(x.size());
    Index outer = 1;
    for (const Formula& factor : tensor.factors) {
      inner /= factor.columns();
      y = apply_between(outer, factor, inner, y);
      outer *= factor.rows();
    }
    return y;
  }
  Signal apply_node(const auto&, const Signal&) {
    throw Error(ErrorCode::internal, "a kernel's formula holds a transform that was not expanded");
  }

  /// I(outer) x factor x I(inner).
  Signal apply_between(Index outer, const Formula& factor, Index inner, const Signal& x) {
    Signal y(outer * factor.rows() * inner);
    if (factor.as<formula::Identity>()) return x;
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        Signal part;
        for (Index k = 0; k < factor.columns(); ++k)
          part.push_back(x[(o * factor.columns() + k) * inner + i]);
        const Signal result = apply(factor, part);
        for (Index k = 0; k < factor.rows(); ++k)
          y[(o * factor.rows() + k) * inner + i] = result[k];
      }
    return y;
  }

  std::vector<Operation> operations_;
};

}  // namespace

Kernel lower(const KernelKey& key, const Formula& formula) {
  Lowering lowering;
  const Signal y = lowering.apply(formula, lowering.inputs(key));
  Kernel kernel{.key = key, .operations = {}, .outputs = {}, .steps = {}};
  lowering.store(y, kernel);
  kernel.operations = std::move(lowering).take();
  return kernel;
}

}  // namespace weft::codelet::ir
