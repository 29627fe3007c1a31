// SPDX-License-Identifier: BSD-3-Clause
// Transforms captured into a CUDA graph; part of weft test-gpu.
#pragma once

#include <functional>

#include "gpu/device/driver.hpp"

namespace weft::tool {

/// Captures what `execute` puts on a stream into a graph and runs that twice.
void replay_as_graph(const std::function<void(gpu::Stream)>& execute);

/// Captures transforms of one, two and three passes, replays each graph and compares with a plain
/// execution, bit by bit. Returns the failures.
int test_graphs();

}  // namespace weft::tool
