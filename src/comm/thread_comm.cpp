// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of one process. A message goes into the receiver's memory as soon as both
// sides have been posted, as it may under MPI; shared memory is ordinary memory.
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "base/buffer.hpp"
#include "weft/comm.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

/// What all ranks of one communicator share.
struct Hub {
  explicit Hub(std::vector<int> node_numbers) : nodes(std::move(node_numbers)) {}

  const std::vector<int> nodes;
  std::mutex mutex;
  std::condition_variable changed;

  using Envelope = std::tuple<int, int, int>;  // from, to, tag
  struct Slot {                                // a posted receive
    void* data;
    Index bytes;
    bool done = false;
  };
  std::map<Envelope, std::deque<std::vector<std::byte>>> mail;   // sent, not yet wanted
  std::map<Envelope, std::deque<std::shared_ptr<Slot>>> posted;  // wanted, not yet sent

  struct Meeting {  // one barrier, split or allocation; the n-th call of every rank meets
    int arrived = 0, left = 0;
    std::vector<int> colors;
    std::map<int, std::shared_ptr<Hub>> groups;
    std::shared_ptr<Buffer<std::byte>> memory;
  };
  std::map<long, Meeting> meetings;

  int size() const { return static_cast<int>(nodes.size()); }
};

class Sent final : public Request {
 public:
  bool test() override { return true; }
  void wait() override {}
};

/// Into the receiver's memory; under the hub's lock.
void deliver(Hub::Slot& slot, const std::byte* data, Index bytes) {
  if (bytes != slot.bytes)
    throw Error(ErrorCode::internal, "a message of " + std::to_string(bytes) +
                                         " bytes met a receive of " + std::to_string(slot.bytes));
  if (bytes > 0) std::memcpy(slot.data, data, static_cast<std::size_t>(bytes));
  slot.done = true;
}

class Receiving final : public Request {
 public:
  Receiving(std::shared_ptr<Hub> hub, std::shared_ptr<Hub::Slot> slot)
      : hub_(std::move(hub)), slot_(std::move(slot)) {}
  bool test() override {
    const std::lock_guard lock(hub_->mutex);
    return slot_->done;
  }
  void wait() override {
    std::unique_lock lock(hub_->mutex);
    hub_->changed.wait(lock, [this] { return slot_->done; });
  }

 private:
  std::shared_ptr<Hub> hub_;
  std::shared_ptr<Hub::Slot> slot_;
};

class Meeting final : public Request {
 public:
  Meeting(std::shared_ptr<Hub> hub, long number) : hub_(std::move(hub)), number_(number) {}
  bool test() override {
    if (done_) return true;
    const std::lock_guard lock(hub_->mutex);
    return leave();
  }
  void wait() override {
    if (done_) return;
    std::unique_lock lock(hub_->mutex);
    hub_->changed.wait(lock, [this] { return leave(); });
  }

 private:
  bool leave() {
    const auto found = hub_->meetings.find(number_);
    if (found->second.arrived < hub_->size()) return false;
    if (++found->second.left == hub_->size()) hub_->meetings.erase(found);
    return done_ = true;
  }

  std::shared_ptr<Hub> hub_;
  long number_;
  bool done_ = false;
};

class ThreadMemory final : public SharedMemory {
 public:
  explicit ThreadMemory(std::shared_ptr<Buffer<std::byte>> memory) : memory_(std::move(memory)) {}
  std::byte* data() const override { return memory_->data(); }

 private:
  std::shared_ptr<Buffer<std::byte>> memory_;
};

class ThreadComm final : public Comm {
 public:
  ThreadComm(std::shared_ptr<Hub> hub, int rank) : hub_(std::move(hub)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return hub_->size(); }
  std::vector<int> nodes() const override { return hub_->nodes; }
  std::string transport() const override { return "threads"; }

  std::shared_ptr<const Comm> duplicate() const override { return split(0); }

