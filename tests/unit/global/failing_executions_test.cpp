// SPDX-License-Identifier: BSD-3-Clause
// Executions in which one rank alone fails, or is late with the one before: all ranks throw, none
// waits, and the plans can be used afterwards.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "failing_problems.hpp"
#include "support/forwarding_comm.hpp"
#include "support/watchdog.hpp"

namespace weft {
namespace {

using namespace test;

/// Throws once, in run number `failing`; -1: never.
class ThrowingExecutor final : public Executor {
 public:
  int concurrency() const noexcept override { return 2; }
  void run(int tasks, TaskRef task) const override {
    if (runs_++ == failing_) throw std::runtime_error("no threads today");
    for (int i = 0; i < tasks; ++i) task(i);
  }
  void fail_at(long run) const {
    runs_ = 0;
    failing_ = run;
  }
  long runs() const { return runs_; }

 private:
  mutable std::atomic<long> runs_ = 0, failing_ = -1;
};

/// A communicator whose messages carry data only.
class PlainComm final : public ForwardingComm {
 public:
  using ForwardingComm::ForwardingComm;
  bool can_send_void() const override { return false; }
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<PlainComm>(inner_->duplicate());
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<PlainComm>(inner_->split(color));
  }
};

enum class Way { execute, start };

/// Executes a plan that fails with this message.
void fail(DistributedPlan& plan, Way way, const std::string& message) {
  Arrays arrays(plan);
  const std::string error = error_of([&] {
    if (way == Way::execute) return plan.execute(arrays.in.data(), arrays.out.data());
    plan.start(arrays.in.data(), arrays.out.data());
    plan.wait();
  });
  EXPECT_EQ(error.find(message), 0U) << error << " instead of " << message;
}

/// Large enough for the chunks of pipelined stages to be worth several tasks, on fast CPUs too.
Problem enlarged(Problem problem) {
  if (problem.shape.size() > 1)
    problem.shape = {108, 90, 64};
  else
    problem.shape[0] = problem.shape[0] == 61 ? 65537 : 1 << 17;
  return problem;
}

/// The last rank's executor throws in one run after another.
void throw_in_every_run(const Problem& problem, const Comm& comm, Watchdog& watchdog) {
  const auto executor = std::make_shared<ThrowingExecutor>();
  Problem mine = enlarged(problem);
  const int bad = comm.size() - 1;
  if (comm.rank() == bad) mine.options.executor = executor;  // the others have weft's own
  DistributedPlan plan = Arguments(mine, comm).plan();
  executor->fail_at(-1);
  check_impulse(plan, comm);
  const Index runs = -comm.minimum(-executor->runs());  // of the rank that has it
  EXPECT_GE(runs, 2) << problem.name;                   // before and after the exchange
  for (Index k = 0; k < runs; ++k) {
    if (comm.rank() == 0) watchdog.expect(std::string(problem.name) + ", run " + std::to_string(k));
    executor->fail_at(k);
    fail(plan, Way::execute, "rank " + std::to_string(bad) + ": no threads today");
    executor->fail_at(-1);
    check_impulse(plan, comm);
    executor->fail_at(k);
    fail(plan, Way::start, comm.rank() == bad ? "no threads today" : "another rank");
    executor->fail_at(-1);
    check_impulse(plan, comm);
  }
}

TEST(FailingExecutions, AnExecutorThatThrowsOnOneRankIsAnErrorOnAll) {
  Watchdog watchdog(std::chrono::seconds(30));
  for (const Problem& problem : problems())
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      throw_in_every_run(problem, comm, watchdog);
      throw_in_every_run(problem, PlainComm(comm.duplicate()), watchdog);
    });
}

TEST(FailingExecutions, AnExecutorThatThrowsWhileAPlanIsMadeIsAnErrorOnAll) {
  Watchdog watchdog(std::chrono::seconds(30));
  const DistributedOptions options{.effort = Effort::measure, .use_wisdom = false};
  const Problem problem{"measured", {72, 60, 48}, {0, 0}, options};
  run_as_threads(problem.nodes, [&](const Comm& comm) {
    const auto executor = std::make_shared<ThrowingExecutor>();
    Problem mine = problem;
    if (comm.rank() == 1) mine.options.executor = executor;
    executor->fail_at(0);
    EXPECT_EQ(error_of([&] { Arguments(mine, comm).plan(); }), "rank 1: no threads today");
  });
}

/// The stages run in test() and wait(): start() returns before the first of them begins.
TEST(FailingExecutions, StartComputesNothing) {
  Watchdog watchdog(std::chrono::seconds(30));
  for (const Problem& problem : problems())
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      const auto executor = std::make_shared<ThrowingExecutor>();
      Problem mine = enlarged(problem);
      mine.options.executor = executor;
      DistributedPlan plan = Arguments(mine, comm).plan();
      Arrays arrays(plan);
      executor->fail_at(-1);
      plan.start(arrays.in.data(), arrays.out.data());
      EXPECT_EQ(executor->runs(), 0) << problem.name;
      plan.wait();
      EXPECT_GT(executor->runs(), 0) << problem.name;
    });
}

/// Work of the last rank, which is late: it does not wait for the end of what it has started.
bool is_late(const Comm& comm) { return comm.rank() + 1 == comm.size(); }

std::string at_last_rank(const Comm& comm, const std::string& message) {
  return "rank " + std::to_string(comm.size() - 1) + ": " + message;
}

TEST(FailingExecutions, AWorkspaceThatIsInUseOnOneRankIsAnErrorOnAll) {
  Watchdog watchdog(std::chrono::seconds(30));
  for (const Problem& problem : problems())
    for (const Way way : {Way::execute, Way::start}) {
      watchdog.expect(problem.name);
      run_as_threads(problem.nodes, [&](const Comm& comm) {
        DistributedPlan first = Arguments(problem, comm).plan();
        Problem sharing = problem;
        sharing.options.workspace = first.workspace();
        DistributedPlan second = Arguments(sharing, comm).plan();
        Arrays arrays(first);
        first.start(arrays.in.data(), arrays.out.data());
        if (!is_late(comm)) first.wait();
        fail(second, way,
             way == Way::execute
                 ? at_last_rank(comm, "a plan that shares this one's workspace was still at work")
             : is_late(comm) ? "a plan that shares this one's workspace was still at work"
                             : "another rank");
        first.wait();
        check_impulse(second, comm);
        check_impulse(first, comm);
      });
    }
}

TEST(FailingExecutions, AStartThatHasFailedAndWasNotWaitedForIsAnErrorOnAll) {
  Watchdog watchdog(std::chrono::seconds(30));
  for (const Problem& problem : problems()) {
    watchdog.expect(problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      DistributedPlan plan = Arguments(problem, comm).plan();
      Arrays arrays(plan);
      plan.start(is_late(comm) ? nullptr : arrays.in.data(), arrays.out.data());
      if (!is_late(comm)) {
        EXPECT_NE(error_of([&] { plan.wait(); }), "no error");
      }
      fail(plan, Way::execute, at_last_rank(comm, "a null pointer was passed"));
      check_impulse(plan, comm);
    });
  }
}

}  // namespace
}  // namespace weft
