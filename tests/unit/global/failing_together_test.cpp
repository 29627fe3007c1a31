// SPDX-License-Identifier: BSD-3-Clause
// An error on one rank is thrown on all ranks, with the same message, and the communicator can be
// used afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "comm/agree.hpp"
#include "failing_problems.hpp"
#include "support/failing_new.hpp"
#include "support/forwarding_comm.hpp"
#include "support/watchdog.hpp"
#include "weft/distributed.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

using namespace test;

/// A communicator whose last rank has no memory to share.
class ShortOfMemory final : public ForwardingComm {
 public:
  using ForwardingComm::ForwardingComm;
  std::shared_ptr<const Comm> duplicate() const override { return wrapped(inner_->duplicate()); }
  std::shared_ptr<const Comm> split(int color) const override {
    return wrapped(inner_->split(color));
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t bytes) const override {
    auto memory = inner_->allocate_shared(bytes);
    if (rank() + 1 == size()) memory.reset();
    return memory;
  }

 private:
  /// As all communicators: throws on all ranks or on none.
  std::shared_ptr<const Comm> wrapped(std::shared_ptr<const Comm> comm) const {
    std::shared_ptr<const Comm> result;
    agree(*inner_, [&] { result = std::make_shared<ShortOfMemory>(std::move(comm)); });
    return result;
  }
};

enum class NodeMemory { enough, too_small };

/// What each rank said when allocation `failing` of rank `bad` failed in planning; whether that
/// allocation came at all.
bool plan_without_memory(const Problem& problem, int bad, long failing,
                         NodeMemory node_memory = NodeMemory::enough) {
  std::mutex mutex;
  bool has_failed = false;
  std::vector<std::string> messages;
  run_as_threads(problem.nodes, [&](const Comm& all) {
    std::string message = "no error";
    const ShortOfMemory few(all.duplicate());
    const Comm& comm = node_memory == NodeMemory::enough ? all : few;
    const Arguments arguments(problem, comm);
    try {
      const Allocations allocations(comm.rank() == bad ? failing : -1);
      const DistributedPlan plan = arguments.plan();
    } catch (const Error& error) {
      message = error.what();
    } catch (const std::bad_alloc&) {
      message = "bad_alloc";
    }
    {
      const std::lock_guard lock(mutex);
      messages.push_back(message);
      if (comm.rank() == bad) has_failed = Allocations::has_failed();
    }
    if (failing % 16 != 0) return;
    DistributedPlan again = Arguments(problem, comm).plan();
    check_impulse(again, comm);
  });
  for (const std::string& message : messages) EXPECT_EQ(message, messages[0]);
  // Some can do without, as sorting can.
  EXPECT_TRUE(has_failed || messages[0] == "no error") << messages[0];
  return has_failed;
}

/// One allocation after another fails, until none is left. Returns how many there were.
long fail_every_allocation(const Problem& problem, NodeMemory node_memory = NodeMemory::enough) {
  Watchdog watchdog(std::chrono::seconds(30));
  const int last = static_cast<int>(problem.nodes.size()) - 1;
  long failing = 0;
  const bool takes_all = node_memory == NodeMemory::too_small;  // few of them are of interest
  for (bool goes_on = true; goes_on; failing += failing < 200 ? 1 : takes_all ? 2 : 7) {
    const int bad = takes_all || failing % 2 == 0 ? last : 0;
    watchdog.expect(std::string(problem.name) + ", allocation " + std::to_string(failing) +
                    " of rank " + std::to_string(bad));
    goes_on = plan_without_memory(problem, bad, failing, node_memory);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_FALSE(testing::Test::HasFailure()) << problem.name << ", allocation " << failing;
  return failing;
}

TEST(FailingTogether, PlanningSurvivesAFailedAllocationOfOneRank) {
  for (const Problem& problem : problems()) {
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      DistributedPlan plan = Arguments(problem, comm).plan();  // warms up what is made once
      check_impulse(plan, comm);
    });
    EXPECT_GT(fail_every_allocation(problem), 1000) << problem.name;
  }
}

TEST(FailingTogether, SoItDoesWhereMemoryToShareIsShort) {
  const Problem problem{"short of memory", {32, 16, 16}, {0, 0}, {.use_wisdom = false}};
  fail_every_allocation(problem, NodeMemory::too_small);
}

/// Makes every recipe in the store one that fits nothing.
void damage_wisdom() {
  const std::string path = testing::TempDir() + "damaged_wisdom.json";
  wisdom::save(path);
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (std::size_t at = text.find("slab:"); at != std::string::npos; at = text.find("slab:", at))
    text.replace(at, 4, "flab");
  std::ofstream(path) << text;
  wisdom::forget();
  wisdom::load(path);
  std::filesystem::remove(path);
}