  std::shared_ptr<const Comm> split(int color) const override {
    std::shared_ptr<Hub> group;
    int position = 0;
    meet(
        [&](Hub::Meeting& meeting) {
          meeting.colors.resize(static_cast<std::size_t>(size()));
          meeting.colors[static_cast<std::size_t>(rank_)] = color;
        },
        [&](Hub::Meeting& meeting) {
          std::vector<int> nodes;
          for (int r = 0; r < size(); ++r) {
            if (meeting.colors[static_cast<std::size_t>(r)] != color) continue;
            if (r < rank_) ++position;
            nodes.push_back(hub_->nodes[static_cast<std::size_t>(r)]);
          }
          auto& shared = meeting.groups[color];
          if (!shared) shared = std::make_shared<Hub>(nodes);
          group = shared;
        });
    return std::make_shared<ThreadComm>(group, position);
  }

  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    std::shared_ptr<Buffer<std::byte>> memory;
    meet([](Hub::Meeting&) {},
         [&](Hub::Meeting& meeting) {
           if (!meeting.memory) {
             meeting.memory = std::make_shared<Buffer<std::byte>>(static_cast<Index>(bytes));
             if (bytes > 0) std::memset(meeting.memory->data(), 0, bytes);
           }
           memory = meeting.memory;
         });
    return std::make_unique<ThreadMemory>(memory);
  }

  std::unique_ptr<Request> start_send(const void* data, Index bytes, int to,
                                      int tag) const override {
    const auto* begin = static_cast<const std::byte*>(data);
    {
      const std::lock_guard lock(hub_->mutex);
      auto& waiting = hub_->posted[{rank_, to, tag}];
      if (waiting.empty()) {
        hub_->mail[{rank_, to, tag}].emplace_back(begin, begin + bytes);
      } else {
        deliver(*waiting.front(), begin, bytes);
        waiting.pop_front();
      }
    }
    hub_->changed.notify_all();
    return std::make_unique<Sent>();
  }
  std::unique_ptr<Request> start_receive(void* data, Index bytes, int from,
                                         int tag) const override {
    auto slot = std::make_shared<Hub::Slot>(Hub::Slot{data, bytes});
    const std::lock_guard lock(hub_->mutex);
    auto& sent = hub_->mail[{from, rank_, tag}];
    if (sent.empty()) {
      hub_->posted[{from, rank_, tag}].push_back(slot);
    } else {
      deliver(*slot, sent.front().data(), static_cast<Index>(sent.front().size()));
      sent.pop_front();
    }
    return std::make_unique<Receiving>(hub_, slot);
  }
  std::unique_ptr<Request> start_barrier() const override {
    const long number = next_meeting_++;
    {
      const std::lock_guard lock(hub_->mutex);
      ++hub_->meetings[number].arrived;
    }
    hub_->changed.notify_all();
    return std::make_unique<Meeting>(hub_, number);
  }

 private:
  /// Every rank brings something, and when all are there takes something; under the hub's lock.
  template <class Bring, class Take>
  void meet(const Bring& bring, const Take& take) const {
    const long number = next_meeting_++;
    std::unique_lock lock(hub_->mutex);
    bring(hub_->meetings[number]);
    ++hub_->meetings[number].arrived;
    hub_->changed.notify_all();
    hub_->changed.wait(lock, [&] { return hub_->meetings[number].arrived == size(); });
    take(hub_->meetings[number]);
    if (++hub_->meetings[number].left == size()) hub_->meetings.erase(number);
  }

  std::shared_ptr<Hub> hub_;
  int rank_;
  mutable long next_meeting_ = 0;
};

}  // namespace

void run_as_threads(const std::vector<int>& nodes, const std::function<void(const Comm&)>& body) {
  const auto hub = std::make_shared<Hub>(nodes);
  std::vector<std::exception_ptr> errors(nodes.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    threads.emplace_back([&, rank] {
      try {
        body(ThreadComm(hub, static_cast<int>(rank)));
      } catch (...) {
        errors[rank] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

void run_as_threads(int ranks, const std::function<void(const Comm&)>& body) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument,
                std::to_string(ranks) + " ranks were asked for; give at least 1");
  run_as_threads(std::vector<int>(static_cast<std::size_t>(ranks), 0), body);
}

}  // namespace weft
