// SPDX-License-Identifier: BSD-3-Clause
// Comm over MPI 3.1. Compiled once per MPI library; nothing else in weft includes mpi.h.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

#include "comm/agree.hpp"
#include "weft/error.hpp"
#include "weft/mpi.hpp"
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace weft {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorCode::mpi, std::string(call) + " failed: " +
                                  std::string(text, static_cast<std::size_t>(length)));
}

/// The one place where 64-bit counts become MPI's.
int mpi_count(Index count) {
  if (count < 0 || count > std::numeric_limits<int>::max())
    throw Error(ErrorCode::internal, std::to_string(count) + " does not fit MPI's int");
  return static_cast<int>(count);
}
bool fits_int(Index count) { return count <= std::numeric_limits<int>::max(); }

/// Waits without keeping the core from others. MPICH spins in its waits and blocking collectives:
/// with more ranks than cores each of them costs time slices. Open MPI yields by itself then.
void wait_politely(std::span<MPI_Request> requests) {
  for (int tries = 0;; ++tries) {
    int done = 0;
    check(MPI_Testall(mpi_count(static_cast<Index>(requests.size())), requests.data(), &done,
                      MPI_STATUSES_IGNORE),
          "MPI_Testall");
    if (done != 0) return;
    if (tries > 20) std::this_thread::yield();
  }
}
#if defined(MPICH_VERSION)
constexpr bool spins_when_crowded = true;
#else
constexpr bool spins_when_crowded = false;
#endif

/// MPI's requests, one or several.
class MpiRequest final : public Request {
 public:
  explicit MpiRequest(std::vector<MPI_Request> requests) : requests_(std::move(requests)) {}
  ~MpiRequest() override = default;
  bool test() override {
    int flag = 0;
    check(MPI_Testall(mpi_count(static_cast<Index>(requests_.size())), requests_.data(), &flag,
                      MPI_STATUSES_IGNORE),
          "MPI_Testall");
    if (flag != 0) std::atomic_thread_fence(std::memory_order_seq_cst);
    return flag != 0;
  }
  void wait() override {
    if (spins_when_crowded)
      wait_politely(requests_);
    else
      check(MPI_Waitall(mpi_count(static_cast<Index>(requests_.size())), requests_.data(),
                        MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  std::vector<MPI_Request> requests_;
};

/// A nonblocking collective keeps its counts until it is done.
struct Counts {
  std::vector<int> send_counts, send_offsets, receive_counts, receive_offsets;
};
class CollectiveRequest final : public Request {
 public:
  Counts counts;
  MPI_Request request = MPI_REQUEST_NULL;
  bool test() override {
    int flag = 0;
    check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test");
    return flag != 0;
  }
  void wait() override {
    if (spins_when_crowded) return wait_politely({&request, 1});
    check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
  }
};

class MpiMemory final : public SharedMemory {
 public:
  MpiMemory(MPI_Comm comm, std::size_t bytes) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    void* own = nullptr;
    const auto mine = static_cast<MPI_Aint>(rank == 0 ? bytes : 0);
    check(MPI_Win_allocate_shared(mine, 1, MPI_INFO_NULL, comm, &own, &window_),
          "MPI_Win_allocate_shared");
    MPI_Aint size = 0;
    int unit = 0;
    void* first = nullptr;
    check(MPI_Win_shared_query(window_, 0, &size, &unit, &first), "MPI_Win_shared_query");
    data_ = static_cast<std::byte*>(first);
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  }
  ~MpiMemory() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  std::byte* data() const override { return data_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* data_ = nullptr;
};

class MpiComm final : public Comm {
 public:
  /// Takes over `comm`.
  MpiComm(MPI_Comm comm, std::vector<int> nodes, Index max_message_bytes, bool crowded)
      : comm_(comm),
        crowded_(crowded),
        nodes_(std::move(nodes)),
        max_message_bytes_(max_message_bytes) {
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  ~MpiComm() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    // Not MPI_Comm_free: Open MPI 4.1 gives the identifier to a new communicator while others still
    // receive on the old one, and nonblocking collectives then fail with truncated messages.
    if (finalized == 0) MPI_Comm_disconnect(&comm_);
  }
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<int> nodes() const override { return nodes_; }
  std::string transport() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::string whole(text, static_cast<std::size_t>(length));
    std::ranges::replace(whole, '\t', ' ');
    return whole.substr(0, whole.find_first_of(",\n"));
  }

  std::shared_ptr<const Comm> duplicate() const override {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm_, &copy), "MPI_Comm_dup");
    return std::make_shared<MpiComm>(copy, nodes_, max_message_bytes_, crowded_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, color, rank_, &part), "MPI_Comm_split");
    int count = 0;
    check(MPI_Comm_size(part, &count), "MPI_Comm_size");
    std::vector<int> nodes(static_cast<std::size_t>(count));
    const int mine = nodes_[static_cast<std::size_t>(rank_)];
    check(MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, part), "MPI_Allgather");
    return std::make_shared<MpiComm>(part, nodes, max_message_bytes_, crowded_);
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    return std::make_unique<MpiMemory>(comm_, bytes);
  }

  bool carries_device_memory() const override {
#if defined(OPEN_MPI) && defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#elif defined(MPICH) && defined(MPIX_GPU_SUPPORT_CUDA)
    int is_supported = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &is_supported) == MPI_SUCCESS &&
           is_supported != 0;
