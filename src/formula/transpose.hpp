// SPDX-License-Identifier: BSD-3-Clause
// The transposed, conjugated and adjoint formula: identities (7), (8) and (10) of the Spiral paper,
// and for transforms the transforms that they turn into.
#pragma once

#include "formula/formula.hpp"

namespace weft::formula {

/// weft::Error for ScaledDft, whose transpose is none of the transforms.
Formula transpose(const Formula& formula);

/// Every entry conjugated; DFT(n) becomes DFT(n) followed by the reversal of the indices 1 .. n-1.
Formula conjugate(const Formula& formula);

Formula adjoint(const Formula& formula);

/// y[0] = x[0], y[i] = x[n-i]: the permutation between a forward and a backward DFT.
Formula index_reversal(Index n);

}  // namespace weft::formula
