// SPDX-License-Identifier: BSD-3-Clause
// The numbers lane plans carry: twiddles per pass, Rader's permutations, Bluestein's chirp, and the
// spectra of the convolutions' fixed factors.
#pragma once

#include <complex>
#include <vector>

#include "local/lane_recipe.hpp"
#include "weft/types.hpp"

namespace weft::local {

using LongComplex = std::complex<long double>;

/// Appends w_n^(k i), i = 1..radix-1 (conjugated for backward) and returns where they start.
template <class Real>
Index append_twiddles(std::vector<Real>& table, Index n, Index k, int radix, Direction direction);

struct RaderTables {
  std::vector<Index> input;           // row of x for a[q]: g^q
  std::vector<Index> output;          // row of X for c[q]: g^-q
  std::vector<LongComplex> spectrum;  // DFT of b over (p - 1)
};
RaderTables rader_tables(const LaneRecipe& recipe);

struct BluesteinTables {
  std::vector<LongComplex> chirp;     // n values
  std::vector<LongComplex> spectrum;  // m values, divided by m
  void conjugate();
};
BluesteinTables bluestein_tables(const LaneRecipe& recipe);

/// DFT of one sequence at plan time; long double for short ones, else f64 by the given recipe.
std::vector<LongComplex> transform_of(const std::vector<LongComplex>& x, const LaneRecipe& recipe);

}  // namespace weft::local
