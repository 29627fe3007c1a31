// SPDX-License-Identifier: BSD-3-Clause
// The data flow of a product of formulas as a picture: wires for permutations, boxes for small
// transforms, dots for multiplications. Figure 3 of the Spiral paper, for any length and ranks.
#pragma once

#include <string>
#include <vector>

#include "formula/formula.hpp"

namespace weft::tool {

struct FlowStage {
  std::string name;  ///< "all-to-all"
  formula::Formula factor;
};

/// The factors of Eq. (19) for `points` on `ranks`, in the order in which they are applied; on one
/// rank the six steps of Eq. (14). `ranks` must divide both factors of the length.
std::vector<FlowStage> global_fft_stages(Index points, Index ranks);

/// At most 128 points.
std::string flow_svg(const std::string& title, const std::vector<FlowStage>& stages, Index ranks);

}  // namespace weft::tool
