// SPDX-License-Identifier: BSD-3-Clause
// What the exchanges by messages have in common: one block per peer and chunk in a send buffer, one
// in a receive buffer.
#pragma once

#include "reshape/exchange.hpp"

namespace weft::reshape {

/// Dense blocks of a traffic, behind each other by chunk and peer.
std::vector<std::vector<Block>> dense_blocks(const Traffic& traffic, Index element_bytes);
/// One piece per part, within its block.
std::vector<Piece> pieces_in(const Traffic& traffic, const std::vector<std::vector<Block>>& blocks,
                             Memory memory, Index element_bytes);

/// The part of all exchanges by messages that does not depend on how they are carried.
class BlockExchange : public Exchange {
 public:
  BlockExchange(const Comm& comm, const ExchangeProblem& problem);

  std::vector<Piece> outgoing() const override;
  std::vector<Piece> incoming() const override;
  Index send_bytes() const override { return bytes_of(send_); }
  Index receive_bytes() const override { return bytes_of(receive_); }
  Index messages() const override { return outgoing_.messages(comm_.rank()); }
  Index message_bytes() const override {
    return outgoing_.elements_abroad(comm_.rank()) * element_bytes_;
  }

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

/// Ranks that exchange data with each other, as a communicator of their own.
struct Group {
  std::shared_ptr<const Comm> comm;
  std::vector<int> members;  ///< ranks of the parent
};
/// Collective.
Group make_group(const Comm& comm, const Layout& from, const Layout& to);

}  // namespace weft::reshape
