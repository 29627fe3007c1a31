// SPDX-License-Identifier: BSD-3-Clause
// Split radix in two forms: classical (x[4j+1] and x[4j+3]) and conjugate-pair (x[4j+1] and
// x[4j-1], whose twiddles are conjugates of each other and so share their constants).
#include <complex>
#include <utility>
#include <vector>

#include "base/roots.hpp"
#include "formula/formula.hpp"
#include "formula/rules/normalized_root.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// Reads x[2j], then x[4j+1], then x[4j+third].
Formula split_input(Index n, Index third) {
  std::vector<Index> source;
  for (Index j = 0; j < n / 2; ++j) source.push_back(2 * j);
  for (Index j = 0; j < n / 4; ++j) source.push_back(4 * j + 1);
  for (Index j = 0; j < n / 4; ++j) source.push_back((4 * j + third + n) % n);
  return permutation(std::move(source));
}

/// The parts that both forms share around their twiddled odd half.
Formula split(Index n, Index third, const Formula& odd_half) {
  return compose({tensor({dft(2), identity(n / 2)}), direct_sum({identity(n / 2), odd_half}),
                  direct_sum({dft(n / 2), dft(n / 4), dft(n / 4)}), split_input(n, third)});
}

Formula odd_butterflies(Index quarter) {
  return tensor({dense(2, 2, {1, 1, Complex(0, -1), Complex(0, 1)}), identity(quarter)});
}

/// C . B . (t + t^*) with w^k = c[k] t[k]: both twiddles of a pair have the scale c[k], so it can
/// pass the butterfly B and ends up in the last addition. One part of t[k] is +-1.
Formula conjugate_pair_half(Index n) {
  std::vector<Complex> scales, direct, conjugate;
  for (Index k = 0; k < n / 4; ++k) {
    const NormalizedRoot root = normalized_root(n, k);
    scales.push_back(root.scale);
    direct.push_back(root.direction);
    conjugate.push_back(std::conj(root.direction));
  }
  return compose({tensor({identity(2), diagonal(std::move(scales))}), odd_butterflies(n / 4),
                  direct_sum({diagonal(std::move(direct)), diagonal(std::move(conjugate))})});
}

Formula classical_half(Index n) {
  std::vector<Complex> first, third;
  for (Index k = 0; k < n / 4; ++k) {
    first.push_back(root_of_unity(n, k));
    third.push_back(root_of_unity(n, 3 * k));
  }
  return compose({odd_butterflies(n / 4),
                  direct_sum({diagonal(std::move(first)), diagonal(std::move(third))})});
}

}  // namespace

/// Split radix, 4 | n; conjugate pair (c = -1, first) and classical (c = 3):
/// DFT(n) = (DFT(2) x I(n/2)) . (I(n/2) + ([1 1; -i i] x I(n/4)) . (D + D^c))
///          . (DFT(n/2) + DFT(n/4) + DFT(n/4)) . P,   D = diag(w^k)
/// [Yavne 1968; Kamar and Elcherif 1989]
std::vector<Formula> split_radix(const Dft& transform) {
  const Index n = transform.n;
  if (n % 4 != 0) return {};
  return {split(n, -1, conjugate_pair_half(n)), split(n, 3, classical_half(n))};
}

}  // namespace weft::formula
