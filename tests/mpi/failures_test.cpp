// SPDX-License-Identifier: BSD-3-Clause
// Ranks that make different calls, and errors on a single rank.
#include <gtest/gtest.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>

#include "support/failing_new.hpp"
#include "support/watchdog.hpp"
#include "weft/distributed.hpp"
#include "weft/mpi.hpp"

namespace weft {
namespace {

using Complex = std::complex<double>;
using test::Allocations;
using test::Watchdog;

/// Those that these ranks can use: one memory is shared within one node only.
std::vector<ExchangeAlgorithm> exchanges_of(const Comm& comm) {
  using enum ExchangeAlgorithm;
  std::vector<ExchangeAlgorithm> kinds{all_to_all, all_to_all_v, point_to_point, pipelined,
                                       node_aware};
  const std::vector<int> nodes = comm.nodes();
  if (std::ranges::count(nodes, nodes[0]) == comm.size()) kinds.push_back(shared);
  return kinds;
}

/// What a rank passes to the planner: three stages, so two exchanges or three.
struct Arguments {
  const Comm& comm;
  Transform transform;
  LocalBoxes boxes;
  DistributedOptions options;

  Arguments(const Comm& c, ExchangeAlgorithm exchange)
      : comm(c),
        transform(c2c({12, 10, 8})),
        boxes(slabs(transform.shape, 0, c.size(), c.rank())),
        options{.exchange = exchange, .strategy = Strategy::pencil, .use_wisdom = false} {}
  DistributedPlan plan() const { return {transform, boxes, boxes, comm, options}; }
};

/// A plan with its arrays; all have the same input.
struct Work {
  DistributedPlan plan;
  std::vector<Complex> in, out;

  Work(const Comm& comm, ExchangeAlgorithm exchange)
      : plan(Arguments(comm, exchange).plan()),
        in(static_cast<std::size_t>(plan.input_count())),
        out(static_cast<std::size_t>(plan.output_count())) {
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = {static_cast<double>(i % 13), static_cast<double>(comm.rank())};
  }
  void start() { plan.start(in.data(), out.data()); }
};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MpiFailures, PlansUnderWayMayBeProgressedUnequally) {
  Watchdog watchdog(std::chrono::seconds(60));
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  std::vector<Complex> wanted;
  const std::vector<ExchangeAlgorithm> exchanges = exchanges_of(*comm);
  const std::size_t kinds = exchanges.size();
  for (std::size_t pair = 0; pair < 2 * kinds; ++pair) {
    const ExchangeAlgorithm a = exchanges[pair % kinds];
    const ExchangeAlgorithm b = exchanges[(pair + pair / kinds) % kinds];
    watchdog.expect("exchanges " + std::to_string(static_cast<int>(a)) + " and " +
                    std::to_string(static_cast<int>(b)));
    Work first(*comm, a), second(*comm, b);
    first.start();
    second.start();
    Work& favourite = comm->rank() % 2 == 0 ? first : second;
    Work& other = comm->rank() % 2 == 0 ? second : first;
    bool is_done = false;
    while (!is_done) {
      bool favourite_is_done = false;
      for (int i = 0; i < 50; ++i) favourite_is_done = favourite.plan.test();
      is_done = other.plan.test() && favourite_is_done;
      std::this_thread::yield();
    }
    if (wanted.empty()) wanted = first.out;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_LT(std::abs(first.out[i] - wanted[i]), 1e-9);
      ASSERT_LT(std::abs(second.out[i] - wanted[i]), 1e-9);
    }
  }
}

TEST(MpiFailures, ASecondStartIsRefusedOnAllRanks) {
  Watchdog watchdog(std::chrono::seconds(60));
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  if (comm->size() == 1) GTEST_SKIP() << "one rank needs no other to come to the end";
  for (ExchangeAlgorithm exchange : exchanges_of(*comm))
    for (int eager = 0; eager < comm->size(); ++eager) {
      watchdog.expect("exchange " + std::to_string(static_cast<int>(exchange)));
      Work work(*comm, exchange);
      work.plan.execute(work.in.data(), work.out.data());
      const std::vector<Complex> once = work.out;
      work.start();
      for (int i = 0; i < 200 && comm->rank() == eager; ++i) work.plan.test();
      // A rank that had come to the end hears of it from those that had not.
      const std::string error = error_of([&] {
        work.start();
        work.plan.wait();
      });
      EXPECT_TRUE(error.find("call wait() first") != std::string::npos ||
                  error.find("another rank") != std::string::npos)
          << error;
      work.plan.execute(work.in.data(), work.out.data());
      EXPECT_EQ(work.out, once);
    }
}

