// SPDX-License-Identifier: BSD-3-Clause
#include "reshape/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "comm/agree.hpp"

namespace weft::reshape {
namespace {

/// One to one; each bit of the argument changes about half of the bits of the result.
std::uint64_t scattered(std::uint64_t x) {
  for (const int shift : {33, 29, 32})
    x = (x ^ x >> shift) * 0x9e3779b97f4a7c15U;  // 2^64 / 1.618...
  return x ^ x >> 32;
}

}  // namespace

std::vector<std::vector<Block>> dense_blocks(const Traffic& traffic, Index element_bytes,
                                             BytesOf bytes_of) {
  std::vector<std::vector<Block>> blocks;
  Index offset = 0;
  for (const auto& counts : traffic.counts) {
    blocks.emplace_back();
    for (Index count : counts) {
      blocks.back().push_back({offset, bytes_of(count, element_bytes)});
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

BlockExchange::BlockExchange(const Comm& comm, const ExchangeProblem& problem, BytesOf bytes_of)
    : comm_(comm),
      element_bytes_(problem.element_bytes),
      outgoing_(reshape::outgoing(problem.from, problem.to, comm.rank(), problem.chunking)),
      incoming_(reshape::incoming(problem.from, problem.to, comm.rank(), problem.chunking)),
      send_(dense_blocks(outgoing_, problem.element_bytes, bytes_of)),
      receive_(dense_blocks(incoming_, problem.element_bytes, bytes_of)) {
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

Index BlockExchange::message_bytes() const {
  Index bytes = 0;
  for (const auto& by_peer : send_)
    for (std::size_t peer = 0; peer < by_peer.size(); ++peer)
      if (static_cast<int>(peer) != comm_.rank()) bytes += by_peer[peer].bytes;
  return bytes;
}

Index BlockExchange::bytes_of(const Blocks& blocks) {
  Index end = 0;
  for (const auto& by_peer : blocks)
    for (const Block& block : by_peer) end = std::max(end, block.offset + block.bytes);
  return end;
}

VoidMarks::VoidMarks(std::span<const Block> send, std::span<const Block> receive) {
  for (const Block& block : send)
    if (block.bytes > 0) send_.push_back(block.offset);
  for (const Block& block : receive)
    if (block.bytes > 0) receive_.push_back(block.offset);
}

void VoidMarks::connect(const Comm& comm) {
  agree(comm, [&] {
    if (comm.rank() > 0) return;
    std::random_device random;
    for (std::uint64_t& word : secret_) word = std::uint64_t{random()} << 32 | random();
  });
  comm.broadcast(secret_.data(), sizeof secret_, 0);
}

VoidMarks::Mark VoidMarks::mark(std::uint64_t execution) const {
  Mark words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = scattered(secret_[i] + execution);
  return words;
}

void VoidMarks::write(std::byte* send, std::uint64_t execution) const {
  const Mark words = mark(execution);
  for (Index offset : send_) std::memcpy(send + offset, words.data(), sizeof words);
}

bool VoidMarks::are_in(const std::byte* receive, std::uint64_t execution) const {
  const Mark words = mark(execution);
  return std::ranges::any_of(receive_, [&](Index offset) {
    return std::memcmp(receive + offset, words.data(), sizeof words) == 0;
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
