// SPDX-License-Identifier: BSD-3-Clause
// What plans share with plans made before them: the engines of axes with their tables, and the
// recipes that the cost model chose. Neither changes what a plan computes: an engine is its recipe
// and its problem made ready, and the model answers the same question in the same way. Wisdom is
// asked before, so what is loaded later is honoured.
#pragma once

#include <functional>

#include "local/array/array_recipe.hpp"
#include "local/axis/axis_engine.hpp"

namespace weft::local {

/// As make_axis_engine(), or the same engine again.
template <class Real>
std::shared_ptr<const AxisEngine<Real>> shared_axis_engine(const AxisRecipe& recipe,
                                                           const AxisProblem& problem);

/// What `choose` returns for the question of this name, or returned before.
ArrayRecipe remembered_recipe(const std::string& question,
                              const std::function<ArrayRecipe()>& choose);

/// Forgets everything; plans keep what they use.
void forget_plans();
/// Engines and recipes that are kept now.
std::size_t remembered_plans();

}  // namespace weft::local
