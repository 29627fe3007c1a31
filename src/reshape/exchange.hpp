// SPDX-License-Identifier: BSD-3-Clause
// Exchange: carries the elements of an array from one layout to the next. It decides where a stage
// writes what it has for other ranks and where the next stage finds what has come; one file per
// way.
#pragma once

#include <memory>
#include <string>

#include "reshape/messages.hpp"
#include "reshape/piece.hpp"
#include "weft/comm.hpp"

namespace weft::reshape {

enum class ExchangeKind {
  all_to_all,      ///< MPI_Alltoall, messages padded to the longest
  all_to_all_v,    ///< MPI_Alltoallv
  point_to_point,  ///< one message per pair of ranks
  pipelined,       ///< the same in chunks, each sent while the next is being computed
  shared,          ///< one node: all ranks work on one array in shared memory, nothing is sent
  node_aware,      ///< shared memory within a node, one message per pair of nodes
};
const char* to_string(ExchangeKind kind);
ExchangeKind parse_exchange(const std::string& name);

/// Two layouts, and the means to go from one to the other. Equal on all ranks but for `comm`.
struct ExchangeProblem {
  Layout from, to;
  Index element_bytes = 16;
  Chunking chunking = {};
  Index receive_offset = 0;  ///< bytes of Memory::receive that are left to others
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Where the boxes of `from` are written, and those of `to` are read. A part may be written to
  /// several pieces.
  virtual std::vector<Piece> outgoing() const = 0;
  virtual std::vector<Piece> incoming() const = 0;
  /// Bytes that must lie behind Memory::send and Memory::receive.
  virtual Index send_bytes() const { return 0; }
  virtual Index receive_bytes() const { return 0; }
  /// Messages to other ranks, and their bytes, of one execution; as planned.
  virtual Index messages() const { return 0; }
  virtual Index message_bytes() const { return 0; }

  /// Before the first chunk is computed.
  virtual void begin(const Bases&) {}
  /// Chunk `chunk` has been written.
  virtual void chunk_ready(int, const Bases&) {}
  /// All has been written: returns when all has arrived.
  virtual void complete(const Bases& bases) = 0;
  /// The same in two parts: start() returns at once, test() is true when all has arrived.
  virtual void start(const Bases& bases) = 0;
  virtual bool test() = 0;
};

std::unique_ptr<Exchange> make_all_to_all(const Comm& comm, const ExchangeProblem& problem);
std::unique_ptr<Exchange> make_all_to_all_v(const Comm& comm, const ExchangeProblem& problem);
std::unique_ptr<Exchange> make_point_to_point(const Comm& comm, const ExchangeProblem& problem);
/// point_to_point that sends chunk by chunk.
std::unique_ptr<Exchange> make_pipelined(const Comm& comm, const ExchangeProblem& problem);

/// One array in memory that all ranks of `comm` share; the pieces of every rank are boxes of it.
struct SharedArray {
  Index offset = 0;  ///< bytes from the start of the shared memory
  Strides strides{};
};
std::unique_ptr<Exchange> make_shared(const Comm& comm, const ExchangeProblem& problem,
                                      const SharedArray& array);

/// Parts of a node's shared memory, bytes or offsets of: what stays on the node, what leaves it,
/// what comes. The next exchange may take the same memory for what leaves and what comes, but not
/// for what stays: that is still being read while the next one's is written.
struct NodeMemory {
  Index local = 0, send = 0, receive = 0;
};
/// Shared memory within a node, at the given offsets; one message per pair of nodes.
std::unique_ptr<Exchange> make_node_aware(const Comm& comm, const ExchangeProblem& problem,
                                          std::shared_ptr<const Comm> node,
                                          const NodeMemory& offsets);
/// Bytes of a node's shared memory that make_node_aware() takes.
NodeMemory node_aware_bytes(const std::vector<int>& nodes, const ExchangeProblem& problem,
                            int rank);

}  // namespace weft::reshape
