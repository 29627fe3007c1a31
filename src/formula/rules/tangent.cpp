// SPDX-License-Identifier: BSD-3-Clause
// The modified split radix of Johnson and Frigo 2007: sub-transforms of the odd indices come
// divided by scales s(n,k), so that their twiddles are t(n,k) = w^k s(n/4,k) / s(n,k), whose larger
// part is +-1. The scales saved at one level are paid back only where they cost less.
#include <bit>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "formula/formula.hpp"
#include "formula/matrix.hpp"
#include "formula/rules/normalized_root.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// What a level asks of the even half, and which scale of its own rows it applies late.
int even_level(int level) { return level == 0 ? 0 : level == 2 ? 4 : 2; }

/// Scale of odd row k (first the sums, then the differences) after the butterfly.
long double odd_scale(const ScaledDft& t, Index k) {
  const Index quarter = t.n / 4;
  if (t.level == 0) return tangent_scale(t.n, k % quarter);
  if (t.level == 2) return tangent_scale(t.n, k % quarter) / tangent_scale(2 * t.n, k);
  return 1;
}

Formula odd_half(const ScaledDft& t) {
  const Index quarter = t.n / 4;
  std::vector<Complex> direct, conjugate, scales;
  for (Index k = 0; k < quarter; ++k) {
    direct.push_back(normalized_root(t.n, k).direction);
    conjugate.push_back(std::conj(direct.back()));
  }
  for (Index k = 0; k < 2 * quarter; ++k) scales.push_back(odd_scale(t, k));
  return compose({diagonal(std::move(scales)),
                  tensor({dense(2, 2, {1, 1, Complex(0, -1), Complex(0, 1)}), identity(quarter)}),
                  direct_sum({diagonal(std::move(direct)), diagonal(std::move(conjugate))})});
}

Formula conjugate_pair_input(Index n) {
  std::vector<Index> source;
  for (Index j = 0; j < n / 2; ++j) source.push_back(2 * j);
  for (Index j = 0; j < n / 4; ++j) source.push_back(4 * j + 1);
  for (Index j = 0; j < n / 4; ++j) source.push_back((4 * j - 1 + n) % n);
  return permutation(std::move(source));
}

/// The last factor of level 4: s(n,k) / s(4n,k) on every row.
Formula output_scales(Index n) {
  std::vector<Complex> scales;
  for (Index k = 0; k < n; ++k) scales.push_back(tangent_scale(n, k) / tangent_scale(4 * n, k));
  return diagonal(std::move(scales));
}

/// n = 1 or 2: the plain DFT with its rows divided.
Formula scaled_leaf(const ScaledDft& t) {
  std::vector<Complex> scales;
  for (Index k = 0; k < t.n; ++k)
    scales.push_back(t.level == 0 ? 1 : 1 / tangent_scale(t.n * t.level, k));
  return compose({diagonal(std::move(scales)), dft(t.n)});
}

}  // namespace

/// Tangent, n a power of two:
/// SDFT(n,l) = [S] . (DFT(2) x I(n/2)) . (I(n/2) + C . ([1 1; -i i] x I(n/4)) . (t + t^*))
///             . (SDFT(n/2,l') + SDFT(n/4,1) + SDFT(n/4,1)) . P
std::vector<Formula> tangent(const ScaledDft& transform) {
  const auto [n, level] = transform;
  if (!std::has_single_bit(static_cast<std::uint64_t>(n))) return {};
  if (n < 4) return {scaled_leaf(transform)};
  std::vector<Formula> factors{tensor({dft(2), identity(n / 2)}),
                               direct_sum({identity(n / 2), odd_half(transform)}),
                               direct_sum({scaled_dft(n / 2, even_level(level)),
                                           scaled_dft(n / 4, 1), scaled_dft(n / 4, 1)}),
                               conjugate_pair_input(n)};
  if (level == 4) factors.insert(factors.begin(), output_scales(n));
  return {compose(std::move(factors))};
}

/// The way into the tangent algorithm: DFT(n) = SDFT(n,0).
std::vector<Formula> tangent(const Dft& transform) {
  const Index n = transform.n;
  if (n < 4 || !std::has_single_bit(static_cast<std::uint64_t>(n))) return {};
  return {scaled_dft(n, 0)};
}

}  // namespace weft::formula
