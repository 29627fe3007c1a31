// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "gpu/tile_pass.hpp"

namespace weft::gpu {

/// Real, Complex, Input, Output, load, store, entering, leaving, peer and the barriers of clusters.
std::string emit_preamble(const TilePass& pass);

}  // namespace weft::gpu
