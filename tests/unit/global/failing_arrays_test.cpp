// SPDX-License-Identifier: BSD-3-Clause
// Distributed arrays, and plans on them, where one rank has no memory or passes what is wrong.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>

#include "failing_problems.hpp"
#include "support/failing_new.hpp"
#include "support/watchdog.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using namespace test;

/// Whether allocation `failing` of rank `bad` came; then all ranks threw the same error, or none
/// did, because the rank could do without.
bool plan_on_arrays(const std::vector<Index>& shape, int bad, long failing) {
  std::mutex mutex;
  bool has_failed = false;
  std::vector<std::string> messages;
  run_as_threads(3, [&](const Comm& comm) {
    const LocalBoxes boxes = slabs(shape, 0, 3, comm.rank());
    const Transform transform = c2c(shape);
    const DistributedOptions options{.exchange = ExchangeAlgorithm::shared, .use_wisdom = false};
    std::string message = "no error";
    try {
      const Allocations allocations(comm.rank() == bad ? failing : -1);
      const DistributedArray<Complex> in(boxes, comm), out(boxes, comm);
      DistributedPlan plan(transform, in, out, comm, options);
      in[0] = 1;
      plan.execute(in, out);
    } catch (const Error& error) {
      message = error.what();
    } catch (const std::bad_alloc&) {
      message = "bad_alloc";
    }
    const std::lock_guard lock(mutex);
    messages.push_back(message);
    if (comm.rank() == bad) has_failed = Allocations::has_failed();
  });
  for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
  EXPECT_TRUE(has_failed || messages[0] == "no error") << messages[0];
  return has_failed;
}

TEST(FailingTogether, ArraysAndTheirPlansSurviveAFailedAllocationOfOneRank) {
  Watchdog watchdog(std::chrono::seconds(30));
  const std::vector<Index> shape{7, 5, 4};
  plan_on_arrays(shape, 0, -1);  // warms up what is made once
  long failing = 0;
  for (bool goes_on = true; goes_on; failing += failing < 150 ? 1 : 13) {
    watchdog.expect("allocation " + std::to_string(failing));
    goes_on = plan_on_arrays(shape, failing % 2 == 0 ? 2 : 0, failing);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(failing, 300);
}

/// Wrong pointers are told by a flag in shared memory, also where the ranks meet before and after.
TEST(FailingTogether, WrongPointersToPlansOnArraysThrowOnAll) {
  Watchdog watchdog(std::chrono::seconds(30));
  watchdog.expect("wrong pointers");
  const std::vector<Index> shape{7, 5, 4};
  for (const int to : {0, 1, 2})
    run_as_threads(3, [&](const Comm& comm) {
      const LocalBoxes here = slabs(shape, 0, 3, comm.rank());
      const LocalBoxes there = slabs(shape, to, 3, comm.rank());
      const DistributedArray<Complex> in(here, comm), out(there, comm), other(there, comm);
      DistributedPlan plan(c2c(shape), in, out, comm,
                           {.exchange = ExchangeAlgorithm::shared, .use_wisdom = false});
      for (int round = 0; round < 3; ++round) {
        const std::string all = error_of([&] { plan.execute(in, comm.rank() == 1 ? other : out); });
        EXPECT_EQ(all.find("rank 1: the plan was made for a distributed array"), 0U) << all;
        const std::string mine = error_of([&] {
          plan.start(in, comm.rank() == round ? other : out);
          plan.wait();
        });
        EXPECT_NE(mine.find(comm.rank() == round ? "another pointer" : "another rank"),
                  std::string::npos)
            << mine;
        std::fill(in.begin(), in.end(), 0.0);
        if (comm.rank() == 0) in[0] = 1.0;
        plan.execute(in, out);
        for (const Complex& x : out) ASSERT_LT(std::abs(x - 1.0), 1e-12);
      }
    });
}

}  // namespace
}  // namespace weft
