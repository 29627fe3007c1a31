// SPDX-License-Identifier: BSD-3-Clause
// What every executor promises of run(): each task once, all done when it returns, any number of
// tasks, several callers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "weft/executor.hpp"

namespace weft {
namespace {

std::vector<std::shared_ptr<const Executor>> executors() {
  return {serial_executor(),  openmp_executor(1), openmp_executor(3),
          thread_executor(1), thread_executor(4), thread_executor(7)};
}

/// Whether each of `tasks` tasks runs once.
bool runs_each_once(const Executor& executor, int tasks) {
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(tasks));
  std::atomic<bool> stranger = false;
  executor.run(tasks, [&](int task) {
    if (task < 0 || task >= tasks)
      stranger = true;
    else
      ++calls[static_cast<std::size_t>(task)];
  });
  return !stranger && std::ranges::all_of(calls, [](const auto& count) { return count == 1; });
}

TEST(ExecutorRuns, DoEveryTaskOnceWhateverTheirNumber) {
  for (const auto& executor : executors())
    for (int tasks : {0, 1, 2, 3, 5, 8, 100, 1000}) {
      EXPECT_TRUE(runs_each_once(*executor, tasks)) << tasks;
      EXPECT_TRUE(runs_each_once(*executor, tasks)) << tasks << ", once more";
    }
}

TEST(ExecutorRuns, SeeWhatTheRunBeforeWrote) {
  for (const auto& executor : executors()) {
    std::vector<int> numbers(16, 0);
    for (int round = 1; round <= 50; ++round)
      executor->run(16, [&](int task) {
        // Another task's number of the round before: written by any thread.
        if (round % 2 == 0)
          numbers[static_cast<std::size_t>(task)] += 1;
        else
          numbers[static_cast<std::size_t>((task + 5) % 16)] += 1;
      });
    EXPECT_EQ(numbers, std::vector<int>(16, 50));
  }
}

TEST(ExecutorRuns, OfSeveralCallersDoNotMix) {
  for (const auto& executor : executors()) {
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&, caller] {
        for (int round = 0; round < 20; ++round)
          if (!runs_each_once(*executor, 1 + 3 * caller)) ++wrong;
      });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ExecutorRuns, HaveTheConcurrencyThatWasAskedFor) {
  EXPECT_EQ(serial_executor()->concurrency(), 1);
  for (int threads : {1, 2, 5}) {
    EXPECT_EQ(thread_executor(threads)->concurrency(), threads);
    EXPECT_EQ(openmp_executor(threads)->concurrency(), threads);
  }
  EXPECT_GE(thread_executor()->concurrency(), 1);
  EXPECT_GE(openmp_executor()->concurrency(), 1);
}

}  // namespace
}  // namespace weft