#else
    return false;
#endif
  }

  std::unique_ptr<Request> start_send(const void* data, Index bytes, int to,
                                      int tag) const override {
    std::vector<MPI_Request> requests;
    Index done = 0;
    do {
      const Index part = std::min(bytes - done, max_message_bytes_);
      requests.emplace_back();
      check(MPI_Isend(static_cast<const std::byte*>(data) + done, mpi_count(part), MPI_BYTE, to,
                      tag, comm_, &requests.back()),
            "MPI_Isend");
      done += part;
    } while (done < bytes);
    return std::make_unique<MpiRequest>(std::move(requests));
  }
  std::unique_ptr<Request> start_receive(void* data, Index bytes, int from,
                                         int tag) const override {
    std::vector<MPI_Request> requests;
    Index done = 0;
    do {
      const Index part = std::min(bytes - done, max_message_bytes_);
      requests.emplace_back();
      check(MPI_Irecv(static_cast<std::byte*>(data) + done, mpi_count(part), MPI_BYTE, from, tag,
                      comm_, &requests.back()),
            "MPI_Irecv");
      done += part;
    } while (done < bytes);
    return std::make_unique<MpiRequest>(std::move(requests));
  }
  std::unique_ptr<Request> start_barrier() const override {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::vector<MPI_Request> request(1);
    check(MPI_Ibarrier(comm_, request.data()), "MPI_Ibarrier");
    return std::make_unique<MpiRequest>(std::move(request));
  }

  void barrier() const override {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (crowded_)
      collective([&](MPI_Request* r) { return MPI_Ibarrier(comm_, r); }, "MPI_Ibarrier");
    else
      check(MPI_Barrier(comm_), "MPI_Barrier");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  void broadcast(void* data, Index bytes, int root) const override {
    for (Index done = 0; done < bytes; done += max_message_bytes_) {
      std::byte* part = static_cast<std::byte*>(data) + done;
      const int count = mpi_count(std::min(bytes - done, max_message_bytes_));
      if (crowded_)
        collective(
            [&](MPI_Request* r) { return MPI_Ibcast(part, count, MPI_BYTE, root, comm_, r); },
            "MPI_Ibcast");
      else
        check(MPI_Bcast(part, count, MPI_BYTE, root, comm_), "MPI_Bcast");
    }
  }
  void all_gather(const void* mine, Index bytes, void* all) const override {
    if (bytes > max_message_bytes_) return Comm::all_gather(mine, bytes, all);
    const int count = mpi_count(bytes);
    if (crowded_)
      collective(
          [&](MPI_Request* r) {
            return MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, r);
          },
          "MPI_Iallgather");
    else
      check(MPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "MPI_Allgather");
  }
  void all_to_all(const void* send, void* receive, Index bytes) const override {
    if (bytes > max_message_bytes_) return Comm::all_to_all(send, receive, bytes);
    check(
        MPI_Alltoall(send, mpi_count(bytes), MPI_BYTE, receive, mpi_count(bytes), MPI_BYTE, comm_),
        "MPI_Alltoall");
  }
  void all_to_all_v(const void* send, std::span<const Block> send_blocks, void* receive,
                    std::span<const Block> receive_blocks) const override {
    if (!all_fit(send_blocks, receive_blocks))
      return Comm::all_to_all_v(send, send_blocks, receive, receive_blocks);
    const Counts c = counts_of(send_blocks, receive_blocks);
    check(MPI_Alltoallv(send, c.send_counts.data(), c.send_offsets.data(), MPI_BYTE, receive,
                        c.receive_counts.data(), c.receive_offsets.data(), MPI_BYTE, comm_),
          "MPI_Alltoallv");
  }
  std::unique_ptr<Request> start_all_to_all_v(
      const void* send, std::span<const Block> send_blocks, void* receive,
      std::span<const Block> receive_blocks) const override {
    if (!all_fit(send_blocks, receive_blocks))
      return Comm::start_all_to_all_v(send, send_blocks, receive, receive_blocks);
    auto request = std::make_unique<CollectiveRequest>();
    request->counts = counts_of(send_blocks, receive_blocks);
    const Counts& c = request->counts;
    check(MPI_Ialltoallv(send, c.send_counts.data(), c.send_offsets.data(), MPI_BYTE, receive,
                         c.receive_counts.data(), c.receive_offsets.data(), MPI_BYTE, comm_,
                         &request->request),
          "MPI_Ialltoallv");
    return request;
  }

 private:
  template <class Start>
  static void collective(const Start& start, const char* call) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request), call);
    wait_politely({&request, 1});
  }

  /// Whether counts and offsets fit MPI's int on every rank. What one rank sends another receives,
  /// but offsets are each rank's own affair, so the ranks ask each other.
  bool all_fit(std::span<const Block> send, std::span<const Block> receive) const {
    const auto fits = [&](const Block& block) {
      return fits_int(block.offset) && block.bytes <= max_message_bytes_;
    };
    int mine = std::ranges::all_of(send, fits) && std::ranges::all_of(receive, fits) ? 1 : 0;
    int all = 0;
    if (crowded_)
      collective(
          [&](MPI_Request* r) {
            return MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm_, r);
          },
          "MPI_Iallreduce");
    else
      check(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
    return all != 0;
  }
  static Counts counts_of(std::span<const Block> send, std::span<const Block> receive) {
    Counts c;
    for (const Block& block : send) {
      c.send_counts.push_back(mpi_count(block.bytes));
      c.send_offsets.push_back(mpi_count(block.offset));
    }
    for (const Block& block : receive) {
      c.receive_counts.push_back(mpi_count(block.bytes));
      c.receive_offsets.push_back(mpi_count(block.offset));
    }
    return c;
  }

  MPI_Comm comm_;
  bool crowded_;  ///< more ranks than cores, and an MPI that minds; equal on all ranks
  std::vector<int> nodes_;
  Index max_message_bytes_;
  int rank_ = 0, size_ = 1;
};

