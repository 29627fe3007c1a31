// SPDX-License-Identifier: BSD-3-Clause
// Exchange: moves the elements of an array from one distribution to the next. It decides where a
// stage writes the data for other ranks, and where the next stage finds the received data. There is
// one file per kind of exchange.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
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
  shared,          ///< one node: all ranks work on one array in shared memory; no messages
  node_aware,      ///< shared memory within a node, one message per pair of nodes
  // Between GPUs, see src/gpu/ranks.
  staged,  ///< through page-locked host memory and messages
  direct,  ///< messages that lie in device memory
  ipc,     ///< within a node: ranks fetch from each other's memory
  nccl,    ///< NCCL
};
const char* to_string(ExchangeKind kind);

/// Two distributions, and how to go from one to the other. The same on all ranks.
struct ExchangeProblem {
  ArrayDistribution from, to;
  Index element_bytes = 16;
  Chunking chunking = {};
  Index receive_offset = 0;  ///< this many bytes at the start of Memory::receive are used by others
};

/// A rank without valid data has to take part in an all_to_all or all_to_all_v all the same. It
/// begins every block with a mark of so many bytes, by which the others know (VoidMarks). Blocks of
/// these exchanges are empty or at least as long.
inline constexpr Index void_mark_bytes = 16;
/// Bytes of a block of `count` elements.
inline Index bytes_with_mark(Index count, Index element_bytes) {
  return count > 0 ? std::max(count * element_bytes, void_mark_bytes) : 0;
}

class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Where the previous stage writes the boxes of `from`, and where the next stage reads those of
  /// `to`. A part may have to be written to several pieces.
  virtual std::vector<Piece> outgoing() const = 0;
  virtual std::vector<Piece> incoming() const = 0;
  /// Required sizes of Memory::send and Memory::receive in bytes.
  virtual Index send_bytes() const { return 0; }
  virtual Index receive_bytes() const { return 0; }
  /// Number of messages to other ranks in one execution, and their size in bytes, as planned.
  virtual Index messages() const { return 0; }
  virtual Index message_bytes() const { return 0; }

  /// Collective, once, before anything is carried; throws on all ranks or on none. `node` are the
  /// ranks that share Memory::shared; null where there is none. Where buffers do not move, `bases`
  /// has the send and the receive buffer.
  virtual void connect(const std::shared_ptr<const Comm>& node, const Bases& bases) = 0;

  /// Which ranks learn that a rank sends no valid data.
  enum class Tells { nobody, peers, all };
  virtual Tells tells() const { return Tells::nobody; }
  /// Tells::peers: the ranks that this one hears of.
  virtual std::vector<int> heard_peers() const { return {}; }
  /// Whether a void rank still sends blocks of full length.
  virtual bool writes_void() const { return false; }
  /// Whether data leaves before all chunks are ready.
  virtual bool sends_early() const { return false; }

  // From here on nothing is allocated, so that no rank fails alone.
  /// Before each execution, and before begin(). `execution` is a number that is the same on all
  /// ranks, not 0, and was not used before. `is_void`: what this rank sends is of no use, since its
  /// arguments are wrong or its device has failed; the ranks that get it hear of that. If it
  /// writes_void(), all blocks of Memory::send are overwritten and sent, so they must not lie in
  /// the user's array.
  void enter(std::uint64_t execution, bool is_void) {
    execution_ = execution;
    is_void_ = is_void;
  }
  /// After complete(), or when test() is true: whether a rank that this one hears of was void.
  virtual bool has_heard_void() const { return false; }
  /// What failed on this rank's device since enter(); null: nothing.
  virtual std::exception_ptr failure() const { return nullptr; }
  /// Before the first chunk is computed.
  virtual void begin(const Bases&) {}
  /// Call this when chunk `chunk` has been written.
  virtual void chunk_ready(int, const Bases&) {}
  /// Call this when all data have been written; returns when all data have arrived.
  virtual void complete(const Bases& bases) = 0;
  /// The same in two steps: start() returns at once, test() returns true when all data have
  /// arrived.
  virtual void start(const Bases& bases) = 0;
  virtual bool test() = 0;

 protected:
  std::uint64_t execution_ = 0;
  bool is_void_ = false;
};

/// The functions make_...() are not collective.
std::unique_ptr<Exchange> make_all_to_all(const Comm& comm, const ExchangeProblem& problem);
std::unique_ptr<Exchange> make_all_to_all_v(const Comm& comm, const ExchangeProblem& problem);
std::unique_ptr<Exchange> make_point_to_point(const Comm& comm, const ExchangeProblem& problem);
/// point_to_point that sends chunk by chunk.
std::unique_ptr<Exchange> make_pipelined(const Comm& comm, const ExchangeProblem& problem);

/// One array in memory that all ranks of `comm` can reach, in parts that hold every element once:
/// one part in the shared memory of the plan, or the parts of the ranks' own arrays.
using SharedArray = std::vector<Piece>;
/// Bytes reserved before a node's shared memory for the exchanges' own counter, initially 0.
inline constexpr Index shared_head = 64;
std::unique_ptr<Exchange> make_shared(const Comm& comm, const ExchangeProblem& problem,
                                      const SharedArray& array);
/// The same without data: the ranks wait for each other, and hear of those that are void.
std::unique_ptr<Exchange> make_meeting(const Comm& comm);

/// Sizes or offsets, in bytes, of three areas of a node's shared memory: data that stay on the node
/// (`local`), that leave it (`send`) and that arrive (`receive`). The next exchange may reuse the
/// areas `send` and `receive`, but not `local`, which is still being read while the next exchange
/// writes its own.
struct NodeMemory {
  Index local = 0, send = 0, receive = 0;
};
/// Shared memory within a node, at the given offsets; one message per pair of nodes.
std::unique_ptr<Exchange> make_node_aware(const Comm& comm, const ExchangeProblem& problem,
                                          const NodeMemory& offsets);
/// For node_aware_bytes(): look at all ranks of the node, estimate nothing.
inline constexpr int all_of_the_node = std::numeric_limits<int>::max();
/// Bytes of a node's shared memory that make_node_aware() takes; estimated from `looked_at` of its
/// ranks where it has more.
NodeMemory node_aware_bytes(const std::vector<int>& nodes, const ExchangeProblem& problem, int rank,
                            int looked_at = all_of_the_node);

}  // namespace weft::reshape
