// SPDX-License-Identifier: BSD-3-Clause
// From a transform to formulas that can be computed: applies the breakdown rules until only
// terminals are left.
#pragma once

#include "formula/formula.hpp"

namespace weft::formula {

/// A terminal formula equal to DFT(n) of few operations, meant for straight-line code: Good-Thomas
/// over coprime factors, split radix for powers of two, symmetric forms for odd primes.
Formula expand_best(Index n);

/// Every transform inside the formula expanded so.
Formula expand_best(const Formula& formula);

}  // namespace weft::formula
