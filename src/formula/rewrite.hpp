// SPDX-License-Identifier: BSD-3-Clause
// Rewriting to normal form: a flat product of factors I(a) x A x I(b), without factors that do
// nothing. Identities that a derivation applies in a direction of its choice are in identities.hpp.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "formula/formula.hpp"

namespace weft::formula {

/// A rule looks at the root of a formula and returns its replacement, or nothing.
struct RewriteRule {
  const char* name;
  std::optional<Formula> (*apply)(const Formula& formula);
};

/// The table of rules that define the normal form, in the order in which they are tried.
std::span<const RewriteRule> normal_form_rules();

/// Applies the rules everywhere until none applies. Terminates: every rule removes nodes, except
/// that tensor products are distributed over products, which no rule undoes.
Formula normal_form(const Formula& formula);

/// One pass from the leaves to the root: each subformula for which `rule` has a replacement gets
/// it.
Formula rewrite_everywhere(const Formula& formula,
                           const std::function<std::optional<Formula>(const Formula&)>& rule);

}  // namespace weft::formula
