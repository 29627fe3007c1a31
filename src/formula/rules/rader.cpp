// SPDX-License-Identifier: BSD-3-Clause
// Rader's rule: modulo a prime the nonzero indices are the powers of a generator g, which turns the
// DFT into a cyclic convolution of length p - 1.
#include <iterator>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/formula.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// Powers 1, b, b^2, ... of b modulo p, one for each nonzero residue.
std::vector<Index> powers(Index b, Index p) {
  std::vector<Index> result(p - 1, 1);
  for (Index i = 1; i < p - 1; ++i) result[i] = multiply_mod(result[i - 1], b, p);
  return result;
}

/// Spectrum of the kernel w^(g^i), divided by p - 1 for the inverse transform that follows.
std::vector<Complex> kernel_spectrum(const std::vector<Index>& power, Index p) {
  const Index m = p - 1;
  std::vector<Complex> spectrum(m);
  for (Index k = 0; k < m; ++k) {
    for (Index i = 0; i < m; ++i)
      spectrum[k] += root_of_unity(p, power[i]) * root_of_unity(m, multiply_mod(i, k, m));
    spectrum[k] /= static_cast<long double>(m);
  }
  return spectrum;
}

/// (x0, A) -> (x0 + A0, x0 - A0 / m, B1 A1, ...): the product of the spectra. The kernel sums to
/// -1, and x0 enters at frequency 0 because every output gets it.
Formula spectral_product(const std::vector<Complex>& spectrum) {
  const Index m = std::ssize(spectrum);
  std::vector<std::vector<Sparse::Entry>> rows{{{0, 1}, {1, 1}},
                                               {{0, 1}, {1, -1.0L / static_cast<long double>(m)}}};
  for (Index k = 1; k < m; ++k) rows.push_back({{k + 1, spectrum[k]}});
  return sparse(m + 1, std::move(rows));
}

}  // namespace

/// Rader, p prime:  DFT(p) = Q^T . (I(1) + DFT(p-1)) . E . (I(1) + DFT(p-1)) . P
/// P reads x0, then x[g^-i]; Q^T writes the second transform's output k to y[g^-k] (the reversal of
/// an inverse DFT is in that minus sign); E multiplies the spectra.
std::vector<Formula> rader(const Dft& transform) {
  const Index p = transform.n;
  if (p < 3 || !is_prime(p)) return {};
  const Index g = primitive_root(p);
  const std::vector<Index> inverse = powers(inverse_mod(g, p), p);
  std::vector<Index> input{0}, output(p);
  for (Index i = 0; i < p - 1; ++i) {
    input.push_back(inverse[i]);
    output[inverse[i]] = i + 1;
  }
  const Formula stage = direct_sum({identity(1), dft(p - 1)});
  return {compose({permutation(std::move(output)), stage,
                   spectral_product(kernel_spectrum(powers(g, p), p)), stage,
                   permutation(std::move(input))})};
}

}  // namespace weft::formula
