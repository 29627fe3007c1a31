// SPDX-License-Identifier: BSD-3-Clause
// Global recipes as text.
#pragma once

#include <optional>
#include <string>

#include "global/recipe/recipe.hpp"

namespace weft::global {

const char* to_string(Recipe::Strategy strategy);
const char* to_string(weft::Strategy strategy);
/// Nothing for automatic.
std::optional<ExchangeKind> kind_of(ExchangeAlgorithm algorithm);

/// "pencil: input[2] > 2x1x4[1] > output[0] by pipelined:4", "line 512x256: input[] > 1x4[0] >
/// ...". Then " tiles 262144", if tile_bytes is given, and the local transforms that are not the
/// cost model's choice: " with {c2c f64 forward 64:2:2 axes 0 threads 1 = axes 0: avx2:lines(64)}",
/// or "{... on 0,3 = ...}" for some ranks only.
std::string to_text(const Recipe& recipe);
/// Throws weft::Error (wisdom) if the text is not a recipe or has too many stages or chunks.
Recipe parse_recipe(const std::string& text);

}  // namespace weft::global
