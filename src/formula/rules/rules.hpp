// SPDX-License-Identifier: BSD-3-Clause
// The breakdown rules, one per file: each takes a transform and returns the formulas that equal it
// and hold smaller transforms, none where the rule does not apply.
#pragma once

#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

std::vector<Formula> cooley_tukey(const Dft& transform);
std::vector<Formula> good_thomas(const Dft& transform);
std::vector<Formula> paired_cooley_tukey(const Dft& transform);
std::vector<Formula> split_radix(const Dft& transform);
std::vector<Formula> rader(const Dft& transform);
std::vector<Formula> symmetric_prime(const Dft& transform);

}  // namespace weft::formula
