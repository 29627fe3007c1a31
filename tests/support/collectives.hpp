// SPDX-License-Identifier: BSD-3-Clause
// What every communicator promises of its collective operations and messages.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "weft/comm.hpp"

namespace weft::test {

/// Collective.
inline void expect_collectives(const Comm& comm) {
  const int me = comm.rank(), ranks = comm.size();
  EXPECT_EQ(comm.minimum(100 - me), 100 - (ranks - 1));
  for (int root = 0; root < ranks; ++root) {
    int number = me == root ? 70 + root : -1;
    comm.broadcast(&number, sizeof number, root);
    EXPECT_EQ(number, 70 + root);
  }
  std::vector<int> all(static_cast<std::size_t>(ranks), -1), send(all), received(all);
  comm.all_gather(&me, sizeof me, all.data());
  for (int to = 0; to < ranks; ++to) {
    EXPECT_EQ(all[static_cast<std::size_t>(to)], to);
    send[static_cast<std::size_t>(to)] = 10 * me + to;
  }
  comm.all_to_all(send.data(), received.data(), sizeof(int));
  for (int from = 0; from < ranks; ++from)
    EXPECT_EQ(received[static_cast<std::size_t>(from)], 10 * from + me);
}

/// Collective. Messages to the next rank, in two communicators with the same ranks: each takes its
/// own, in the order in which they were sent.
inline void expect_messages(const Comm& comm) {
  const auto twin = comm.duplicate();
  const int me = comm.rank(), ranks = comm.size();
  const int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
  std::vector<int> got(3, -1);
  const int sent[] = {me, 100 + me, 200 + me};
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (int i = 0; i < 3; ++i) {
    const Comm& one = i == 1 ? *twin : comm;
    transfers.push_back(one.prepare_receive(sizeof(int), last, 7));
    transfers.back()->start(nullptr, &got[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < 3; ++i) {
    transfers.push_back((i == 1 ? *twin : comm).prepare_send(sizeof(int), next, 7));
    transfers.back()->start(&sent[i], nullptr);
  }
  for (const auto& transfer : transfers) transfer->wait();
  EXPECT_EQ(got, (std::vector<int>{last, 100 + last, 200 + last}));
}

}  // namespace weft::test
