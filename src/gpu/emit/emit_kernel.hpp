// SPDX-License-Identifier: BSD-3-Clause
// A pass as CUDA text. The same text compiles as plain C++, where threads and blocks are loops: so
// the index arithmetic is tested where there is no GPU.
#pragma once

#include <string>

#include "gpu/recipe/tables.hpp"
#include "gpu/recipe/tile_geometry.hpp"

namespace weft::gpu {

/// Defines `extern "C" __global__ void weft_pass(const Input* in, Output* out,
/// const Complex* tables, Real scale)`; on the host `extern "C" void weft_pass_on_host` of the same
/// arguments, as void pointers and double.
std::string emit_kernel(const TilePass& pass, const Geometry& geometry, const Tables& tables);

}  // namespace weft::gpu
