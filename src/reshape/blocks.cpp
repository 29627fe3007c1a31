// SPDX-License-Identifier: BSD-3-Clause
#include "reshape/blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "comm/agree.hpp"

namespace weft::reshape {

std::vector<std::vector<Block>> dense_blocks(const Traffic& traffic, Index element_bytes,
                                             Index status_bytes) {
  std::vector<std::vector<Block>> blocks;
  Index offset = 0;
  for (const auto& counts : traffic.counts) {
    blocks.emplace_back();
    for (Index count : counts) {
      blocks.back().push_back({offset, count > 0 ? count * element_bytes + status_bytes : 0});
      offset += blocks.back().back().bytes;
    }
  }
  return blocks;
}

std::vector<Piece> pieces_in(const Traffic& traffic, const std::vector<std::vector<Block>>& blocks,
                             Memory memory, Index element_bytes) {
  std::vector<Piece> pieces;
  for (const Part& part : traffic.parts) {
    const Block& block =
        blocks[static_cast<std::size_t>(part.chunk)][static_cast<std::size_t>(part.peer)];
    pieces.push_back(
        {part.box, memory, block.offset + part.offset * element_bytes, dense_strides(part.box)});
  }
  return pieces;
}

BlockExchange::BlockExchange(const Comm& comm, const ExchangeProblem& problem)
    : comm_(comm),
      element_bytes_(problem.element_bytes),
      status_bytes_(problem.status_bytes),
      outgoing_(reshape::outgoing(problem.from, problem.to, comm.rank(), problem.chunking)),
      incoming_(reshape::incoming(problem.from, problem.to, comm.rank(), problem.chunking)),
      send_(dense_blocks(outgoing_, problem.element_bytes, problem.status_bytes)),
      receive_(dense_blocks(incoming_, problem.element_bytes, problem.status_bytes)) {
  for (auto& by_peer : receive_)
    for (Block& block : by_peer) block.offset += problem.receive_offset;
}

std::vector<Piece> BlockExchange::outgoing() const {
  return pieces_in(outgoing_, send_, Memory::send, element_bytes_);
}
std::vector<Piece> BlockExchange::incoming() const {
  return pieces_in(incoming_, receive_, Memory::receive, element_bytes_);
}

std::vector<int> BlockExchange::heard_peers() const {
  std::vector<int> peers;
  for (int peer = 0; peer < comm_.size(); ++peer)
    if (std::ranges::any_of(receive_, [&](const std::vector<Block>& by_peer) {
          return by_peer[static_cast<std::size_t>(peer)].bytes > 0;
        }))
      peers.push_back(peer);
  return peers;
}

Index BlockExchange::bytes_of(const Blocks& blocks) {
  Index end = 0;
  for (const auto& by_peer : blocks)
    for (const Block& block : by_peer) end = std::max(end, block.offset + block.bytes);
  return end;
}

StatusWords::StatusWords(std::span<const Block> send, std::span<const Block> receive,
                         Index status_bytes) {
  if (status_bytes == 0) return;
  for (const Block& block : send)
    if (block.bytes > 0) send_.push_back(block.offset + block.bytes - status_bytes);
  for (const Block& block : receive)
    if (block.bytes > 0) receive_.push_back(block.offset + block.bytes - status_bytes);
}

void StatusWords::write(std::byte* send, bool is_void) const {
  const std::array<std::uint64_t, status_word / 8> word{is_void ? 1U : 0U};
  for (Index offset : send_) std::memcpy(send + offset, word.data(), status_word);
}

bool StatusWords::has_void(const std::byte* receive) const {
  return std::ranges::any_of(receive_, [&](Index offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, receive + offset, sizeof word);
    return word != 0;
  });
}

Group group_of(const Comm& comm, const ArrayDistribution& from, const ArrayDistribution& to) {
  const std::vector<int> colors = groups(from, to);
  Group group{colors[static_cast<std::size_t>(comm.rank())], {}, nullptr};
  for (int rank = 0; rank < comm.size(); ++rank)
    if (colors[static_cast<std::size_t>(rank)] == group.color) group.members.push_back(rank);
  return group;
}

std::unique_ptr<Transfer> connect_group(const Comm& comm, Group& group, std::span<const Block> send,
                                        std::span<const Block> receive) {
  group.comm = comm.split(group.color);
  std::unique_ptr<Transfer> transfer;
  agree(comm, [&] { transfer = group.comm->prepare_all_to_all_v(send, receive); });
  return transfer;
}

}  // namespace weft::reshape
