// SPDX-License-Identifier: BSD-3-Clause
// Turns a formula into arithmetic: the formula is applied to a vector of symbols. Each complex
// value is a pair of reals, a permutation only renames values, and trivial factors (1, i, -1) are
// left to simplify.cpp. In line kernels a complex value is one register of interleaved numbers
// instead.
#include <utility>
#include <vector>

#include "base/roots.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/ir/passes.hpp"
#include "codelet/runtime/registry.hpp"
#include "formula/sparse_rows.hpp"
#include "weft/error.hpp"

namespace weft::codelet::ir {
namespace {

using formula::Formula;

/// In line kernels `re` holds both parts.
struct ComplexValue {
  Value re, im = -1;
};
using Signal = std::vector<ComplexValue>;

class Lowering {
 public:
  explicit Lowering(const KernelKey& key) : key_(key), interleaved_(is_line(key)) {}

  Value append(const Operation& operation) {
    operations_.push_back(operation);
    return static_cast<Value>(operations_.size()) - 1;
  }
  Value binary(Op op, Value a, Value b) { return append({.op = op, .arguments = {a, b, -1}}); }
  /// The sum or difference of two products. Operations are appended in the order of statements,
  /// here and below: that of a call's arguments differs between compilers, and so would the
  /// kernels.
  Value of_products(Op op, std::pair<Value, Value> first, std::pair<Value, Value> second) {
    const Value right = binary(Op::multiply, second.first, second.second);
    const Value left = binary(Op::multiply, first.first, first.second);
    return binary(op, left, right);
  }
  Value constant(long double value) { return append({.op = Op::constant, .constant = value}); }

  ComplexValue sum(ComplexValue x, ComplexValue y) {
    if (interleaved_) return {binary(Op::add, x.re, y.re)};
    return {binary(Op::add, x.re, y.re), binary(Op::add, x.im, y.im)};
  }
  ComplexValue product(ComplexValue w, ComplexValue x) {
    const Value re = of_products(Op::subtract, {w.re, x.re}, {w.im, x.im});
    const Value im = of_products(Op::add, {w.re, x.im}, {w.im, x.re});
    return {re, im};
  }
  ComplexValue scaled(formula::Complex factor, ComplexValue x) {
    if (factor == formula::Complex(1)) return x;
    if (interleaved_) {  // backward: conjugate every constant
      const Value sine = constant(runs_backward(key_) ? -factor.imag() : factor.imag());
      return rotated(constant(factor.real()), sine, x);
    }
    return product({constant(factor.real()), constant(factor.imag())}, x);
  }
  /// cos x + sin i x.
  ComplexValue rotated(Value cosine, Value sine, ComplexValue x) {
    const Value turned = append({.op = Op::times_i, .arguments = {x.re, -1, -1}});
    return {of_products(Op::add, {cosine, x.re}, {sine, turned})};
  }
  ComplexValue times_scale(ComplexValue x) {
    const Value scale = append({.op = Op::scale});
    if (interleaved_) return {binary(Op::multiply, scale, x.re)};
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

  /// The input vector: the rows times their twiddle factors, or the reals of a real transform as
  /// complex numbers with imaginary part zero.
  Signal inputs(const KernelKey& key) {
    if (key.transform == KernelTransform::halfcomplex_backward)
      return halfcomplex_inputs(key.radix);
    if (key.transform == KernelTransform::real_backward) return packed_inputs(key.radix);
    if (key.transform != KernelTransform::dft) return real_inputs(key.radix);
    Signal x;
    for (int row = 0; row < key.radix; ++row) {
      ComplexValue value = load(row);
      if (key.twiddle != Twiddle::none && row > 0) value = product(twiddle(row), value);
      x.push_back(key.backward ? exchanged(value) : value);
    }
    return x;
  }

  void store(const Signal& y, Kernel& kernel) {
    const KernelKey& key = kernel.key;
    if (key.transform == KernelTransform::real_forward) return store_packed(y, kernel);
    if (key.transform == KernelTransform::halfcomplex_forward ||
        key.transform == KernelTransform::hartley)
      return store_halfcomplex(y, kernel);
    for (int row = 0; row < key.radix; ++row) {
      ComplexValue value = key.backward ? exchanged(y[row]) : y[row];
      if (key.scaled) value = times_scale(value);
      kernel.outputs.push_back({row, Part::re, value.re});
      if (has_real_output(key.transform)) continue;
      kernel.outputs.push_back({row, Part::im, value.im});
    }
  }

  Signal apply(const Formula& formula, const Signal& x) {
    return std::visit([&](const auto& node) { return apply_node(node, x); }, formula.node());
  }
  std::vector<Operation> take() && { return std::move(operations_); }

  /// A whole line kernel; see line_kernel.hpp.
  void run_line(const LineParts& parts, Kernel& kernel) {
    const LineShape shape = line_shape(key_);
    const int v = shape.width;
    const bool is_c2r = key_.transform == KernelTransform::real_backward;
    Signal x;
    for (int i = 0; i < shape.registers; ++i)
      x.push_back(is_c2r ? separated(i) : ComplexValue{load(i, Part::re)});
    x = apply(parts.first, x);
    Signal rows;
    for (int block = 0; block < shape.blocks; ++block) {
      const auto first = x.begin() + shape.start(block);
      Signal residues = transposed(Signal(first, first + v));
      for (int r = 1; r < v; ++r) residues[r] = times_lane_factors(block * v + r, residues[r]);
      const Signal y = apply(parts.second, residues);
      rows.insert(rows.end(), y.begin(), y.end());
    }
    if (key_.transform == KernelTransform::real_forward) rows = combined(rows);
    for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
      const ComplexValue value = key_.scaled ? times_scale(rows[row]) : rows[row];
      kernel.outputs.push_back({row, Part::re, value.re});
    }
  }

