// SPDX-License-Identifier: BSD-3-Clause
// Forward transform, a function of the modes, backward transform, in fewer passes than they take
// one after another. The last forward pass is turned around: where a tile has its modes in
// registers the function is applied, and the same tile is transformed back by the reversed stages
// and written to where it was read. The passes before it follow once more, mirrored.
#pragma once

#include <optional>
#include <vector>

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/problem.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// One pass over memory: `backward` has the radices and stages of `forward` reversed.
struct TurnedPass {
  TilePass forward, backward;
  friend bool operator==(const TurnedPass&, const TurnedPass&) = default;
};

struct OperatorRecipe {
  std::vector<PlacedPass> before;
  TurnedPass turned;
  Place from = Place::input, to = Place::output;  ///< of the turned pass
  std::vector<PlacedPass> after;
  Index workspace_elements = 0, scratch_elements = 0;

  int passes() const { return static_cast<int>(before.size() + after.size()) + 1; }
};

/// Of a recipe for the forward transform of one contiguous array; nothing if its last pass cannot
/// be turned around.
std::optional<OperatorRecipe> operator_recipe(const Recipe& forward, const ArrayProblem& problem);

double bytes_of(const OperatorRecipe& recipe);
double predicted_seconds(const OperatorRecipe& recipe, const DeviceNumbers& numbers);
std::string explain(const OperatorRecipe& recipe, const DeviceNumbers& numbers);

}  // namespace weft::gpu
