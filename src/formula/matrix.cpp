// SPDX-License-Identifier: BSD-3-Clause
#include "formula/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <string>
#include <variant>
#include <vector>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/formula.hpp"
#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Vector = std::vector<Complex>;

long double cosine(Index n, Index k) { return root_of_unity(n, k).real(); }
long double sine(Index n, Index k) { return -root_of_unity(n, k).imag(); }

// Entry (k, j) of each transform, straight from its definition.

Complex entry(const Dft& t, Index k, Index j) {
  return root_of_unity(t.n, multiply_mod(k, j, t.n));
}

Complex entry(const ScaledDft& t, Index k, Index j) {
  return entry(Dft{t.n}, k, j) / (t.level == 0 ? 1.0L : tangent_scale(t.n * t.level, k));
}

/// Row 2f - 1 is the real part at frequency f, row 2f the imaginary part.
Complex entry(const RealDft& t, Index row, Index j) {
  const Complex w = root_of_unity(t.n, ((row + 1) / 2) * j);
  return row % 2 == 0 && row > 0 ? w.imag() : w.real();
}

/// Frequencies 0 and n/2 occur once, all others also as their conjugates.
Complex entry(const InverseRealDft& t, Index j, Index column) {
  const bool is_single = column == 0 || 2 * ((column + 1) / 2) == t.n;
  return (is_single ? 1.0L : 2.0L) * entry(RealDft{t.n}, column, j);
}

Complex entry(const Dht& t, Index k, Index j) { return cosine(t.n, k * j) + sine(t.n, k * j); }

Complex entry(const Trigonometric& t, Index k, Index j) {
  const Index n = t.n;
  const bool is_last = j == n - 1;
  switch (t.kind) {
    case TrigonometricKind::dct1:
      return (j == 0 || is_last ? 1.0L : 2.0L) * cosine(2 * (n - 1), j * k);
    case TrigonometricKind::dct2: return 2 * cosine(4 * n, (2 * j + 1) * k);
    case TrigonometricKind::dct3: return (j == 0 ? 1.0L : 2.0L) * cosine(4 * n, j * (2 * k + 1));
    case TrigonometricKind::dct4: return 2 * cosine(8 * n, (2 * j + 1) * (2 * k + 1));
    case TrigonometricKind::dst1: return 2 * sine(2 * (n + 1), (j + 1) * (k + 1));
    case TrigonometricKind::dst2: return 2 * sine(4 * n, (2 * j + 1) * (k + 1));
    case TrigonometricKind::dst3:
      return (is_last ? 1.0L : 2.0L) * sine(4 * n, (j + 1) * (2 * k + 1));
    case TrigonometricKind::dst4: return 2 * sine(8 * n, (2 * j + 1) * (2 * k + 1));
  }
  throw Error(ErrorCode::internal, "unknown trigonometric transform");
}

template <class Transform>
  requires requires(const Transform& t) { entry(t, Index{}, Index{}); }
Vector apply_node(const Transform& transform, const Vector& x) {
  Vector y(transform.n);
  for (Index k = 0; k < transform.n; ++k)
    for (Index j = 0; j < transform.n; ++j)
      if (x[j] != Complex(0)) y[k] += entry(transform, k, j) * x[j];
  return y;
}

Vector apply_node(const HalfDft& t, const Vector& x) {
  Vector y = apply_node(Dft{t.n}, x);
  y.resize(t.half());
  return y;
}

/// Frequencies 0 and n/2 occur once, all others also as their conjugates.
Vector apply_node(const InverseHalfDft& t, const Vector& x) {
  Vector y(t.n);
  for (Index j = 0; j < t.n; ++j)
    for (Index k = 0; k < t.half(); ++k)
      y[j] += (k == 0 || 2 * k == t.n ? 1.0L : 2.0L) * std::conj(entry(Dft{t.n}, k, j)) * x[k];
  return y;
}

Vector apply_node(const Identity&, const Vector& x) { return x; }

Vector apply_node(const StridePermutation& p, const Vector& x) {
  Vector y(p.n);
  const Index length = p.n / p.stride;
  for (Index i = 0; i < p.stride; ++i)
    for (Index j = 0; j < length; ++j) y[i * length + j] = x[j * p.stride + i];
  return y;
}

Vector apply_node(const Permutation& p, const Vector& x) {
  Vector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[p.source[i]];
  return y;
}

Vector apply_node(const CyclicReversal& r, const Vector& x) {
  Vector y(x);
  std::reverse(y.begin() + std::min<Index>(1, r.n), y.end());
  return y;
}

