// SPDX-License-Identifier: BSD-3-Clause
// One axis after another, each in one pass or, where it exceeds a tile, in several parts; lengths
// with large prime factors as convolutions.
#pragma once

#include <optional>

#include "gpu/line_pass.hpp"

namespace weft::gpu {

/// Nothing where an axis cannot be done in the way that the options ask for.
std::optional<Recipe> axis_by_axis(const Problem& problem, const Limits& limits,
                                   const LineOptions& options);

}  // namespace weft::gpu
