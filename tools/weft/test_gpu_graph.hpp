// SPDX-License-Identifier: BSD-3-Clause
// Transforms captured into a CUDA graph; part of weft test-gpu.
#pragma once

namespace weft::tool {

/// Captures transforms of one, two and three passes, replays each graph and compares with a plain
/// execution, bit by bit. Returns the failures.
int test_graphs();

}  // namespace weft::tool
