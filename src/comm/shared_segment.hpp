// SPDX-License-Identifier: BSD-3-Clause
// Memory shared by the processes of one node.
#pragma once

#include <cstddef>
#include <memory>

#include "weft/comm.hpp"

namespace weft {

/// Collective over `node`, whose ranks may be processes. Every page is reserved before any is
/// touched. Returns null on all ranks if memory is short or the processes cannot open each other's
/// files. Each rank reserves its own part, so that this part lies in memory near that rank (NUMA).
std::unique_ptr<SharedMemory> make_shared_segment(const Comm& node, std::size_t bytes);

}  // namespace weft