TEST(FailingTogether, SoItDoesWithWisdomThatDoesNotFit) {
  const Problem problem{
      "damaged wisdom",
      {6, 5, 4},
      {0, 0},
      {.exchange = ExchangeAlgorithm::point_to_point, .strategy = Strategy::slab}};
  Problem measured = problem;
  measured.options.effort = Effort::measure;
  wisdom::forget();
  run_as_threads(problem.nodes, [&](const Comm& comm) { Arguments(measured, comm).plan(); });
  ASSERT_GT(wisdom::size(), 0U);
  damage_wisdom();
  fail_every_allocation(problem);
  wisdom::forget();
}

TEST(FailingTogether, PlansTakeMessagesWhereMemoryToShareIsShort) {
  const std::vector<Index> shape{64, 32, 32};
  const DistributedOptions estimate{.use_wisdom = false};
  const DistributedOptions measure{.effort = Effort::measure, .use_wisdom = false};
  for (const Problem& problem : {Problem{"one node", shape, {0, 0, 0}, estimate},
                                 Problem{"any order", shape, {0, 0, 0}, estimate, true},
                                 Problem{"measured", shape, {0, 0, 0}, measure},
                                 Problem{"two nodes", shape, {0, 0, 1}, estimate}})
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      const ShortOfMemory ranks(comm.duplicate());
      DistributedPlan plan = Arguments(problem, ranks).plan();
      EXPECT_EQ(plan.recipe().find("by shared"), std::string::npos);
      EXPECT_EQ(plan.recipe().find("node_aware"), std::string::npos);
      const bool is_one_node = problem.nodes[2] == 0;  // else the model may prefer messages anyway
      const std::string remark = " (shared memory too small: messages instead)";
      EXPECT_TRUE(!is_one_node || plan.explain() == plan.recipe() + remark) << plan.explain();
      check_impulse(plan, ranks);
    });
}

TEST(FailingTogether, AnExchangeThatWasAskedForIsRefusedWhereMemoryToShareIsShort) {
  using enum ExchangeAlgorithm;
  for (const ExchangeAlgorithm exchange : {shared, node_aware})
    run_as_threads(3, [&](const Comm& comm) {
      const ShortOfMemory ranks(comm.duplicate());
      const Problem problem{"", {6, 5, 4}, {0, 0, 0}, {.exchange = exchange}};
      try {
        Arguments(problem, ranks).plan();
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
        EXPECT_NE(std::string(error.what()).find("use another exchange"), std::string::npos);
      }
    });
}

TEST(FailingTogether, BadArgumentsOfOneRankThrowOnAll) {
  Watchdog watchdog(std::chrono::seconds(30));
  std::vector<Problem> cases = problems();
  // So large that the ranks ask each other.
  const DistributedOptions all_to_all{.exchange = ExchangeAlgorithm::all_to_all};
  const DistributedOptions all_to_all_v{.exchange = ExchangeAlgorithm::all_to_all_v};
  cases.push_back({"large all_to_all", {40, 60, 48}, {0, 0}, all_to_all});
  cases.push_back({"large all_to_all_v", {40, 60, 72}, {0, 0, 0}, all_to_all_v});
  cases.push_back({"node_aware pencils",
                   {6, 5, 5},
                   {0, 0, 1, 1, 2},
                   {.exchange = ExchangeAlgorithm::node_aware, .strategy = Strategy::pencil}});
  for (const Problem& problem : cases)
    for (const bool bad_output : {false, true}) {
      watchdog.expect(problem.name);
      run_as_threads(problem.nodes, [&](const Comm& comm) {
        DistributedPlan plan = Arguments(problem, comm).plan();
        Arrays arrays(plan);
        const int last = comm.size() - 1;
        const bool is_bad = comm.rank() == last;
        Complex* const in = is_bad && !bad_output ? nullptr : arrays.in.data();
        Complex* const out = is_bad && bad_output ? nullptr : arrays.out.data();
        const std::string reason = "a null pointer was passed";
        const std::string all = error_of([&] { plan.execute(in, out); });
        EXPECT_EQ(all.find("rank " + std::to_string(last) + ": " + reason), 0U) << all;
        check_impulse(plan, comm);
        const std::string mine = error_of([&] {
          plan.start(in, out);
          plan.wait();
        });
        EXPECT_NE(mine.find(is_bad ? reason : "another rank"), std::string::npos) << mine;
        check_impulse(plan, comm);
      });
    }
}

TEST(FailingTogether, StartWaitsForNobody) {
  Watchdog watchdog(std::chrono::seconds(30));
  for (const Problem& problem : problems()) {
    watchdog.expect(problem.name);
    std::atomic<int> started = 0;
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      DistributedPlan plan = Arguments(problem, comm).plan();
      Arrays arrays(plan);
      for (int round = 0; round < 3; ++round) {
        // One rank after another: the first has long returned when the last one starts.
        while (started < round * comm.size() + comm.rank()) std::this_thread::yield();
        plan.start(arrays.in.data(), arrays.out.data());
        ++started;
        plan.wait();
      }
      check_impulse(plan, comm);
    });
  }
}

