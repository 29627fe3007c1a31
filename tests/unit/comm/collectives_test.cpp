// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: those of ranks that are threads, and those that a communicator gets which
// has nothing but messages.
#include "support/collectives.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "weft/comm.hpp"

namespace weft {
namespace {

/// Passes messages on and has no collectives of its own.
class MessagesOnly final : public Comm {
 public:
  explicit MessagesOnly(const Comm& comm) : comm_(comm) {}
  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  std::shared_ptr<const Comm> duplicate() const override { return comm_.duplicate(); }
  std::shared_ptr<const Comm> split(int color) const override { return comm_.split(color); }
  std::vector<int> nodes() const override { return comm_.nodes(); }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    return comm_.allocate_shared(bytes);
  }
  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    return comm_.prepare_send(bytes, to, tag);
  }
  std::unique_ptr<Transfer> prepare_receive(Index bytes, int from, int tag) const override {
    return comm_.prepare_receive(bytes, from, tag);
  }
  std::unique_ptr<Transfer> prepare_barrier() const override { return comm_.prepare_barrier(); }

 private:
  const Comm& comm_;
};

TEST(Collectives, OfThreadsGiveEveryRankWhatTheyPromise) {
  for (int ranks : {1, 2, 3, 5}) run_as_threads(ranks, test::expect_collectives);
}

TEST(Messages, OfThreadsArriveInOrderAndInTheirCommunicator) {
  for (int ranks : {1, 2, 5}) run_as_threads(ranks, test::expect_messages);
}

TEST(Collectives, ByMessagesGiveEveryRankWhatTheyPromise) {
  for (int ranks : {1, 2, 3, 5})
    run_as_threads(ranks, [](const Comm& comm) {
      const MessagesOnly messages(comm);
      test::expect_collectives(messages);
      comm.barrier();
      messages.barrier();
    });
}

/// Rank s has s + 2 r bytes for rank r, none at all for some; what is not written stays.
TEST(Collectives, AllToAllVMovesBlocksOfAnyLength) {
  constexpr int ranks = 4;
  const auto bytes = [](int sender, int receiver) {
    return sender == 2 && receiver == 1 ? Index{0} : Index{sender + 2 * receiver};
  };
  run_as_threads(ranks, [&](const Comm& comm) {
    const int me = comm.rank();
    std::vector<Block> send, receive;
    Index sent = 3, received = 5;  // gaps before, between and after
    for (int peer = 0; peer < ranks; ++peer) {
      send.push_back({sent, bytes(me, peer)});
      receive.push_back({received, bytes(peer, me)});
      sent += bytes(me, peer) + 1;
      received += bytes(peer, me) + 2;
    }
    const auto transfer = comm.prepare_all_to_all_v(send, receive);
    for (int round = 0; round < 3; ++round) {
      std::vector<char> from(static_cast<std::size_t>(sent), '?');
      std::vector<char> to(static_cast<std::size_t>(received), '.');
      for (int peer = 0; peer < ranks; ++peer)
        std::memset(&from[static_cast<std::size_t>(send[static_cast<std::size_t>(peer)].offset)],
                    'a' + 4 * me + peer + round, static_cast<std::size_t>(bytes(me, peer)));
      std::vector<char> wanted = to;
      for (int peer = 0; peer < ranks; ++peer)
        std::memset(
            &wanted[static_cast<std::size_t>(receive[static_cast<std::size_t>(peer)].offset)],
            'a' + 4 * peer + me + round, static_cast<std::size_t>(bytes(peer, me)));
      transfer->run(from.data(), to.data());
      EXPECT_EQ(std::string(to.begin(), to.end()), std::string(wanted.begin(), wanted.end()));
    }
  });
}

TEST(Collectives, SplitKeepsTheOrderOfRanksAndTheMessagesApart) {
  run_as_threads(5, [](const Comm& comm) {
    const int color = comm.rank() % 2;
    const auto part = comm.split(color);
    EXPECT_EQ(part->size(), color == 0 ? 3 : 2);
    EXPECT_EQ(part->rank(), comm.rank() / 2);
    const auto twin = part->duplicate();
    EXPECT_EQ(twin->rank(), part->rank());
    // The same pair of ranks and the same tag in both: each takes its own message.
    const int own = 100 * color + part->rank(), other = own + 1000;
    const int next = (part->rank() + 1) % part->size();
    const int last = (part->rank() + part->size() - 1) % part->size();
    int from_part = -1, from_twin = -1;
    const auto in_twin = twin->prepare_receive(sizeof(int), last, 3);
    const auto in_part = part->prepare_receive(sizeof(int), last, 3);
    const auto out_twin = twin->prepare_send(sizeof(int), next, 3);
    const auto out_part = part->prepare_send(sizeof(int), next, 3);
    in_twin->start(nullptr, &from_twin);
    in_part->start(nullptr, &from_part);
    out_part->start(&own, nullptr);
    out_twin->start(&other, nullptr);
    for (const auto* transfer : {&in_twin, &in_part, &out_twin, &out_part}) (*transfer)->wait();
    EXPECT_EQ(from_part, 100 * color + last);
    EXPECT_EQ(from_twin, 1000 + 100 * color + last);
  });
}

TEST(Collectives, MemoryOfANodeIsSeenByItsRanksOnly) {
  const std::vector<int> nodes{0, 1, 0, 1};
  run_as_threads(nodes, [&](const Comm& comm) {
    EXPECT_EQ(comm.nodes(), nodes);
    const auto node = comm.split(nodes[static_cast<std::size_t>(comm.rank())]);
    const auto memory = node->allocate_shared(2 * sizeof(int));
    ASSERT_NE(memory, nullptr);
    const int mine = 10 + comm.rank();
    std::memcpy(memory->data() + sizeof mine * static_cast<std::size_t>(node->rank()), &mine,
                sizeof mine);
    node->barrier();
    int seen[2];
    std::memcpy(seen, memory->data(), sizeof seen);
    EXPECT_EQ(seen[0], 10 + comm.rank() % 2);
    EXPECT_EQ(seen[1], 12 + comm.rank() % 2);
    node->barrier();
  });
}

}  // namespace
}  // namespace weft
