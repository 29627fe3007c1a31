// SPDX-License-Identifier: BSD-3-Clause
// The breakdown rules, one per file: each takes a transform and returns formulas that are equal to
// it and contain smaller or simpler transforms; none if the rule does not apply.
#pragma once

#include <vector>

#include "formula/formula.hpp"

namespace weft::formula {

std::vector<Formula> cooley_tukey(const Dft& transform);
std::vector<Formula> six_step(const Dft& transform);
std::vector<Formula> paired_cooley_tukey(const Dft& transform);
std::vector<Formula> good_thomas(const Dft& transform);
std::vector<Formula> split_radix(const Dft& transform);
std::vector<Formula> tangent(const Dft& transform);
std::vector<Formula> tangent(const ScaledDft& transform);
std::vector<Formula> rader(const Dft& transform);
std::vector<Formula> bluestein(const Dft& transform);
std::vector<Formula> symmetric_prime(const Dft& transform);

std::vector<Formula> real_split_radix(const RealDft& transform);
std::vector<Formula> real_split_radix(const InverseRealDft& transform);
std::vector<Formula> real_two_stage(const RealDft& transform);
std::vector<Formula> real_two_stage(const InverseRealDft& transform);
std::vector<Formula> real_prime(const RealDft& transform);
std::vector<Formula> real_prime(const InverseRealDft& transform);

std::vector<Formula> reduce_trigonometric(const Trigonometric& transform);
std::vector<Formula> reduce_hartley(const Dht& transform);

}  // namespace weft::formula
