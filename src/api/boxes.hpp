// SPDX-License-Identifier: BSD-3-Clause
// The boxes of one side of a distributed array, as a plan takes them from its caller.
#pragma once

#include "reshape/messages.hpp"
#include "reshape/piece.hpp"
#include "weft/comm.hpp"

namespace weft::api {

struct CheckedBoxes {
  std::vector<reshape::Piece> pieces;       ///< of this rank, in the memory that was named
  reshape::ArrayDistribution distribution;  ///< of all ranks, without empty boxes
};

/// Collective. Throws weft::Error, on all ranks the same, where a rank's boxes cannot lie in memory
/// as they are said to. Boxes that are written must lie apart, so those in Memory::output; boxes
/// that are only read may share memory.
CheckedBoxes check_boxes(const Comm& comm, const LocalBoxes& mine, reshape::Memory memory,
                         Index element_bytes);

/// Collective. A number that differs when any rank's boxes, or where they lie in memory, differ.
std::string storage_key(const Comm& comm, const std::vector<reshape::Piece>& pieces);

}  // namespace weft::api
