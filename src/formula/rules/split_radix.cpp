// SPDX-License-Identifier: BSD-3-Clause
// Split radix in two forms: classical (x[4j+1] and x[4j+3]) and conjugate-pair (x[4j+1] and
// x[4j-1], whose twiddles are conjugates of each other and so share their constants).
#include <cmath>

#include "base/roots.hpp"
#include "formula/rules/rules.hpp"

namespace weft::formula {
namespace {

/// diag(values) with every (+-1 +- i)/sqrt(2) split into the exact +-1 +- i, which costs additions
/// only, and a real scale that follows it.
Formula cheap_diagonal(std::vector<Complex> values) {
  std::vector<Complex> scale(values.size(), 1);
  bool is_split = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long double re = values[i].real(), im = values[i].imag();
    if (re == 0 || std::abs(re) != std::abs(im)) continue;
    scale[i] = std::abs(re);
    values[i] = {re > 0 ? 1.0L : -1.0L, im > 0 ? 1.0L : -1.0L};
    is_split = true;
  }
  if (!is_split) return diagonal(std::move(values));
  return compose({diagonal(std::move(scale)), diagonal(std::move(values))});
}

/// Reads x[2j], then x[4j+1], then x[4j+third].
Formula split_input(Index n, Index third) {
  std::vector<Index> source;
  for (Index j = 0; j < n / 2; ++j) source.push_back(2 * j);
  for (Index j = 0; j < n / 4; ++j) source.push_back(4 * j + 1);
  for (Index j = 0; j < n / 4; ++j) source.push_back((4 * j + third + n) % n);
  return permutation(std::move(source));
}

Formula split(Index n, Index third) {
  const Index quarter = n / 4;
  std::vector<Complex> first, second;
  for (Index k = 0; k < quarter; ++k) {
    first.push_back(root_of_unity(n, k));
    second.push_back(root_of_unity(n, third * k));
  }
  const Formula odd_butterfly = dense(2, 2, {1, 1, Complex(0, -1), Complex(0, 1)});
  const Formula twiddled = direct_sum(
      {identity(n / 2), cheap_diagonal(std::move(first)), cheap_diagonal(std::move(second))});
  return compose({tensor({dft(2), identity(n / 2)}),
                  direct_sum({identity(n / 2), tensor({odd_butterfly, identity(quarter)})}),
                  twiddled, direct_sum({dft(n / 2), dft(quarter), dft(quarter)}),
                  split_input(n, third)});
}

}  // namespace

/// Split radix, 4 | n, c = -1 (conjugate pair, first) or 3 (classical):
/// DFT(n) = (DFT(2) x I(n/2)) . (I(n/2) + ([1 1; -i i] x I(n/4))) . (I(n/2) + D + D^c)
///          . (DFT(n/2) + DFT(n/4) + DFT(n/4)) . P,   D = diag(w^k)
/// [Yavne 1968; Kamar and Elcherif 1989]
std::vector<Formula> split_radix(const Dft& transform) {
  if (transform.n % 4 != 0) return {};
  return {split(transform.n, -1), split(transform.n, 3)};
}

}  // namespace weft::formula