/// One rank after another has no input; on one machine nodes of two ranks, so that node_aware sends
/// messages.
TEST(MpiFailures, WrongArgumentsOfOneRankFailOnAll) {
  Watchdog watchdog(std::chrono::seconds(60));
  MpiOptions options;
  const std::vector<int> machines = mpi_comm(MPI_COMM_WORLD)->nodes();
  const int ranks = static_cast<int>(machines.size());
  if (std::ranges::count(machines, machines[0]) == ranks)
    for (int rank = 0; rank < ranks; ++rank) options.nodes.push_back(rank / 2);
  const auto comm = mpi_comm(MPI_COMM_WORLD, options);
  for (ExchangeAlgorithm exchange : exchanges_of(*comm)) {
    Work work(*comm, exchange);
    work.plan.execute(work.in.data(), work.out.data());
    const std::vector<Complex> once = work.out;
    for (int bad = 0; bad < comm->size(); ++bad) {
      watchdog.expect("exchange " + std::to_string(static_cast<int>(exchange)) + ", rank " +
                      std::to_string(bad));
      const bool is_bad = comm->rank() == bad;
      const Complex* const in = is_bad ? nullptr : work.in.data();
      const std::string all = error_of([&] { work.plan.execute(in, work.out.data()); });
      EXPECT_EQ(all.find("rank " + std::to_string(bad) + ": a null pointer was passed"), 0U) << all;
      const std::string mine = error_of([&] {
        work.plan.start(work.in.data(), is_bad ? nullptr : work.out.data());
        work.plan.wait();
      });
      EXPECT_NE(mine.find(is_bad ? "a null pointer was passed" : "another rank"), std::string::npos)
          << mine;
      work.plan.execute(work.in.data(), work.out.data());
      EXPECT_EQ(work.out, once);
    }
  }
}

/// Whether allocation `failing` of rank `bad` came while all planned, told to all.
bool plan_without_memory(const Arguments& arguments, int bad, long failing) {
  const bool is_bad = arguments.comm.rank() == bad;
  const std::string message = error_of([&] {
    const Allocations allocations(is_bad ? failing : -1);
    const DistributedPlan plan = arguments.plan();
  });
  int has_failed = is_bad && Allocations::has_failed() ? 1 : 0;
  MPI_Bcast(&has_failed, 1, MPI_INT, bad, MPI_COMM_WORLD);
  // Some can do without, as sorting can.
  EXPECT_TRUE(has_failed != 0 || message == "no error") << message;
  constexpr std::size_t longest = 2100;  // longer ones are cut off
  std::string of_rank_0 = message;
  of_rank_0.resize(longest);
  MPI_Bcast(of_rank_0.data(), static_cast<int>(longest), MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_STREQ(of_rank_0.c_str(), message.c_str());
  return has_failed != 0;
}

TEST(MpiFailures, AFailedAllocationOfOneRankFailsOnAll) {
  Watchdog watchdog(std::chrono::seconds(60));
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  for (ExchangeAlgorithm exchange : exchanges_of(*comm)) {
    const std::string name = "exchange " + std::to_string(static_cast<int>(exchange));
    const Arguments arguments(*comm, exchange);
    {
      const DistributedPlan plan = arguments.plan();
    }  // what is made once per process is there
    bool goes_on = true;
    // Each number of ranks and each exchange has other positions.
    for (long failing = static_cast<long>(exchange) + 6 * comm->size(); goes_on; failing += 97) {
      watchdog.expect(name + ", allocation " + std::to_string(failing));
      goes_on = plan_without_memory(arguments, comm->size() - 1, failing);
    }
    Work work(*comm, exchange);
    const Allocations allocations;
    work.plan.execute(work.in.data(), work.out.data());
    work.start();
    work.plan.wait();
    EXPECT_EQ(Allocations::count(), 0) << name;
  }
}

TEST(MpiFailures, LargeArraysDoNotNeedALargeDevShm) {
  struct statvfs space{};
  if (statvfs("/dev/shm", &space) != 0 || space.f_blocks * space.f_frsize > 64 << 20)
    GTEST_SKIP() << "only where small_shared_memory_test.sh mounts a small one";
  Watchdog watchdog(std::chrono::seconds(240));
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  const std::vector<Index> shape{512, 128, 128};
  const LocalBoxes in = slabs(shape, 0, comm->size(), comm->rank());
  const LocalBoxes out = slabs(shape, 1, comm->size(), comm->rank());
  DistributedPlan plan(c2c(shape), in, out, *comm, {.use_wisdom = false});
  std::vector<Complex> x(static_cast<std::size_t>(plan.input_count()));
  std::vector<Complex> y(static_cast<std::size_t>(plan.output_count()));
  if (comm->rank() == 0) x[0] = 1.0;
  plan.execute(x.data(), y.data());
  for (const Complex& value : y) ASSERT_LT(std::abs(value - 1.0), 1e-12) << plan.explain();
}

}  // namespace
}  // namespace weft
