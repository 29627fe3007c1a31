// SPDX-License-Identifier: BSD-3-Clause
// Comm: the ranks that share a distributed array, and how they exchange data. weft/mpi.hpp makes a
// Comm from an MPI communicator; run_as_threads() makes one whose ranks are threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/types.hpp"

namespace weft {

/// A persistent operation (message, barrier or all-to-all), prepared once and run many times, as
/// MPI_Send_init does. Preparing allocates all memory; starting allocates none, so no single rank
/// can fail there. Wait for a started operation before you destroy it.
class WEFT_API Transfer {
 public:
  virtual ~Transfer() = default;
  /// Starts the operation; the previous run must be finished. Data are read from `send` and written
  /// to `receive`. An operation that does not send (or does not receive) ignores that pointer.
  virtual void start(const void* send, void* receive) = 0;
  /// Makes progress; returns true if the operation is finished or was never started.
  virtual bool test() = 0;
  virtual void wait() = 0;
  /// For messages, where Comm::can_send_void(). In place of start() on the side that sends: the
  /// message arrives without its bytes, and is_void() is then true on the side that receives.
  virtual void start_void() {}
  virtual bool is_void() const { return false; }
  /// start() and wait().
  virtual void run(const void* send, void* receive) {
    start(send, receive);
    wait();
  }
};

/// Memory that all ranks of a communicator can read and write directly.
class WEFT_API SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  virtual std::byte* data() const = 0;  ///< the whole block, as mapped by this rank
};

/// The contiguous part of a buffer for one rank; `offset` is in bytes from the start of the buffer.
struct Block {
  Index offset = 0, bytes = 0;
  friend bool operator==(const Block&, const Block&) = default;
};

/// All functions are collective unless they say otherwise. Sizes are in bytes, 64 bits. A
/// collective function throws on all ranks of the communicator or on none.
class WEFT_API Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;  ///< not collective
  virtual int size() const = 0;  ///< not collective

  /// The same ranks with separate messages, as MPI_Comm_dup.
  virtual std::shared_ptr<const Comm> duplicate() const = 0;
  /// The ranks with the same color, ordered by their rank in this communicator, as MPI_Comm_split.
  virtual std::shared_ptr<const Comm> split(int color) const = 0;
  /// One number per rank; ranks with equal numbers are on one node and can share memory. Not
  /// collective.
  virtual std::vector<int> nodes() const = 0;
  /// One block of memory shared by all ranks of this communicator, which must all be on one node.
  /// The memory is really reserved; returns null on all ranks if there is not enough.
  virtual std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const = 0;

  /// The name of the message layer, such as "threads" or "Open MPI v4.1.4". Wisdom stores measured
  /// network speeds under this name. Not collective.
  virtual std::string transport() const { return "messages"; }
  /// Whether buffers of messages may be in GPU memory (CUDA-aware MPI). Not collective.
  virtual bool carries_device_memory() const { return false; }
  /// Whether messages may be void, see Transfer. Not collective.
  virtual bool can_send_void() const { return false; }
  /// False if no messages can be sent any more, as after MPI_Finalize. Not collective.
  virtual bool is_open() const { return true; }

  /// This and the next two functions are not collective: an error is thrown on this rank only.
  virtual std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const = 0;
  virtual std::unique_ptr<Transfer> prepare_receive(Index bytes, int from, int tag) const = 0;
  /// Starting the barrier is collective.
  virtual std::unique_ptr<Transfer> prepare_barrier() const = 0;
  /// send_blocks[i] goes to rank i; receive_blocks[i] comes from rank i.
  virtual std::unique_ptr<Transfer> prepare_all_to_all_v(
      std::span<const Block> send_blocks, std::span<const Block> receive_blocks) const;

  /// Writes the smallest of all ranks' Index at `send` to `receive` on every rank. Starting it is
  /// collective, preparing is not.
  virtual std::unique_ptr<Transfer> prepare_minimum() const;

  virtual void barrier() const;
  /// The minimum of `mine` over all ranks.
  virtual Index minimum(Index mine) const;
  virtual void broadcast(void* data, Index bytes, int root) const;
  /// `all` holds size() times `bytes`.
  virtual void all_gather(const void* mine, Index bytes, void* all) const;
  /// Sends `bytes` to every rank and receives as many from each.
  virtual void all_to_all(const void* send, void* receive, Index bytes) const;
};

/// Runs `body` once per rank, each on its own thread, and returns when all have returned. If ranks
/// throw, the exception of the lowest rank is rethrown. If a thread cannot be started, throws
/// weft::Error and runs nothing. For tests, and for programs without MPI.
WEFT_API void run_as_threads(int ranks, const std::function<void(const Comm&)>& body);

/// As above, but ranks i and j act as if on one node (with shared memory) only if nodes[i] ==
/// nodes[j].
WEFT_API void run_as_threads(const std::vector<int>& nodes,
                             const std::function<void(const Comm&)>& body);

}  // namespace weft
