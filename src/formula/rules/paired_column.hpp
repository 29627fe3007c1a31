// SPDX-License-Identifier: BSD-3-Clause
// One twiddled column of the paired Cooley-Tukey rule (paired_cooley_tukey.cpp); the rules for real
// data use it as well.
#pragma once

#include "formula/formula.hpp"

namespace weft::formula {

/// From v[0], v[1], v[-1], v[2], ... at frequency k of DFT(n/r), r odd, to y[k + (n/r) l], l < r:
/// y = sum over a of w_n^(ak) w_r^(al) v[a].
Formula paired_column(Index n, Index r, Index k);

/// The subsequence at position i of 0, 1, -1, 2, -2, ...
constexpr Index paired_offset(Index i) { return i % 2 == 1 ? (i + 1) / 2 : -i / 2; }

}  // namespace weft::formula
