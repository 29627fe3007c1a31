// SPDX-License-Identifier: BSD-3-Clause
// What a plan needs in memory, known before anything is built: a plan that cannot exist on this
// machine is refused at once. All figures are lower bounds, so nothing that works is refused.
#pragma once

#include "local/array/array_recipe.hpp"

namespace weft::local {

/// Bytes that an engine has: tables for its life, and a workspace while it runs.
struct Footprint {
  double tables = 0, workspace = 0;
};
Footprint least_footprint(const AxisRecipe& recipe, Precision precision);

/// Whether the recipe could run on a machine with this much memory.
bool fits_memory(const AxisRecipe& recipe, Precision precision, double memory_bytes);

/// Throws weft::Error (out_of_memory) when no recipe can do one line of n complex points: each has
/// two reals per point in its tables or its workspace. Looks at no factors of n.
void require_line_memory(Index n, Precision precision, double memory_bytes);
/// Throws weft::Error (out_of_memory) when the plan of this recipe cannot be held.
void require_memory(const ArrayRecipe& recipe, Precision precision, double memory_bytes);

/// Memory and swap of this machine; infinite where the system does not say.
double memory_of_this_machine();

}  // namespace weft::local
