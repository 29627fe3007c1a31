// SPDX-License-Identifier: BSD-3-Clause
// Comm: the ranks that share a distributed array, and how bytes go from one to another.
// weft/mpi.hpp makes one from an MPI communicator; run_as_threads() makes one whose ranks are
// threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/types.hpp"

namespace weft {

/// Something under way. A request that is not finished must be waited for before it is destroyed.
class Request {
 public:
  virtual ~Request() = default;
  /// Makes progress; true when it is finished. After that it stays true.
  virtual bool test() = 0;
  virtual void wait() = 0;
};

/// Memory that all ranks of a communicator read and write in place.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::byte* data() const = 0;  ///< the whole block, as mapped by this rank
};

/// One contiguous piece per rank: bytes and distance from the start of the buffer.
struct Block {
  Index offset = 0, bytes = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// All functions but rank(), size(), send and receive are collective, or say that they are not.
/// Counts are bytes, 64 bits.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// The same ranks with messages of their own.
  virtual std::shared_ptr<const Comm> duplicate() const = 0;
  /// Ranks with the same color, ordered by their rank here.
  virtual std::shared_ptr<const Comm> split(int color) const = 0;
  /// For each rank a number; ranks with equal numbers can share memory.
  virtual std::vector<int> nodes() const = 0;
  /// One block for all ranks of this communicator, which must be on one node.
  virtual std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const = 0;

  /// What carries the messages, such as "threads" or "Open MPI v4.1.4": measured speeds are kept
  /// by it. Not collective.
  virtual std::string transport() const { return "messages"; }
  /// Whether messages may begin and end in GPU memory. Not collective.
  virtual bool carries_device_memory() const { return false; }

  virtual std::unique_ptr<Request> start_send(const void* data, Index bytes, int to,
                                              int tag) const = 0;
  virtual std::unique_ptr<Request> start_receive(void* data, Index bytes, int from,
                                                 int tag) const = 0;
  virtual std::unique_ptr<Request> start_barrier() const = 0;

  virtual void barrier() const;
  virtual void broadcast(void* data, Index bytes, int root) const;
  /// `all` holds size() times `bytes`.
  virtual void all_gather(const void* mine, Index bytes, void* all) const;
  /// `bytes` to and from every rank.
  virtual void all_to_all(const void* send, void* receive, Index bytes) const;
  virtual void all_to_all_v(const void* send, std::span<const Block> send_blocks, void* receive,
                            std::span<const Block> receive_blocks) const;
  /// As all_to_all_v, returning at once.
  virtual std::unique_ptr<Request> start_all_to_all_v(const void* send,
                                                      std::span<const Block> send_blocks,
                                                      void* receive,
                                                      std::span<const Block> receive_blocks) const;
};

/// Runs `body` once per rank, each on a thread of its own, and returns when all have returned. The
/// first exception (by rank) is thrown again. For tests, and for programs that have no MPI.
void run_as_threads(int ranks, const std::function<void(const Comm&)>& body);

/// As above, pretending that ranks i and j share memory only where nodes[i] == nodes[j].
void run_as_threads(const std::vector<int>& nodes, const std::function<void(const Comm&)>& body);

}  // namespace weft
