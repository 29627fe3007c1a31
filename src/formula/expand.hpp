// SPDX-License-Identifier: BSD-3-Clause
// From a transform to formulas that can be computed: applies the breakdown rules until only
// terminals are left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

/// One rule's answer for one transform.
struct Candidate {
  std::string rule;
  Formula formula;
};

/// Every rule applied once to a transform; empty for DFT(1), DFT(2) and other leaves, and for
/// formulas that are not a transform.
std::vector<Candidate> candidates(const Formula& transform);

/// Up to `limit` different terminal formulas equal to the given one, the first rules first. Every
/// combination of rules is an alternative, so the limit is reached soon.
std::vector<Formula> expansions(const Formula& formula, std::size_t limit);

/// What straight-line code should have few of.
enum class Objective {
  instructions,  ///< a multiplication fused with its addition counts once (FMA)
  operations,    ///< additions and multiplications count one each
};

/// A terminal formula equal to DFT(n) meant for straight-line code: Good-Thomas over coprime
/// factors, split radix (for fewest operations its tangent form) for powers of two, symmetric forms
/// for odd primes.
Formula expand_best(Index n, Objective objective = Objective::instructions);

/// Every transform inside the formula expanded in this way; real, trigonometric and Hartley
/// transforms by the cheapest of their rules.
Formula expand_best(const Formula& formula, Objective objective = Objective::instructions);

}  // namespace weft::formula