/// Counts what a rank asks all others.
class AskingComm final : public ForwardingComm {
 public:
  AskingComm(std::shared_ptr<const Comm> inner, std::shared_ptr<int> count)
      : ForwardingComm(std::move(inner)), count_(std::move(count)) {}
  std::shared_ptr<const Comm> duplicate() const override {
    return std::make_shared<AskingComm>(inner_->duplicate(), count_);
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return std::make_shared<AskingComm>(inner_->split(color), count_);
  }
  Index minimum(Index mine) const override { return ++*count_, inner_->minimum(mine); }
  void broadcast(void* data, Index bytes, int root) const override {
    ++*count_;
    inner_->broadcast(data, bytes, root);
  }
  void all_gather(const void* mine, Index bytes, void* all) const override {
    ++*count_;
    inner_->all_gather(mine, bytes, all);
  }
  std::unique_ptr<Transfer> prepare_minimum() const override {
    return std::make_unique<Asking>(inner_->prepare_minimum(), count_);
  }

 private:
  class Asking final : public Transfer {
   public:
    Asking(std::unique_ptr<Transfer> inner, std::shared_ptr<int> count)
        : inner_(std::move(inner)), count_(std::move(count)) {}
    void start(const void* send, void* receive) override {
      ++*count_;
      inner_->start(send, receive);
    }
    bool test() override { return inner_->test(); }
    void wait() override { inner_->wait(); }

   private:
    std::unique_ptr<Transfer> inner_;
    std::shared_ptr<int> count_;
  };
  std::shared_ptr<int> count_;
};

TEST(FailingTogether, ExecutionsAskNothingWhereTheExchangesTell) {
  using enum ExchangeAlgorithm;
  struct Case {
    ExchangeAlgorithm exchange;
    Strategy strategy;
    Index last = 8;  ///< points of the last axis
    int asks = 0;    ///< of one execution
  };
  constexpr auto slab = Strategy::slab, pencil = Strategy::pencil;
  constexpr Index large = 5000;
  for (const Case& c :
       {Case{shared, slab}, Case{shared, pencil}, Case{point_to_point, slab},
        Case{point_to_point, pencil}, Case{pipelined, slab}, Case{node_aware, slab},
        Case{node_aware, pencil}, Case{all_to_all, slab}, Case{all_to_all, pencil},
        Case{all_to_all_v, slab}, Case{all_to_all_v, pencil}, Case{all_to_all, slab, large},
        Case{all_to_all_v, slab, large}, Case{all_to_all, slab, 1}, Case{all_to_all_v, slab, 1},
        Case{node_aware, slab, large}})
    run_as_threads(c.exchange == node_aware ? std::vector{0, 0, 1, 1} : std::vector{0, 0, 0, 0},
                   [&](const Comm& comm) {
                     const std::vector<Index> shape{8, 8, c.last};
                     const auto count = std::make_shared<int>(0);
                     const AskingComm ranks(comm.duplicate(), count);
                     const LocalBoxes in = pencils(shape, 2, 4, comm.rank()),
                                      out = pencils(shape, 0, 4, comm.rank());
                     const LocalBoxes slab_in = slabs(shape, 0, 4, comm.rank()),
                                      slab_out = slabs(shape, 1, 4, comm.rank());
                     const bool is_slab = c.strategy == Strategy::slab;
                     DistributedPlan plan(
                         c2c(shape), is_slab ? slab_in : in, is_slab ? slab_out : out, ranks,
                         {.exchange = c.exchange, .strategy = c.strategy, .use_wisdom = false});
                     Arrays arrays(plan);
                     *count = 0;
                     plan.execute(arrays.in.data(), arrays.out.data());
                     plan.start(arrays.in.data(), arrays.out.data());
                     plan.wait();
                     EXPECT_EQ(*count, 2 * c.asks) << plan.recipe();
                   });
}

TEST(FailingTogether, NothingIsAllocatedWhileATransformRuns) {
  Watchdog watchdog(std::chrono::seconds(30));
  for (const Problem& problem : problems()) {
    watchdog.expect(problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      DistributedPlan plan = Arguments(problem, comm).plan();
      check_impulse(plan, comm);
      std::vector<Complex> in(static_cast<std::size_t>(plan.input_count()));
      std::vector<Complex> out(static_cast<std::size_t>(plan.output_count()));
      const Allocations allocations;
      plan.execute(in.data(), out.data());
      EXPECT_EQ(Allocations::count(), 0) << problem.name;
      plan.start(in.data(), out.data());
      while (!plan.test()) std::this_thread::yield();
      EXPECT_EQ(Allocations::count(), 0) << problem.name;
    });
  }
}

}  // namespace
}  // namespace weft