Vector apply_node(const Twiddles& t, const Vector& x) {
  Vector y(t.n);
  for (Index i = 0; i < t.n; ++i) y[i] = root_of_unity(t.n, (i / t.s) * (i % t.s)) * x[i];
  return y;
}

Vector apply_node(const Diagonal& d, const Vector& x) {
  Vector y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = d.values[i] * x[i];
  return y;
}

Vector apply_node(const Dense& matrix, const Vector& x) {
  Vector y(matrix.rows);
  for (Index i = 0; i < matrix.rows; ++i)
    for (Index j = 0; j < matrix.columns; ++j) y[i] += matrix.values[i * matrix.columns + j] * x[j];
  return y;
}

Vector apply_node(const Sparse& matrix, const Vector& x) {
  Vector y(matrix.rows.size());
  for (std::size_t i = 0; i < matrix.rows.size(); ++i)
    for (const Sparse::Entry& e : matrix.rows[i]) y[i] += e.value * x[e.column];
  return y;
}

Vector apply_node(const Gather& gather, const Vector& x) {
  Vector y(gather.rule->rows());
  for (Index i = 0; i < std::ssize(y); ++i) {
    const GatherRule::Entry e = gather.rule->entry(i);
    if (e.value != Complex(0))
      y[i] = e.value * (e.conjugate ? std::conj(x[e.column]) : x[e.column]);
  }
  return y;
}

/// I(outer) x formula x I(inner): the formula along the middle axis.
Vector apply_along(const Formula& formula, const Vector& x, Index outer, Index inner) {
  if (formula.as<Identity>()) return x;
  const Index columns = formula.columns(), rows = formula.rows();
  Vector y(outer * rows * inner), line(columns);
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i) {
      for (Index j = 0; j < columns; ++j) line[j] = x[(o * columns + j) * inner + i];
      const Vector image = multiply(formula, line);
      for (Index k = 0; k < rows; ++k) y[(o * rows + k) * inner + i] = image[k];
    }
  return y;
}

/// A x B x C from the right: the axes left of the current one still have their input length.
Vector apply_node(const Tensor& tensor, Vector x) {
  Index outer = 1, inner = 1;
  for (const Formula& factor : tensor.factors) outer *= factor.columns();
  for (const Formula& factor : std::views::reverse(tensor.factors)) {
    outer /= factor.columns();
    x = apply_along(factor, x, outer, inner);
    inner *= factor.rows();
  }
  return x;
}

Vector apply_node(const Compose& product, Vector x) {
  for (const Formula& factor : std::views::reverse(product.factors)) x = multiply(factor, x);
  return x;
}

Vector apply_node(const DirectSum& sum, const Vector& x) {
  Vector y;
  auto begin = x.begin();
  for (const Formula& term : sum.terms) {
    const Vector part = multiply(term, Vector(begin, begin + term.columns()));
    begin += term.columns();
    y.insert(y.end(), part.begin(), part.end());
  }
  return y;
}

}  // namespace

long double tangent_scale(Index n, Index k) {
  if (n <= 4) return 1;
  const Index k4 = k % (n / 4);
  const long double inner = tangent_scale(n / 4, k4);
  return inner * (8 * k4 <= n ? cosine(n, k4) : sine(n, k4));
}

std::vector<Complex> multiply(const Formula& formula, const std::vector<Complex>& x) {
  if (std::ssize(x) != formula.columns())
    throw Error(ErrorCode::invalid_argument, "formula of " + std::to_string(formula.columns()) +
                                                 " columns applied to a vector of " +
                                                 std::to_string(x.size()));
  return std::visit([&](const auto& node) { return apply_node(node, x); }, formula.node());
}

Matrix matrix_of(const Formula& formula) {
  Matrix matrix{formula.rows(), formula.columns(), {}};
  matrix.values.resize(matrix.rows * matrix.columns);
  for (Index j = 0; j < matrix.columns; ++j) {
    Vector unit(matrix.columns);
    unit[j] = 1;
    const Vector column = multiply(formula, unit);
    for (Index i = 0; i < matrix.rows; ++i) matrix(i, j) = column[i];
  }
  return matrix;
}

long double max_difference(const Matrix& a, const Matrix& b) {
  if (a.rows != b.rows || a.columns != b.columns)
    throw Error(ErrorCode::invalid_argument, "difference of matrices of different shape");
  long double largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  return largest;
}

}  // namespace weft::formula
