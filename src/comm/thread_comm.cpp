// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of one process. A message is copied to the receiver's memory as soon as
// both sides have been started, as MPI may do. Shared memory is ordinary memory.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/buffer.hpp"
#include "comm/agree.hpp"
#include "weft/comm.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

/// The data shared by all ranks of one communicator.
struct Hub {
  explicit Hub(std::vector<int> node_numbers)
      : nodes(std::move(node_numbers)), barriers(nodes.size(), 0), offered(nodes.size(), nullptr) {}

  const std::vector<int> nodes;
  std::mutex mutex;
  std::condition_variable changed;

  /// One side (send or receive) of a message. From its start until the other side starts it is in a
  /// list of the hub, otherwise in the list of its transfer; moving it between lists allocates
  /// nothing.
  struct Post {
    int from, to, tag;
    Index bytes;
    std::list<Post>* home = nullptr;
    const void* source = nullptr;
    void* target = nullptr;
    bool is_done = true;
    bool is_void = false;
  };
  std::list<Post> sends, receives;
  std::vector<long> barriers;  ///< per rank: number of barriers started

  std::vector<const void*>
      offered;      ///< per rank: the memory that the others read in a blocking operation
  int arrived = 0;  ///< number of ranks in meet()
  long meetings = 0;

  int size() const { return static_cast<int>(nodes.size()); }
  bool is_passed(long barrier) const {
    return std::ranges::all_of(barriers, [&](long started) { return started >= barrier; });
  }
};

class Message final : public Transfer {
 public:
  enum class Side { send, receive };

  Message(std::shared_ptr<Hub> hub, Side side, const Hub::Post& post)
      : hub_(std::move(hub)), side_(side), home_(1, post), post_(home_.begin()) {
    post_->home = &home_;
  }
  ~Message() override {
    const std::lock_guard lock(hub_->mutex);
    if (!post_->is_done) home_.splice(home_.begin(), mine(), post_);
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  void start(const void* send, void* receive) override { post(send, receive, false); }
  void start_void() override { post(nullptr, nullptr, true); }
  bool is_void() const override { return post_->is_void; }
  bool test() override {
    const std::lock_guard lock(hub_->mutex);
    return post_->is_done;
  }
  void wait() override {
    std::unique_lock lock(hub_->mutex);
    hub_->changed.wait(lock, [this] { return post_->is_done; });
  }

 private:
  void post(const void* send, void* receive, bool is_void) {
    {
      const std::lock_guard lock(hub_->mutex);
      post_->is_void = is_void;
      post_->source = send;
      post_->target = receive;
      post_->is_done = false;
      mine().splice(mine().end(), home_, post_);
      const auto partner = std::ranges::find_if(theirs(), [this](const Hub::Post& other) {
        return other.from == post_->from && other.to == post_->to && other.tag == post_->tag;
      });
      if (partner == theirs().end()) return;
      if (side_ == Side::send)
        deliver(*post_, *partner);
      else
        deliver(*partner, *post_);
      partner->home->splice(partner->home->begin(), theirs(), partner);
      home_.splice(home_.begin(), mine(), post_);
    }
    hub_->changed.notify_all();
  }

  std::list<Hub::Post>& mine() { return side_ == Side::send ? hub_->sends : hub_->receives; }
  std::list<Hub::Post>& theirs() { return side_ == Side::send ? hub_->receives : hub_->sends; }

  static void deliver(Hub::Post& send, Hub::Post& receive) {
    if (send.bytes != receive.bytes)
      throw Error(ErrorCode::internal, "a message of " + std::to_string(send.bytes) +
                                           " bytes met a receive of " +
                                           std::to_string(receive.bytes));
    receive.is_void = send.is_void;
    if (send.bytes > 0 && !send.is_void)
      std::memcpy(receive.target, send.source, static_cast<std::size_t>(send.bytes));
    send.is_done = receive.is_done = true;
  }

  std::shared_ptr<Hub> hub_;
  Side side_;
  std::list<Hub::Post> home_;
  std::list<Hub::Post>::iterator post_;
};

/// The n-th barrier of a rank waits for the n-th barrier of all other ranks.
class Barrier final : public Transfer {
 public:
  Barrier(std::shared_ptr<Hub> hub, int rank) : hub_(std::move(hub)), rank_(rank) {}
  void start(const void*, void*) override {
    {
      const std::lock_guard lock(hub_->mutex);
      number_ = ++hub_->barriers[static_cast<std::size_t>(rank_)];
    }
    hub_->changed.notify_all();
  }
  bool test() override {
    const std::lock_guard lock(hub_->mutex);
    return hub_->is_passed(number_);
  }
  void wait() override {
    std::unique_lock lock(hub_->mutex);
    hub_->changed.wait(lock, [this] { return hub_->is_passed(number_); });
  }

