// SPDX-License-Identifier: BSD-3-Clause
// What all exchanges by messages have in common: for each peer and chunk one block in the send
// buffer and one in the receive buffer.
#pragma once

#include <array>

#include "reshape/exchange.hpp"

namespace weft::reshape {

/// The blocks of a Traffic without gaps, ordered by chunk and peer; bytes_of(count, element_bytes)
/// is the length of one.
using BytesOf = Index (*)(Index count, Index element_bytes);
inline Index plain_bytes(Index count, Index element_bytes) { return count * element_bytes; }
std::vector<std::vector<Block>> dense_blocks(const Traffic& traffic, Index element_bytes,
                                             BytesOf bytes_of = plain_bytes);
/// One piece per part, at its place in the block.
std::vector<Piece> pieces_in(const Traffic& traffic, const std::vector<std::vector<Block>>& blocks,
                             Memory memory, Index element_bytes);

/// The part of all exchanges by messages that does not depend on the kind of messages.
class BlockExchange : public Exchange {
 public:
  BlockExchange(const Comm& comm, const ExchangeProblem& problem, BytesOf bytes_of = plain_bytes);

  std::vector<Piece> outgoing() const override;
  std::vector<Piece> incoming() const override;
  Index send_bytes() const override { return bytes_of(send_); }
  Index receive_bytes() const override { return bytes_of(receive_); }
  Index messages() const override { return outgoing_.messages(comm_.rank()); }
  std::vector<int> heard_peers() const override;
  Index message_bytes() const override;

 protected:
  using Blocks = std::vector<std::vector<Block>>;
  static Index bytes_of(const Blocks& blocks);
  static std::byte* base(const Bases& bases, Memory memory) {
    return bases[static_cast<std::size_t>(memory)];
  }

  const Comm& comm_;
  Index element_bytes_;
  Traffic outgoing_, incoming_;
  Blocks send_, receive_;  ///< [chunk][peer]
};

/// Marks at the starts of blocks without valid data. A mark is 16 bytes that depend on a random
/// number, which the ranks agree on when they connect, and on the execution: data has the same 16
/// bytes by chance once in 2^128 blocks.
class VoidMarks {
 public:
  VoidMarks() = default;
  VoidMarks(std::span<const Block> send, std::span<const Block> receive);
  /// Collective; throws on all ranks or on none.
  void connect(const Comm& comm);
  void write(std::byte* send, std::uint64_t execution) const;
  /// Whether a block that has arrived begins with the mark of this execution.
  bool are_in(const std::byte* receive, std::uint64_t execution) const;

 private:
  using Mark = std::array<std::uint64_t, void_mark_bytes / sizeof(std::uint64_t)>;
  Mark mark(std::uint64_t execution) const;

  std::vector<Index> send_, receive_;  ///< where the blocks start that are not empty
  Mark secret_{};
};

/// Ranks that exchange data with each other, and their communicator.
struct Group {
  int color = 0;
  std::vector<int> members;  ///< ranks of the parent
  std::shared_ptr<const Comm> comm;
};
/// The group, still without its communicator.
Group group_of(const Comm& comm, const ArrayDistribution& from, const ArrayDistribution& to);
/// Collective. Makes the communicator, and a transfer that exchanges these blocks.
std::unique_ptr<Transfer> connect_group(const Comm& comm, Group& group, std::span<const Block> send,
                                        std::span<const Block> receive);

}  // namespace weft::reshape
