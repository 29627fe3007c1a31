// SPDX-License-Identifier: BSD-3-Clause
#include "reshape/blocks.hpp"

#include <algorithm>

#include "weft/error.hpp"

namespace weft::reshape {
namespace {

constexpr const char* kind_names[] = {"all_to_all", "all_to_all_v", "point_to_point",
                                      "pipelined",  "shared",       "node_aware"};

}  // namespace

const char* to_string(ExchangeKind kind) { return kind_names[static_cast<int>(kind)]; }

ExchangeKind parse_exchange(const std::string& name) {
  for (int i = 0; i < static_cast<int>(std::size(kind_names)); ++i)
    if (name == kind_names[i]) return static_cast<ExchangeKind>(i);
  throw Error(ErrorCode::invalid_argument,
              "no exchange is called '" + name +
                  "'; there are all_to_all, all_to_all_v, point_to_point, pipelined, shared and "
                  "node_aware");
}

std::vector<std::vector<Block>> dense_blocks(const Traffic& traffic, Index element_bytes) {
  std::vector<std::vector<Block>> blocks;
  Index offset = 0;
  for (const auto& counts : traffic.counts) {
    blocks.emplace_back();
    for (Index count : counts) {
      blocks.back().push_back({offset, count * element_bytes});
      offset += count * element_bytes;
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
      outgoing_(reshape::outgoing(problem.from, problem.to, comm.rank(), problem.chunking)),
      incoming_(reshape::incoming(problem.from, problem.to, comm.rank(), problem.chunking)),
      send_(dense_blocks(outgoing_, problem.element_bytes)),
      receive_(dense_blocks(incoming_, problem.element_bytes)) {
  for (auto& by_peer : receive_)
    for (Block& block : by_peer) block.offset += problem.receive_offset;
}

std::vector<Piece> BlockExchange::outgoing() const {
  return pieces_in(outgoing_, send_, Memory::send, element_bytes_);
}
std::vector<Piece> BlockExchange::incoming() const {
  return pieces_in(incoming_, receive_, Memory::receive, element_bytes_);
}

Index BlockExchange::bytes_of(const Blocks& blocks) {
  Index end = 0;
  for (const auto& by_peer : blocks)
    for (const Block& block : by_peer) end = std::max(end, block.offset + block.bytes);
  return end;
}

Group make_group(const Comm& comm, const Layout& from, const Layout& to) {
  const std::vector<int> colors = groups(from, to);
  const int mine = colors[static_cast<std::size_t>(comm.rank())];
  Group group{comm.split(mine), {}};
  for (int rank = 0; rank < comm.size(); ++rank)
    if (colors[static_cast<std::size_t>(rank)] == mine) group.members.push_back(rank);
  return group;
}

}  // namespace weft::reshape
