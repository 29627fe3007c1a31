// SPDX-License-Identifier: BSD-3-Clause
// Forward transform, a function of the modes, backward transform, in fewer passes than they take
// one after another. The last forward pass is turned around: where a tile has its modes in
// registers the function is applied, and the same tile is transformed back by the reversed stages
// and written to where it was read. The passes before it follow once more, mirrored. Of several
// fields a block holds the same tile side by side: the passes before go over one input after
// another, the turned one reads all of them and writes all outputs.
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

struct FieldCount {
  int inputs = 1, outputs = 1;
  int most() const { return inputs > outputs ? inputs : outputs; }
};

struct OperatorRecipe {
  std::vector<PlacedPass> before;
  TurnedPass turned;
  Place from = Place::input, to = Place::output;  ///< of the turned pass
  std::vector<PlacedPass> after;
  FieldCount fields = {};
  /// Complex numbers of one array in the workspace and in scratch, and of a spare array: an input
  /// whose number no output has keeps its spectrum there.
  Index workspace_elements = 0, scratch_elements = 0, spare_elements = 0;

  /// How many arrays the workspace or scratch has: one per field where the turned pass reads or
  /// writes fields there. For the output: the number of spare arrays.
  int arrays(Place place) const;
  /// How often all fields go through memory.
  double passes() const;
};

/// Of a recipe for the forward transform of a contiguous array; nothing if its last pass cannot
/// be turned around. Of a padded one the output of the operator has the extents of its input.
std::optional<OperatorRecipe> operator_recipe(const Recipe& forward, const ArrayProblem& problem,
                                              const FieldCount& fields = {});
/// Whether a block has the registers and the shared memory for the tiles of all fields.
bool holds_all_fields(const OperatorRecipe& recipe, const DeviceNumbers& numbers);

double bytes_of(const OperatorRecipe& recipe);
double predicted_seconds(const OperatorRecipe& recipe, const DeviceNumbers& numbers);
std::string explain(const OperatorRecipe& recipe, const DeviceNumbers& numbers);

}  // namespace weft::gpu
