// SPDX-License-Identifier: BSD-3-Clause
// The numbers lane plans carry: twiddles per pass, Rader's permutations, Bluestein's chirp, and the
// spectra of the convolutions' fixed factors.
#pragma once

#include <complex>
#include <vector>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/lane/lane_recipe.hpp"
#include "weft/types.hpp"

namespace weft::local {

using LongComplex = std::complex<long double>;

/// Appends w_n^(k i), i = 1..radix-1 (conjugated for backward) and returns where they start.
template <class Real>
Index append_twiddles(std::vector<Real>& table, Index n, Index k, int radix, Direction direction);

/// Rader's algorithm for the prime p: X[output[q]] = x[0] + sum x[input[q']] sequence[q - q'].
struct RaderTables {
  std::vector<Index> input;           // g^q
  std::vector<Index> output;          // g^-q
  std::vector<LongComplex> sequence;  // w^(g^-q)
};
RaderTables rader_tables(Index p);
/// visit(q, g^q, g^-q) for all q.
template <class Visit>
void walk_generator(Index p, Visit&& visit) {
  const Index g = primitive_root(p), inverse = inverse_mod(g, p);
  for (Index q = 0, up = 1, down = 1; q < p - 1; ++q) {
    visit(q, up, down);
    up = multiply_mod(up, g, p);
    down = multiply_mod(down, inverse, p);
  }
}

/// Bluestein's for any n over cyclic length m: X[k] = chirp[k] sum (x[j] chirp[j]) sequence[k-j].
struct BluesteinTables {
  std::vector<LongComplex> chirp;     // exp(-pi i j^2 / n), n values
  std::vector<LongComplex> sequence;  // its conjugate, wrapped around to m values
};
BluesteinTables bluestein_tables(Index n, Index m);
/// visit(j, chirp[j]) for all j.
template <class Visit>
void walk_chirp(Index n, Visit&& visit) {
  const RootPowers<long double> roots(2 * n);
  for (Index j = 0, square = 0; j < n; ++j) {
    visit(j, roots(square));
    square += 2 * j + 1;
    if (square >= 2 * n) square -= 2 * n;
  }
}

void conjugate(std::vector<LongComplex>& values);

/// DFT of a sequence divided by its length, at plan time: in long double for short ones, else in
/// f64 by the given recipe.
std::vector<LongComplex> spectrum_of(const std::vector<LongComplex>& sequence,
                                     const LaneRecipe& recipe);

}  // namespace weft::local