 private:
  /// Transposes v registers of v numbers in log2 v stages; after each stage, the numbers of a
  /// register agree in one more bit of their original position.
  Signal transposed(Signal x) {
    const int v = static_cast<int>(x.size());
    const bool has_pairs = key_.precision == Precision::f32;  // two complex numbers in 128 bits
    for (int stage = 1; stage < v; stage *= 2) {
      const bool pairs = stage == 1 && has_pairs;
      Signal y(x.size());
      for (int i = 0; i < v / 2; ++i) {
        const Value a = x[2 * i].re, b = x[2 * i + 1].re;
        y[i] = {binary(pairs ? Op::pair_low : Op::even, a, b)};
        y[i + v / 2] = {binary(pairs ? Op::pair_high : Op::odd, a, b)};
      }
      x = std::move(y);
    }
    return x;
  }

  ComplexValue times_lane_factors(int row, ComplexValue x) {
    const Value re = append({.op = Op::lane_constant, .row = row, .part = Part::re});
    const Value im = append({.op = Op::lane_constant, .row = row, .part = Part::im});
    if (!has_tangent_form(key_, row)) return rotated(re, im, x);
    const Value turned = append({.op = Op::times_i, .arguments = {x.re, -1, -1}});
    return {binary(Op::multiply, re, binary(Op::add, x.re, binary(Op::multiply, im, turned)))};
  }

  // The mirror step of real lines; see line_kernel.hpp.
  ComplexValue difference(ComplexValue x, ComplexValue y) {
    return {binary(Op::subtract, x.re, y.re)};
  }
  ComplexValue conjugated(ComplexValue x) {
    return {append({.op = Op::conjugate, .arguments = {x.re, -1, -1}})};
  }
  ComplexValue reversed(ComplexValue x) {
    const int v = line_shape(key_).width;
    std::vector<int> source;
    for (int j = v; j-- > 0;) source.push_back(j);
    return picked(source, x, x);
  }
  ComplexValue picked(const std::vector<int>& source, ComplexValue a, ComplexValue b) {
    unsigned digits = 0;
    bool is_identity = true;
    for (std::size_t j = source.size(); j-- > 0;) {
      digits = digits * 16 + static_cast<unsigned>(source[j]);
      is_identity = is_identity && source[j] == static_cast<int>(j);
    }
    if (is_identity) return a;
    return {
        append({.op = Op::pick, .row = static_cast<int>(digits), .arguments = {a.re, b.re, -1}})};
  }

  /// One register of the numbers at `points` of the line that lies in `rows`: they are in two.
  ComplexValue numbers_at(const Signal& rows, const std::vector<int>& points) {
    const LineShape shape = line_shape(key_);
    const int v = shape.width, count = static_cast<int>(rows.size());
    for (int apart = 0; apart < count; ++apart)  // one register if it has them all
      for (int a = 0; a + apart < count; ++a)
        for (const auto& [first, second] : {std::pair{a, a + apart}, std::pair{a + apart, a}}) {
          std::vector<int> source;
          for (int point : points) {
            const int i = point - shape.output_point(first), j = point - shape.output_point(second);
            if (i >= 0 && i < v)
              source.push_back(i);
            else if (j >= 0 && j < v)
              source.push_back(v + j);
          }
          if (source.size() == points.size()) return picked(source, rows[first], rows[second]);
        }
    throw Error(ErrorCode::internal, "numbers of a line lie in more than two registers");
  }