 private:
  std::shared_ptr<Hub> hub_;
  int rank_;
  long number_ = 0;
};

class ThreadMemory final : public SharedMemory {
 public:
  std::shared_ptr<Buffer<std::byte>> memory;
  std::byte* data() const override { return memory->data(); }
};

/// Null if there is not enough memory.
std::shared_ptr<Buffer<std::byte>> zeros(std::size_t bytes) {
  try {
    auto memory = std::make_shared<Buffer<std::byte>>(static_cast<Index>(bytes));
    std::ranges::fill(memory->span(), std::byte{0});
    return memory;
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// In blocking operations, ranks read each other's memory between two calls of meet(); nothing is
/// allocated.
class ThreadComm final : public Comm {
 public:
  ThreadComm(std::shared_ptr<Hub> hub, int rank) : hub_(std::move(hub)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  std::vector<int> nodes() const override { return hub_->nodes; }
  std::string transport() const override { return "threads"; }
  bool can_send_void() const override { return true; }

  std::shared_ptr<const Comm> duplicate() const override { return split(0); }

  std::shared_ptr<const Comm> split(int color) const override {
    std::vector<int> colors;
    agree(*this, [&] { colors.resize(static_cast<std::size_t>(size())); });
    all_gather(&color, sizeof color, colors.data());
    const int first = static_cast<int>(std::ranges::find(colors, color) - colors.begin());
    std::shared_ptr<Hub> group;  // made by the first rank of each color
    std::vector<const std::shared_ptr<Hub>*> groups;
    agree(*this, [&] {
      groups.resize(colors.size());
      if (first == rank_) group = make_group(colors, color);
    });
    const std::shared_ptr<Hub>* mine = &group;
    all_gather(&mine, sizeof mine, groups.data());
    std::shared_ptr<const Comm> part;
    agree(*this, [&] {
      const auto position = std::count(colors.begin(), colors.begin() + rank_, color);
      part = std::make_shared<ThreadComm>(*groups[static_cast<std::size_t>(first)],
                                          static_cast<int>(position));
    });
    return part;
  }

  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    std::unique_ptr<ThreadMemory> shared;
    agree(*this, [&] { shared = std::make_unique<ThreadMemory>(); });
    if (rank_ == 0) shared->memory = zeros(bytes);
    const std::shared_ptr<Buffer<std::byte>>* source = &shared->memory;
    broadcast(&source, sizeof source, 0);
    if (rank_ != 0) shared->memory = *source;
    barrier();
    if (!shared->memory) shared.reset();
    return shared;
  }

  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    return std::make_unique<Message>(hub_, Message::Side::send, Hub::Post{rank_, to, tag, bytes});
  }
  std::unique_ptr<Transfer> prepare_receive(Index bytes, int from, int tag) const override {
    return std::make_unique<Message>(hub_, Message::Side::receive,
                                     Hub::Post{from, rank_, tag, bytes});
  }
  std::unique_ptr<Transfer> prepare_barrier() const override {
    return std::make_unique<Barrier>(hub_, rank_);
  }

  void barrier() const override { meet(); }
  Index minimum(Index mine) const override {
    Index least = mine;
    share(&mine, [&](int, const void* theirs) {
      least = std::min(least, *static_cast<const Index*>(theirs));
    });
    return least;
  }
  void broadcast(void* data, Index bytes, int root) const override {
    share(data, [&](int from, const void* theirs) {
      if (from == root && rank_ != root) copy(theirs, data, 0, bytes);
    });
  }
  void all_gather(const void* mine, Index bytes, void* all) const override {
    share(mine, [&](int from, const void* theirs) { copy(theirs, all, from * bytes, bytes); });
  }
  void all_to_all(const void* send, void* receive, Index bytes) const override {
    share(send, [&](int from, const void* theirs) {
      copy(static_cast<const std::byte*>(theirs) + rank_ * bytes, receive, from * bytes, bytes);
    });
  }

 private:
  std::shared_ptr<Hub> make_group(const std::vector<int>& colors, int color) const {
    std::vector<int> nodes;
    for (std::size_t r = 0; r < colors.size(); ++r)
      if (colors[r] == color) nodes.push_back(hub_->nodes[r]);
    return std::make_shared<Hub>(std::move(nodes));
  }

  static void copy(const void* from, void* to, Index offset, Index bytes) {
    std::byte* target = static_cast<std::byte*>(to) + offset;
    if (bytes > 0 && target != from) std::memcpy(target, from, static_cast<std::size_t>(bytes));
  }

  /// Calls read(rank, that rank's memory) for every rank.
  template <class Read>
  void share(const void* mine, const Read& read) const {
    hub_->offered[static_cast<std::size_t>(rank_)] = mine;
    meet();
    for (int from = 0; from < size(); ++from)
      read(from, hub_->offered[static_cast<std::size_t>(from)]);
    meet();
  }

  /// Returns when all ranks have called it.
  void meet() const {
    std::unique_lock lock(hub_->mutex);
    const long meeting = hub_->meetings;
    if (++hub_->arrived == size()) {
      hub_->arrived = 0;
      ++hub_->meetings;
      hub_->changed.notify_all();
    } else {
      hub_->changed.wait(lock, [&] { return hub_->meetings != meeting; });
    }
  }

  std::shared_ptr<Hub> hub_;
  int rank_;
};

/// Threads wait here until all have been started.
class Gate {
 public:
  void open(bool is_good) {
    {
      const std::lock_guard lock(mutex_);
      state_ = is_good ? State::open : State::given_up;
    }
    changed_.notify_all();
  }
  bool pass() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return state_ != State::closed; });
    return state_ == State::open;
  }

 private:
  enum class State { closed, open, given_up } state_ = State::closed;
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace

