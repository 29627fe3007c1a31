// SPDX-License-Identifier: BSD-3-Clause
// A recipe at random among all that the planner considers for a problem, on any instruction set of
// this CPU: the model's first choice alone would leave most engines out.
#pragma once

#include "support/local_cases.hpp"

namespace weft::test {

/// As text, for PlanOptions::recipe.
std::string random_recipe(const LocalCase& c, std::uint64_t seed);

}  // namespace weft::test