/// Ranks that can share memory get the number of the first of them.
std::vector<int> nodes_of(MPI_Comm comm) {
  int rank = 0, size = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  int first = rank;
  check(MPI_Bcast(&first, 1, MPI_INT, 0, node), "MPI_Bcast");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  std::vector<int> nodes(static_cast<std::size_t>(size));
  check(MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm), "MPI_Allgather");
  return nodes;
}

/// Whether any node has more ranks than cores under an MPI that spins. All ranks must agree: a
/// blocking collective does not meet a nonblocking one.
bool is_crowded(MPI_Comm comm, const std::vector<int>& nodes) {
  if (!spins_when_crowded) return false;
  int rank = 0, any = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  const auto here = std::ranges::count(nodes, nodes[static_cast<std::size_t>(rank)]);
  const int mine = here > sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0;
  check(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return any != 0;
}

MPI_Comm duplicate_of(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  return copy;
}

/// Collective over `ranks`, which know what MPI says of nodes. Throws weft::Error on all of them.
void check_options(const MpiComm& ranks, const MpiOptions& options) {
  const std::vector<int>& nodes = options.nodes;
  agree(ranks, [&] {
    if (!nodes.empty() && static_cast<int>(nodes.size()) != ranks.size())
      throw Error(ErrorCode::invalid_argument, std::to_string(nodes.size()) + " node numbers for " +
                                                   std::to_string(ranks.size()) +
                                                   " ranks; give one per rank");
    if (options.max_message_bytes < 1 || !fits_int(options.max_message_bytes))
      throw Error(ErrorCode::invalid_argument, "max_message_bytes must be from 1 to 2147483647");
    const std::vector<int> real = ranks.nodes();
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = a + 1; b < nodes.size(); ++b)
        if (nodes[a] == nodes[b] && real[a] != real[b])
          throw Error(ErrorCode::invalid_argument,
                      "ranks " + std::to_string(a) + " and " + std::to_string(b) +
                          " were given the same node, but share no memory; give them different "
                          "numbers, or leave nodes empty");
  });
  std::string text = "at most " + std::to_string(options.max_message_bytes) + " bytes, nodes";
  for (int node : nodes) text += " " + std::to_string(node);
  require_equal(ranks, text, "options of mpi_comm");
}

}  // namespace

std::shared_ptr<const Comm> mpi_comm(MPI_Comm comm, const MpiOptions& options) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0)
    throw Error(ErrorCode::invalid_argument, "MPI is not initialised; call MPI_Init first");
  const std::vector<int> real_nodes = nodes_of(comm);
  const bool crowded = is_crowded(comm, real_nodes);
  check_options(MpiComm(duplicate_of(comm), real_nodes, MpiOptions{}.max_message_bytes, crowded),
                options);
  return std::make_shared<MpiComm>(duplicate_of(comm),
                                   options.nodes.empty() ? real_nodes : options.nodes,
                                   options.max_message_bytes, crowded);
}

}  // namespace weft
