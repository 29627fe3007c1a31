// SPDX-License-Identifier: BSD-3-Clause
// Comm over MPI 3.1. src/mpi is compiled once per MPI library; the rest of the library does not
// know MPI.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "base/index.hpp"
#include "comm/mpi_support.hpp"
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

/// The only place where 64-bit counts are converted to MPI's int.
int mpi_count(Index count) {
  if (count < 0 || count > std::numeric_limits<int>::max())
    throw Error(ErrorCode::internal, std::to_string(count) + " does not fit MPI's int");
  return static_cast<int>(count);
}
bool fits_int(Index count) { return count <= std::numeric_limits<int>::max(); }

/// Waits without blocking the core. MPICH spins in waits and blocking collectives: with more ranks
/// than cores, each of them wastes time slices of other ranks. Open MPI yields the core by itself.
void wait_politely(std::span<MPI_Request> requests, MPI_Status* statuses = MPI_STATUSES_IGNORE) {
  for (int tries = 0;; ++tries) {
    int done = 0;
    check(MPI_Testall(mpi_count(static_cast<Index>(requests.size())), requests.data(), &done,
                      statuses),
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

void wait_for(std::span<MPI_Request> requests, MPI_Status* statuses = MPI_STATUSES_IGNORE) {
  if (spins_when_crowded) return wait_politely(requests, statuses);
  check(MPI_Waitall(mpi_count(static_cast<Index>(requests.size())), requests.data(), statuses),
        "MPI_Waitall");
}
bool test_all(std::span<MPI_Request> requests, MPI_Status* statuses = MPI_STATUSES_IGNORE) {
  int flag = 0;
  check(
      MPI_Testall(mpi_count(static_cast<Index>(requests.size())), requests.data(), &flag, statuses),
      "MPI_Testall");
  return flag != 0;
}

/// One message, split into parts whose counts fit in MPI's int.
class MpiMessage final : public Transfer {
 public:
  struct Endpoint {
    MPI_Comm comm;
    int peer, tag;
    bool sends;
  };
  MpiMessage(const Endpoint& endpoint, Index bytes, Index max_part)
      : endpoint_(endpoint),
        bytes_(bytes),
        max_part_(max_part),
        requests_(static_cast<std::size_t>(std::max<Index>(ceil_div(bytes, max_part), 1)),
                  MPI_REQUEST_NULL),
        statuses_(endpoint.sends ? 0 : requests_.size()) {}
  void start(const void* send, void* receive) override {
    is_void_ = false;
    is_under_way_ = true;
    Index done = 0;
    for (MPI_Request& request : requests_) {
      const Index part = std::min(bytes_ - done, max_part_);
      if (endpoint_.sends)
        check(MPI_Isend(static_cast<const std::byte*>(send) + done, mpi_count(part), MPI_BYTE,
                        endpoint_.peer, endpoint_.tag, endpoint_.comm, &request),
              "MPI_Isend");
      else
        check(MPI_Irecv(static_cast<std::byte*>(receive) + done, mpi_count(part), MPI_BYTE,
                        endpoint_.peer, endpoint_.tag, endpoint_.comm, &request),
              "MPI_Irecv");
      done += part;
    }
  }
  /// As many parts, each empty: the other side sees that it got less than it asked for.
  void start_void() override {
    for (MPI_Request& request : requests_)
      check(
          MPI_Isend(nullptr, 0, MPI_BYTE, endpoint_.peer, endpoint_.tag, endpoint_.comm, &request),
          "MPI_Isend");
  }
  bool is_void() const override { return is_void_; }
  bool test() override {
    if (!test_all(requests_, statuses())) return false;
    look_for_void();
    return true;
  }
  void wait() override {
    wait_for(requests_, statuses());
    look_for_void();
  }

 private:
  MPI_Status* statuses() { return endpoint_.sends ? MPI_STATUSES_IGNORE : statuses_.data(); }
  void look_for_void() {
    if (endpoint_.sends || !is_under_way_) return;
    is_under_way_ = false;
    int count = 0;
    check(MPI_Get_count(statuses_.data(), MPI_BYTE, &count), "MPI_Get_count");
    is_void_ = bytes_ > 0 && count == 0;
  }

  Endpoint endpoint_;
  Index bytes_, max_part_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;  ///< of what is received
  bool is_void_ = false, is_under_way_ = false;
};

/// The least of all ranks' numbers.
class MpiMinimum final : public Transfer {
 public:
  explicit MpiMinimum(MPI_Comm comm) : comm_(comm) {}
  void start(const void* send, void* receive) override {
    check(MPI_Iallreduce(send, receive, 1, MPI_INT64_T, MPI_MIN, comm_, &request_),
          "MPI_Iallreduce");
  }
  bool test() override { return test_all({&request_, 1}); }
  void wait() override { wait_for({&request_, 1}); }

 private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

/// After the barrier, each rank sees what the others wrote to shared memory before it.
class MpiBarrier final : public Transfer {
 public:
  explicit MpiBarrier(MPI_Comm comm) : comm_(comm) {}
  void start(const void*, void*) override {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    check(MPI_Ibarrier(comm_, &request_), "MPI_Ibarrier");
  }
  bool test() override {
    const bool is_done = test_all({&request_, 1});
    if (is_done) std::atomic_thread_fence(std::memory_order_seq_cst);
    return is_done;
  }
  void wait() override {
    wait_for({&request_, 1});
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class MpiAllToAllV final : public Transfer {
 public:
  MpiAllToAllV(MPI_Comm comm, std::span<const Block> send, std::span<const Block> receive)
      : comm_(comm), send_(send), receive_(receive) {}
  void start(const void* send, void* receive) override {
    check(
        MPI_Ialltoallv(send, send_.counts.data(), send_.offsets.data(), MPI_BYTE, receive,
                       receive_.counts.data(), receive_.offsets.data(), MPI_BYTE, comm_, &request_),
        "MPI_Ialltoallv");
  }
  bool test() override { return test_all({&request_, 1}); }
  void wait() override { wait_for({&request_, 1}); }
  void run(const void* send, void* receive) override {
    check(MPI_Alltoallv(send, send_.counts.data(), send_.offsets.data(), MPI_BYTE, receive,
                        receive_.counts.data(), receive_.offsets.data(), MPI_BYTE, comm_),
          "MPI_Alltoallv");
  }

 private:
  struct Side {
    std::vector<int> counts, offsets;
    explicit Side(std::span<const Block> blocks) {
      for (const Block& block : blocks) {
        counts.push_back(mpi_count(block.bytes));
        offsets.push_back(mpi_count(block.offset));
      }
    }
  };
  MPI_Comm comm_;
  Side send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

bool is_finalized() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

MPI_Comm duplicate_of(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup");
  return copy;
}

class MpiComm final : public Comm {
 public:
  MpiComm(std::vector<int> nodes, Index max_message_bytes, bool crowded)
      : crowded_(crowded), nodes_(std::move(nodes)), max_message_bytes_(max_message_bytes) {}
  /// Takes ownership of `comm`; the list of nodes is for its ranks.
  void open(MPI_Comm comm) {
    comm_ = comm;
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  ~MpiComm() override {
    // Not MPI_Comm_free: Open MPI 4.1 reuses the identifier for a new communicator while other
    // ranks still receive on the old one; nonblocking collectives then fail with truncated
    // messages.
    if (comm_ != MPI_COMM_NULL && !is_finalized()) MPI_Comm_disconnect(&comm_);
  }
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::vector<int> nodes() const override { return nodes_; }
  bool is_open() const override { return !is_finalized(); }
  std::string transport() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    std::string whole(text, static_cast<std::size_t>(length));
    std::ranges::replace(whole, '\t', ' ');
    return whole.substr(0, whole.find_first_of(",\n"));
  }

  std::shared_ptr<const Comm> duplicate() const override {
    std::shared_ptr<MpiComm> copy;
    mpi_support::agree(
        *this, [&] { copy = std::make_shared<MpiComm>(nodes_, max_message_bytes_, crowded_); });
    copy->open(duplicate_of(comm_));
    return copy;
  }
  std::shared_ptr<const Comm> split(int color) const override {
    std::vector<int> colors;
    mpi_support::agree(*this, [&] { colors.resize(static_cast<std::size_t>(size_)); });
    all_gather(&color, sizeof color, colors.data());
    std::shared_ptr<MpiComm> part;
    mpi_support::agree(*this, [&] {
      std::vector<int> nodes;
      for (std::size_t r = 0; r < colors.size(); ++r)
        if (colors[r] == color) nodes.push_back(nodes_[r]);
      part = std::make_shared<MpiComm>(std::move(nodes), max_message_bytes_, crowded_);
    });
    MPI_Comm comm = MPI_COMM_NULL;
    check(MPI_Comm_split(comm_, color, rank_, &comm), "MPI_Comm_split");
    part->open(comm);
    return part;
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    return mpi_support::make_shared_segment(*this, bytes);
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

  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    return std::make_unique<MpiMessage>(MpiMessage::Endpoint{comm_, to, tag, true}, bytes,
                                        max_message_bytes_);
  }
  std::unique_ptr<Transfer> prepare_receive(Index bytes, int from, int tag) const override {
    return std::make_unique<MpiMessage>(MpiMessage::Endpoint{comm_, from, tag, false}, bytes,
                                        max_message_bytes_);
  }
  bool can_send_void() const override { return true; }
  std::unique_ptr<Transfer> prepare_barrier() const override {
    return std::make_unique<MpiBarrier>(comm_);
  }
  std::unique_ptr<Transfer> prepare_minimum() const override {
    return std::make_unique<MpiMinimum>(comm_);
  }
  /// The byte counts of sender and receiver agree, but each rank has its own offsets. So the ranks
  /// check together whether all numbers fit in MPI's int.
  std::unique_ptr<Transfer> prepare_all_to_all_v(
      std::span<const Block> send_blocks, std::span<const Block> receive_blocks) const override {
    const auto fits = [&](const Block& block) {
      return fits_int(block.offset) && block.bytes <= max_message_bytes_;
    };
    const bool mine =
        std::ranges::all_of(send_blocks, fits) && std::ranges::all_of(receive_blocks, fits);
    if (minimum(mine ? 1 : 0) == 0) return Comm::prepare_all_to_all_v(send_blocks, receive_blocks);
    std::unique_ptr<Transfer> transfer;
    mpi_support::agree(*this, [&] {
      transfer = std::make_unique<MpiAllToAllV>(comm_, send_blocks, receive_blocks);
    });
    return transfer;
  }

  Index minimum(Index mine) const override {
    Index least = mine;
    if (crowded_)
      collective(
          [&](MPI_Request* r) {
            return MPI_Iallreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, comm_, r);
          },
          "MPI_Iallreduce");
    else
      check(MPI_Allreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, comm_), "MPI_Allreduce");
    return least;
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

 private:
  template <class Start>
  static void collective(const Start& start, const char* call) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(start(&request), call);
    wait_politely({&request, 1});
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool crowded_;  ///< more ranks than cores, and an MPI that spins; the same on all ranks
  std::vector<int> nodes_;
  Index max_message_bytes_;
  int rank_ = 0, size_ = 1;
};

/// The ranks that share memory with this one, according to MPI.
struct Node {
  int first = 0, ranks = 1;
};
Node node_of(MPI_Comm comm) {
  Node result;
  check(MPI_Comm_rank(comm, &result.first), "MPI_Comm_rank");
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, result.first, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  check(MPI_Comm_size(node, &result.ranks), "MPI_Comm_size");
  check(MPI_Bcast(&result.first, 1, MPI_INT, 0, node), "MPI_Bcast");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  return result;
}

/// Whether any node has more ranks than cores under an MPI that spins. All ranks must use the same
/// value: MPI does not match blocking with nonblocking collectives.
bool is_crowded(MPI_Comm comm, const Node& node) {
  if (!spins_when_crowded) return false;
  const int mine = node.ranks > sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0;
  int any = 0;
  check(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return any != 0;
}

/// Collective over `ranks`; `real` are the nodes according to MPI. Throws weft::Error on all ranks.
void check_options(const Comm& ranks, const std::vector<int>& real, const MpiOptions& options) {
  const std::vector<int>& nodes = options.nodes;
  std::string text;
  mpi_support::agree(ranks, [&] {
    if (!nodes.empty() && static_cast<int>(nodes.size()) != ranks.size())
      throw Error(ErrorCode::invalid_argument, std::to_string(nodes.size()) + " node numbers for " +
                                                   std::to_string(ranks.size()) +
                                                   " ranks; give one per rank");
    if (options.max_message_bytes < 1 || !fits_int(options.max_message_bytes))
      throw Error(ErrorCode::invalid_argument, "max_message_bytes must be from 1 to 2147483647");
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = a + 1; b < nodes.size(); ++b)
        if (nodes[a] == nodes[b] && real[a] != real[b])
          throw Error(ErrorCode::invalid_argument,
                      "ranks " + std::to_string(a) + " and " + std::to_string(b) +
                          " were given the same node number but share no memory; give them "
                          "different numbers, or leave MpiOptions::nodes empty");
    text = "at most " + std::to_string(options.max_message_bytes) + " bytes, nodes";
    for (int node : nodes) text += " " + std::to_string(node);
  });
  mpi_support::require_equal(ranks, text, "options of mpi_comm");
}

}  // namespace

std::shared_ptr<const Comm> mpi_comm(MPI_Comm comm, const MpiOptions& options) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0)
    throw Error(ErrorCode::invalid_argument, "MPI is not initialised; call MPI_Init first");
  if (comm == MPI_COMM_NULL)
    throw Error(ErrorCode::invalid_argument, "the communicator is MPI_COMM_NULL; pass a valid one");
  const Node node = node_of(comm);
  const bool crowded = is_crowded(comm, node);
  MpiComm ranks({}, MpiOptions{}.max_message_bytes, crowded);
  ranks.open(duplicate_of(comm));
  std::vector<int> nodes;  // the node number is the lowest rank of the node
  mpi_support::agree(ranks, [&] { nodes.resize(static_cast<std::size_t>(ranks.size())); });
  ranks.all_gather(&node.first, sizeof node.first, nodes.data());
  check_options(ranks, nodes, options);
  std::shared_ptr<MpiComm> result;
  mpi_support::agree(ranks, [&] {
    result = std::make_shared<MpiComm>(options.nodes.empty() ? nodes : options.nodes,
                                       options.max_message_bytes, crowded);
  });
  result->open(duplicate_of(comm));
  return result;
}

}  // namespace weft
