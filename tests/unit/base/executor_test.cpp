// SPDX-License-Identifier: BSD-3-Clause
#include "weft/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/in_child.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using Make = std::shared_ptr<const Executor> (*)(int);

/// Whether every task of a run is done once.
bool runs_all(const Executor& executor) {
  constexpr int tasks = 70;
  std::array<std::atomic<int>, tasks> calls{};
  executor.run(tasks, [&](int task) { ++calls[static_cast<std::size_t>(task)]; });
  return std::ranges::all_of(calls, [](const auto& count) { return count == 1; });
}

TEST(Executor, WorksInTheChildOfAForkAfterThreadsHaveRun) {
  if (test::is_sanitized) GTEST_SKIP() << "not under sanitizers";
  for (const Make make : {Make(openmp_executor), Make(thread_executor)}) {
    const auto executor = make(3);
    ASSERT_TRUE(runs_all(*executor));
    EXPECT_EQ(test::in_child([&] { return runs_all(*executor) && runs_all(*make(2)); }), "good");
    EXPECT_TRUE(runs_all(*executor));
  }
}

/// Whether asking for more threads than the address space allows throws what it should.
bool is_refused(Make make) {
  test::leave_address_space(std::size_t{64} << 20);
  try {
    make(200);
  } catch (const Error& error) {
    return std::string(error.what()).find("200 threads were requested") == 0;
  }
  return false;
}

TEST(Executor, ThreadsThatCannotBeMadeAreAnError) {
  if (test::is_sanitized) GTEST_SKIP() << "not under sanitizers";
  for (const Make make : {Make(openmp_executor), Make(thread_executor)})
    EXPECT_EQ(test::in_child([&] { return is_refused(make); }), "good");
}

/// These start the test anew: in the child of a fork OpenMP's threads are not used.
class OpenMpExecutorDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::is_sanitized) GTEST_SKIP() << "not under sanitizers";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(OpenMpExecutorDeathTest, ThreadsThatCannotBeMadeAreAnError) {
  EXPECT_EXIT(std::_Exit(is_refused(openmp_executor) ? 0 : 3), testing::ExitedWithCode(0), "");
}

/// One thread makes the executor, another runs it when no more threads can be made.
bool runs_where_no_team_can_be_made() {
  const auto executor = openmp_executor(64);  // more stacks than the C library keeps
  std::atomic<bool> is_limited = false, is_good = false;
  std::thread other([&] {
    is_limited.wait(false);
    is_good = runs_all(*executor);
  });
  test::leave_address_space(std::size_t{1} << 20);
  is_limited = true;
  is_limited.notify_one();
  other.join();
  return is_good && runs_all(*executor);
}

TEST_F(OpenMpExecutorDeathTest, ACallerForWhomNoThreadsCanBeMadeRunsAllTasks) {
  EXPECT_EXIT(std::_Exit(runs_where_no_team_can_be_made() ? 0 : 3), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weft
