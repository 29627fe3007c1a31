// SPDX-License-Identifier: BSD-3-Clause
// Several fields in one distributed plan: their number is a dimension before all others, along
// which nothing is cut, so that one exchange carries all of them. One field has no such dimension.
#pragma once

#include <array>
#include <memory>

#include "global/run/rank_device.hpp"
#include "weft/spectral.hpp"

namespace weft::spectral {

Box of_all_fields(const Box& box, int fields);
Box of_one_field(const Box& box, int fields);
/// Whether the stage transforms dimension `d` of a field.
bool has_axis(const global::StageProblem& stage, int d, int fields);

Transform of_all_fields(Transform transform, int fields);
global::Recipe of_all_fields(global::Recipe recipe, int fields);
reshape::ArrayDistribution of_all_fields(const reshape::ArrayDistribution& boxes, int fields);
/// Of arrays that do not lie side by side: the pieces of each field count from that field's own.
std::vector<reshape::Piece> of_all_fields(const std::vector<reshape::Piece>& pieces, int fields);

/// The arrays of the fields in the execution that is under way.
using FieldArrays = std::array<std::byte*, max_operator_fields>;

/// A stage that reads the arrays of all fields (side: input) or writes them (output), field by
/// field. Throws on this rank alone.
std::unique_ptr<global::RunnableStage> make_field_stages(const global::RankDevice& device,
                                                         const global::StageProblem& problem,
                                                         const global::StageOptions& options,
                                                         reshape::Memory side,
                                                         std::shared_ptr<const FieldArrays> arrays);

}  // namespace weft::spectral
