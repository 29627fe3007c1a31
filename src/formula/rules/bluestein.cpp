// SPDX-License-Identifier: BSD-3-Clause
// Bluestein's rule: jk = (j^2 + k^2 - (k-j)^2) / 2 turns a DFT of any length into a convolution
// with a chirp, done cyclically at any convenient length m >= 2n - 1.
#include <bit>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/formula.hpp"
#include "formula/rules/rules.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

/// w_(2n)^(k^2)
Complex chirp(Index n, Index k) { return root_of_unity(2 * n, multiply_mod(k, k, 2 * n)); }

/// The spectrum of the conjugate chirp on -n < k < n, divided by m for the inverse transform.
std::vector<Complex> chirp_spectrum(Index n, Index m) {
  std::vector<Complex> spectrum(m);
  for (Index k = 0; k < m; ++k) {
    Complex sum = std::conj(chirp(n, 0));
    for (Index j = 1; j < n; ++j)
      sum += std::conj(chirp(n, j)) * 2.0L * root_of_unity(m, multiply_mod(j, k, m)).real();
    spectrum[k] = sum / static_cast<long double>(m);
  }
  return spectrum;
}

Formula convolve_at_length(Index n, Index m) {
  std::vector<Complex> chirps;
  std::vector<std::vector<Sparse::Entry>> padding(m), selection(n);
  for (Index k = 0; k < n; ++k) {
    chirps.push_back(chirp(n, k));
    padding[k] = {{k, 1}};
    selection[k] = {{(m - k) % m, 1}};  // the second transform runs backward: its index is negated
  }
  const Formula modulation = diagonal(std::move(chirps));
  return compose({modulation, sparse(m, std::move(selection)), dft(m),
                  diagonal(chirp_spectrum(n, m)), dft(m), sparse(n, std::move(padding)),
                  modulation});
}

}  // namespace

/// Bluestein:  DFT(n) = D . S . DFT(m) . diag(b) . DFT(m) . E . D,  D = diag(w_(2n)^(k^2)),
/// E pads n to m, S selects; m the next product of 2, 3, 5 and the next power of two from 2n - 1.
std::vector<Formula> bluestein(const Dft& transform) {
  const Index n = transform.n;
  if (n < 3) return {};  // nothing smaller to gain
  const Index smooth = next_smooth(2 * n - 1);
  const auto power = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  std::vector<Formula> choices{convolve_at_length(n, smooth)};
  if (power != smooth) choices.push_back(convolve_at_length(n, power));
  return choices;
}

}  // namespace weft::formula
