// SPDX-License-Identifier: BSD-3-Clause
// Rewriting to normal form: a product of I(a) x A x I(b), nothing nested that can be flat, nothing
// there that does nothing. Identities that help only in one direction at a time are in
// identities.hpp.
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

/// Applies the rules everywhere until none applies. Terminates: the rules remove nodes, but for the
/// distribution of tensor products over products, which moves products towards the root for good.
Formula normal_form(const Formula& formula);

/// One pass from the leaves to the root: each subformula for which `rule` has a replacement gets
/// it.
Formula rewrite_everywhere(const Formula& formula,
                           const std::function<std::optional<Formula>(const Formula&)>& rule);

}  // namespace weft::formula
