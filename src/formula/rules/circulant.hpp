// SPDX-License-Identifier: BSD-3-Clause
// What the prime rules for complex and for real data share: modulo a prime p, in the order of a
// generator's powers, the cosines form a circulant and the sines a skew-circulant matrix of size
// (p-1)/2.
#pragma once

#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

using Reals = std::vector<long double>;

/// h = (p-1)/2 powers a_i = g^i of a generator, one of each pair +-a, and their waves.
struct PrimeOrder {
  explicit PrimeOrder(Index p);

  Index p;
  std::vector<Index> order;
  Reals cosines, sines;  ///< cos and sin of 2 pi a_i / p
};

/// [1 b..b; 1 C] with C[i,j] = c[(i+j) mod h]: input 0 joins every output of the circulant, and b
/// times the sum of the others joins output 0. Even sizes are halved, as often as possible, by
/// C = (DFT(2) x I) . (C+ + C-) . (DFT(2) x I).
Formula bordered_circulant(const Reals& c, long double border);

/// S[i,j] = +-c[(i+j) mod h], negative where the index wraps.
Formula skew_circulant(const Reals& c);

/// x -> (x0, x[a_i] + x[p-a_i] ..., x[a_i] - x[p-a_i] ...)
Formula symmetric_parts(const PrimeOrder& prime);

}  // namespace weft::formula