  /// Registers of the spectrum from those of the complex line.
  Signal combined(const Signal& z) {
    const LineShape shape = line_shape(key_);
    const int h = shape.points(), v = shape.width;
    const Spectrum spectrum = spectrum_of(shape);
    Signal low, high;
    for (int p : spectrum.low) {
      std::vector<int> upward, downward;
      for (int j = 0; j < v; ++j) {
        upward.push_back(p + j);
        downward.push_back((2 * h - p - j) % h);
      }
      const ComplexValue a = numbers_at(z, upward), b = conjugated(numbers_at(z, downward));
      const ComplexValue total = sum(a, b);
      const ComplexValue half{binary(Op::multiply, constant(0.5L), total.re)};
      const ComplexValue rest = times_lane_factors(mirror_row(p), difference(a, b));
      low.push_back(sum(half, rest));
      high.push_back(reversed(conjugated(difference(half, rest))));
    }
    low.insert(low.end(), high.begin(), high.end());
    if (spectrum.has_middle) {
      std::vector<int> middle;
      for (int j = 0; j < v; ++j) middle.push_back(h / 2 + j);
      low.push_back(conjugated(numbers_at(z, middle)));
    }
    return low;
  }

  /// Register i of the complex line from the spectrum.
  ComplexValue separated(int i) {
    const LineShape shape = line_shape(key_);
    ComplexValue a{load(i, Part::re)}, b{load(shape.registers + i, Part::re)};
    b = reversed(b);
    if (i == 0) {
      a = {append({.op = Op::real_first, .arguments = {a.re, -1, -1}})};
      b = {append({.op = Op::real_first, .arguments = {b.re, -1, -1}})};
    }
    b = conjugated(b);
    const ComplexValue turned = times_lane_factors(mirror_row(i * shape.width), difference(a, b));
    return sum(sum(a, b), turned);
  }

  Value load(int row, Part part) { return append({.op = Op::load, .row = row, .part = part}); }

  /// The backward DFT is the forward DFT with real and imaginary parts exchanged in input and
  /// output.
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
  /// Stores in the same order; rows 0 and radix/2 have no imaginary part.
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

  /// Row k has the real part of number k, row n - k its imaginary part.
  Signal halfcomplex_inputs(int radix) {
    const Value zero = constant(0);
    Signal x;
    for (int k = 0; k < radix; ++k)
      x.push_back({load(k % 2 == 1 || k == 0 ? (k + 1) / 2 : radix - k / 2, Part::re), zero});
    return x;
  }
  /// The same rows; of a Hartley transform the difference and the sum of the two parts.
  void store_halfcomplex(const Signal& y, Kernel& kernel) {
    const int radix = kernel.key.radix;
    const auto put = [&](int row, Value value) {
      if (kernel.key.scaled) value = binary(Op::multiply, append({.op = Op::scale}), value);
      kernel.outputs.push_back({row, Part::re, value});
    };
    for (int row = 0; row <= radix / 2; ++row) {
      const Value re = y[row == 0 ? 0 : 2 * row - 1].re;
      if (row == 0 || 2 * row == radix) {
        put(row, re);
        continue;
      }
      const Value im = y[2 * row].re;
      const bool is_hartley = kernel.key.transform == KernelTransform::hartley;
      put(row, is_hartley ? binary(Op::subtract, re, im) : re);
      put(radix - row, is_hartley ? binary(Op::add, re, im) : im);
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
  Signal apply_node(const formula::CyclicReversal& r, const Signal& x) {
    Signal y;
    for (Index i = 0; i < r.n; ++i) y.push_back(x[(r.n - i) % r.n]);
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
  Signal apply_node(const formula::Gather& gather, const Signal& x) {
    return apply_node(formula::Sparse{gather.rule->columns(), formula::sparse_rows(gather)}, x);
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
    throw Error(ErrorCode::internal,
                "the formula of a kernel contains a transform that was not expanded");
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

  KernelKey key_;
  bool interleaved_;
  std::vector<Operation> operations_;
};

}  // namespace

Kernel lower(const KernelKey& key, const Formula& formula) {
  Lowering lowering(key);
  Kernel kernel{.key = key, .operations = {}, .outputs = {}, .statements = {}};
  if (is_line(key))
    lowering.run_line(parts_of_line(key, formula), kernel);
  else
    lowering.store(lowering.apply(formula, lowering.inputs(key)), kernel);
  kernel.operations = std::move(lowering).take();
  return kernel;
}

}  // namespace weft::codelet::ir
