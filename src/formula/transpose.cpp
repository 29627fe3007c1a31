// SPDX-License-Identifier: BSD-3-Clause
#include "formula/transpose.hpp"

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "formula/formula.hpp"
#include "formula/parts.hpp"
#include "formula/sparse_rows.hpp"
#include "weft/error.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

Formula scaled_at(Index n, Index position, long double value) {
  std::vector<Complex> values(n, 1);
  values[position] = value;
  return diagonal(std::move(values));
}

/// DCT and DST IV and DST I are symmetric; the others differ from a symmetric pair in the weight of
/// one or two inputs.
Formula transposed(const Trigonometric& t) {
  const auto [kind, n] = t;
  switch (kind) {
    case TrigonometricKind::dct1: {
      std::vector<Complex> weights(n, 2), inverse(n, 0.5L);
      weights.front() = weights.back() = inverse.front() = inverse.back() = 1;
      return compose({diagonal(std::move(weights)), t, diagonal(std::move(inverse))});
    }
    case TrigonometricKind::dct2:
      return compose({trigonometric(TrigonometricKind::dct3, n), scaled_at(n, 0, 2)});
    case TrigonometricKind::dct3:
      return compose({scaled_at(n, 0, 0.5L), trigonometric(TrigonometricKind::dct2, n)});
    case TrigonometricKind::dst2:
      return compose({trigonometric(TrigonometricKind::dst3, n), scaled_at(n, n - 1, 2)});
    case TrigonometricKind::dst3:
      return compose({scaled_at(n, n - 1, 0.5L), trigonometric(TrigonometricKind::dst2, n)});
    case TrigonometricKind::dct4:
    case TrigonometricKind::dst1:
    case TrigonometricKind::dst4: return t;
  }
  throw Error(ErrorCode::internal, "unknown trigonometric transform");
}

/// diag of how often a packed spectrum's element stands in the full one: once or twice.
Formula multiplicities(Index n, long double twice) {
  std::vector<Complex> values(n, twice);
  values.front() = 1;
  if (n % 2 == 0) values.back() = 1;
  return diagonal(std::move(values));
}

Formula transposed(const RealDft& t) {
  return compose({inverse_real_dft(t.n), multiplicities(t.n, 0.5L)});
}
Formula transposed(const InverseRealDft& t) {
  return compose({multiplicities(t.n, 2), real_dft(t.n)});
}

Formula transposed(const ScaledDft&) {
  throw Error(ErrorCode::unsupported, "the transpose of a scaled DFT; expand it first");
}
template <class Half>
  requires std::same_as<Half, HalfDft> || std::same_as<Half, InverseHalfDft>
Formula transposed(const Half&) {
  throw Error(ErrorCode::unsupported, "the transpose of half a DFT; write it as a RealDft");
}

Formula transposed(const StridePermutation& p) { return stride_permutation(p.n, p.n / p.stride); }

Formula transposed(const Permutation& p) {
  std::vector<Index> source(p.source.size());
  for (std::size_t i = 0; i < source.size(); ++i) source[p.source[i]] = static_cast<Index>(i);
  return permutation(std::move(source));
}

Formula transposed(const Dense& m) {
  std::vector<Complex> values;
  for (Index j = 0; j < m.columns; ++j)
    for (Index i = 0; i < m.rows; ++i) values.push_back(m.values[i * m.columns + j]);
  return dense(m.columns, m.rows, std::move(values));
}

Formula transposed(const Sparse& m) {
  std::vector<std::vector<Sparse::Entry>> rows(m.columns);
  for (Index i = 0; i < std::ssize(m.rows); ++i)
    for (const Sparse::Entry& entry : m.rows[i]) rows[entry.column].push_back({i, entry.value});
  return sparse(std::ssize(m.rows), std::move(rows));
}

Formula transposed(const Gather& g) {
  return transposed(Sparse{g.rule->columns(), sparse_rows(g)});
}
Formula transposed(const Tensor& t) { return tensor(mapped(t.factors, transpose)); }
Formula transposed(const DirectSum& s) { return direct_sum(mapped(s.terms, transpose)); }
Formula transposed(const Compose& c) {
  std::vector<Formula> factors = mapped(c.factors, transpose);
  std::ranges::reverse(factors);
  return compose(std::move(factors));
}

/// DFT, DHT, identities and diagonals are symmetric.
template <class Symmetric>
Formula transposed(const Symmetric& node) {
  return node;
}

void conjugate_all(std::vector<Complex>& values) {
  for (Complex& value : values) value = std::conj(value);
}

Formula conjugated(const Dft& t) { return compose({index_reversal(t.n), t}); }
Formula conjugated(const ScaledDft&) {
  throw Error(ErrorCode::unsupported, "the conjugate of a scaled DFT; expand it first");
}
template <class Half>
  requires std::same_as<Half, HalfDft> || std::same_as<Half, InverseHalfDft>
Formula conjugated(const Half&) {
  throw Error(ErrorCode::unsupported, "the conjugate of half a DFT; write it as a RealDft");
}
Formula conjugated(const Twiddles& t) {
  std::vector<Complex> values;
  for (const auto& row : sparse_rows(t)) values.push_back(std::conj(row.front().value));
  return diagonal(std::move(values));
}
Formula conjugated(Diagonal d) {
  conjugate_all(d.values);
  return d;
}
Formula conjugated(Dense m) {
  conjugate_all(m.values);
  return m;
}
Formula conjugated(Sparse m) {
  for (auto& row : m.rows)
    for (Sparse::Entry& entry : row) entry.value = std::conj(entry.value);
  return m;
}
Formula conjugated(const Gather& g) {
  return conjugated(Sparse{g.rule->columns(), sparse_rows(g)});
}
Formula conjugated(const Tensor& t) { return tensor(mapped(t.factors, conjugate)); }
Formula conjugated(const DirectSum& s) { return direct_sum(mapped(s.terms, conjugate)); }
Formula conjugated(const Compose& c) { return compose(mapped(c.factors, conjugate)); }
template <class Real>
Formula conjugated(const Real& node) {
  return node;
}

}  // namespace

Formula transpose(const Formula& formula) {
  return std::visit([](const auto& node) { return transposed(node); }, formula.node());
}

Formula conjugate(const Formula& formula) {
  return std::visit([](const auto& node) { return conjugated(node); }, formula.node());
}

Formula adjoint(const Formula& formula) { return conjugate(transpose(formula)); }

Formula index_reversal(Index n) {
  std::vector<Index> source(n, 0);
  for (Index i = 1; i < n; ++i) source[i] = n - i;
  return permutation(std::move(source));
}

}  // namespace weft::formula
