// SPDX-License-Identifier: BSD-3-Clause
// What a distributed plan is asked for, besides the boxes: checks of its options, and the texts by
// which the ranks compare their requests and wisdom knows them.
#pragma once

#include <string>

#include "global/recipe/recipe.hpp"
#include "weft/distributed.hpp"

namespace weft::api {

/// What a recipe is for, in one line, without boxes and nodes. `any`: the planner chooses the
/// output.
std::string problem_text(const Transform& transform, const DistributedOptions& options, bool any);
/// Everything that must be equal on all ranks.
std::string text_of(const Transform& transform, const DistributedOptions& options, bool any);

/// These throw weft::Error.
void check_options(const DistributedOptions& options, bool any);
void check_split(const LineSplit& split, const global::GlobalProblem& problem);

/// c2r of a full spectrum reads half of it: the rest of the input boxes is left out, and the
/// problem is that of a half spectrum.
void take_half(global::GlobalProblem& problem, std::vector<reshape::Piece>& pieces);

}  // namespace weft::api
