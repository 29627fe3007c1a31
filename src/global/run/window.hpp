// SPDX-License-Identifier: BSD-3-Clause
// Window: the memory of distributed arrays. The parts of a node's ranks are one block that all of
// them have mapped, so that every rank reaches the others' parts from its own.
#pragma once

#include <cstdint>
#include <memory>

#include "base/buffer.hpp"
#include "reshape/piece.hpp"
#include "weft/comm.hpp"
#include "weft/distributed_array.hpp"

namespace weft::global {

class Window final : public DistributedMemory {
 public:
  /// Collective; throws on all ranks or on none.
  static std::shared_ptr<Window> make(Index bytes, const Comm& comm);

  /// The same on the ranks that made it together, and on no others.
  std::uint64_t id() const { return id_; }
  /// From the start of the node's block to this rank's part.
  Index offset() const { return offset_; }

 private:
  std::unique_ptr<SharedMemory> shared_;
  Buffer<std::byte> own_;
  std::uint64_t id_ = 0;
  Index offset_ = 0;
};

/// Collective. The pieces of all ranks, with offsets from this rank's part; empty where the ranks
/// do not reach each other, or where there are too many pieces to look through. Throws weft::Error
/// on all ranks if they did not make the window together, or if a piece does not lie in it.
std::vector<reshape::Piece> reached_pieces(const Comm& comm,
                                           const std::vector<reshape::Piece>& mine,
                                           const Window& window, Index element_bytes);

}  // namespace weft::global
