// SPDX-License-Identifier: BSD-3-Clause
// Whether a recipe for an axis, which may be text from anywhere, computes a problem here.
#pragma once

#include "local/axis/axis_engine.hpp"

namespace weft::local {

/// Can the recipe be built for the problem, by this build and on this CPU, and does it compute the
/// problem? Then make_axis_engine() builds it. `precision` is that of the arithmetic.
bool fits(const AxisRecipe& recipe, const AxisProblem& problem, Precision precision);

/// Can lanes store past the caches? They must be neighbours, and rows must be whole cache lines
/// apart. The array may begin anywhere.
bool admits_streamed_lanes(const AxisProblem& problem, Precision precision);

}  // namespace weft::local
