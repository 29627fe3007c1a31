// SPDX-License-Identifier: BSD-3-Clause
// What all exchanges by messages have in common: for each peer and chunk one block in the send
// buffer and one in the receive buffer.
#pragma once

#include "reshape/exchange.hpp"

namespace weft::reshape {

/// The blocks of a Traffic without gaps, ordered by chunk and peer. Those that are not empty have
/// `status_bytes` at their ends.
std::vector<std::vector<Block>> dense_blocks(const Traffic& traffic, Index element_bytes,
                                             Index status_bytes = 0);
/// One piece per part, at its place in the block.
std::vector<Piece> pieces_in(const Traffic& traffic, const std::vector<std::vector<Block>>& blocks,
                             Memory memory, Index element_bytes);

/// The part of all exchanges by messages that does not depend on the kind of messages.
class BlockExchange : public Exchange {
 public:
  BlockExchange(const Comm& comm, const ExchangeProblem& problem);

  std::vector<Piece> outgoing() const override;
  std::vector<Piece> incoming() const override;
  Index send_bytes() const override { return bytes_of(send_); }
  Index receive_bytes() const override { return bytes_of(receive_); }
  Index messages() const override { return outgoing_.messages(comm_.rank()); }
  std::vector<int> heard_peers() const override;
  Index message_bytes() const override {
    return outgoing_.elements_abroad(comm_.rank()) * element_bytes_ + messages() * status_bytes_;
  }

 protected:
  using Blocks = std::vector<std::vector<Block>>;
  static Index bytes_of(const Blocks& blocks);
  static std::byte* base(const Bases& bases, Memory memory) {
    return bases[static_cast<std::size_t>(memory)];
  }

  const Comm& comm_;
  Index element_bytes_, status_bytes_;
  Traffic outgoing_, incoming_;
  Blocks send_, receive_;  ///< [chunk][peer]
};

/// Words at the ends of blocks that say whether the blocks' data are valid.
class StatusWords {
 public:
  StatusWords() = default;
  /// Without status bytes there are no words; empty blocks have none.
  StatusWords(std::span<const Block> send, std::span<const Block> receive, Index status_bytes);
  void write(std::byte* send, bool is_void) const;
  /// Whether a block that has arrived is void.
  bool has_void(const std::byte* receive) const;

 private:
  std::vector<Index> send_, receive_;  ///< where they lie
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
