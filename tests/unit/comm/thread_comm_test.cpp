// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "support/in_child.hpp"
#include "weft/comm.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

TEST(ThreadComm, RanksWhoseThreadsCannotBeMadeAreAnErrorAndRunNothing) {
  if (test::is_sanitized) GTEST_SKIP() << "not under sanitizers";
  EXPECT_EQ(test::in_child([] {
              test::leave_address_space(std::size_t{64} << 20);
              std::atomic<int> ranks = 0;
              try {
                run_as_threads(200, [&](const Comm& comm) {
                  ++ranks;
                  comm.barrier();
                });
              } catch (const Error& error) {
                return ranks == 0 &&
                       std::string(error.what()).find("200 ranks were requested") == 0;
              }
              return false;
            }),
            "good");
}

TEST(ThreadComm, TransfersAreStartedAgainAndAgain) {
  run_as_threads(3, [](const Comm& comm) {
    const int next = (comm.rank() + 1) % 3, last = (comm.rank() + 2) % 3;
    const auto send = comm.prepare_send(sizeof(int), next, 7);
    const auto receive = comm.prepare_receive(sizeof(int), last, 7);
    const auto barrier = comm.prepare_barrier();
    EXPECT_TRUE(send->test() && receive->test() && barrier->test());
    for (int round = 0; round < 100; ++round) {
      const int mine = 1000 * comm.rank() + round;
      int theirs = -1;
      send->start(&mine, nullptr);
      receive->start(nullptr, &theirs);
      receive->wait();
      send->wait();
      EXPECT_EQ(theirs, 1000 * last + round);
      barrier->run(nullptr, nullptr);
    }
  });
}

TEST(ThreadComm, AMessageThatIsGivenUpIsForgotten) {
  run_as_threads(2, [](const Comm& comm) {
    int number = comm.rank();
    if (comm.rank() == 0) {
      const auto send = comm.prepare_send(sizeof number, 1, 0);
      send->start(&number, nullptr);
    }
    comm.barrier();
    number = 5;
    if (comm.rank() == 0)
      comm.prepare_send(sizeof number, 1, 0)->run(&number, nullptr);
    else
      comm.prepare_receive(sizeof number, 0, 0)->run(nullptr, &number);
    EXPECT_EQ(number, 5);
    comm.barrier();
  });
}

}  // namespace
}  // namespace weft