void run_as_threads(const std::vector<int>& nodes, const std::function<void(const Comm&)>& body) {
  const auto hub = std::make_shared<Hub>(nodes);
  std::vector<std::exception_ptr> errors(nodes.size());
  std::vector<std::thread> threads;
  Gate gate;
  const auto run_rank = [&](std::size_t rank) {
    if (!gate.pass()) return;
    try {
      body(ThreadComm(hub, static_cast<int>(rank)));
    } catch (...) {
      errors[rank] = std::current_exception();
    }
  };
  const auto join = [&](bool is_good) {
    gate.open(is_good);
    for (std::thread& thread : threads) thread.join();
  };
  threads.reserve(nodes.size());
  try {
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) threads.emplace_back(run_rank, rank);
  } catch (const std::exception& error) {  // no more threads, or no memory
    join(false);
    throw Error(ErrorCode::out_of_memory,
                std::to_string(nodes.size()) + " ranks were requested, but thread " +
                    std::to_string(threads.size() + 1) + " cannot be started (" + error.what() +
                    "); use fewer ranks");
  }
  join(true);
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

void run_as_threads(int ranks, const std::function<void(const Comm&)>& body) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument,
                std::to_string(ranks) + " ranks were requested; use at least 1");
  run_as_threads(std::vector<int>(static_cast<std::size_t>(ranks), 0), body);
}

}  // namespace weft
