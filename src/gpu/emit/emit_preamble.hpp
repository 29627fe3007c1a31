// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

/// Real, Complex, how they are stored (StoredReal, StoredComplex), load and store.
std::string emit_numbers(Precision precision);
/// Sums and products of Complex, constant().
std::string emit_arithmetic();

/// The same, and Input, Output, entering, leaving, peer and the barriers of clusters.
std::string emit_preamble(const TilePass& pass);
/// Of a tile that is read as one pass does and written as another.
std::string emit_preamble(const TilePass& reads, const TilePass& writes);

}  // namespace weft::gpu
