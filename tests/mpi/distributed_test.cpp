// SPDX-License-Identifier: BSD-3-Clause
// Distributed transforms on MPI ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "support/array_cases.hpp"
#include "support/collectives.hpp"
#include "weft/mpi.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// --cases=N on the command line.
int case_count() {
  for (const std::string& argument : testing::internal::GetArgvs())
    if (argument.starts_with("--cases=")) return std::stoi(argument.substr(8));
  return 60;
}

/// --hosts: the ranks are on several machines, and nodes are what MPI says, not what cases make up.
bool on_hosts() {
  const std::vector<std::string> arguments = testing::internal::GetArgvs();
  return std::ranges::find(arguments, "--hosts") != arguments.end();
}

/// Runs `count` problems, and stops on all ranks at the first that fails on one.
void run_cases(test::DistributedCase (*random_problem)(int seed, int ranks), int count,
               void (*run)(const test::DistributedCase&, const Comm&) = test::run_case) {
  for (int seed = 0; seed < count; ++seed) {
    auto problem = random_problem(100000 * world_size() + seed, world_size());
    if (on_hosts()) {
      problem.nodes.clear();
      if (problem.options.exchange == ExchangeAlgorithm::shared)
        problem.options.exchange = ExchangeAlgorithm::node_aware;
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem.name);
    // Every third case in small messages: counts beyond MPI's int take the same way.
    const MpiOptions options{.nodes = problem.nodes,
                             .max_message_bytes = seed % 3 == 0 ? Index{100} : Index{1} << 30};
    run(problem, *mpi_comm(MPI_COMM_WORLD, options));
    int failed = testing::Test::HasFailure() ? 1 : 0, any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any != 0) FAIL() << "seed " << seed << ": " << problem.name;
  }
}

/// Also in small messages, and in a part of the ranks.
TEST(Mpi, CollectivesAndMessagesAreThoseOfEveryCommunicator) {
  for (const Index most : {Index{1} << 30, Index{3}}) {
    const auto comm = mpi_comm(MPI_COMM_WORLD, {.nodes = {}, .max_message_bytes = most});
    test::expect_collectives(*comm);
    test::expect_messages(*comm);
    const auto part = comm->split(comm->rank() % 2);
    EXPECT_EQ(part->rank(), comm->rank() / 2);
    test::expect_collectives(*part);
    test::expect_messages(*part);
  }
}

TEST(Mpi, RandomTransformsAreRight) { run_cases(test::random_case, case_count()); }

TEST(Mpi, RandomExtentsAreRight) { run_cases(test::random_extents_case, case_count() / 2); }

TEST(Mpi, RandomLinesAreRight) { run_cases(test::random_line_case, case_count()); }

/// Most by shared memory, on one node; a quarter in place.
test::DistributedCase random_array_case(int seed, int ranks) {
  test::DistributedCase problem = test::random_case(seed + 5000, ranks);
  problem.any_order = false;
  problem.options.in_place = seed % 4 == 3;
  if (seed % 3 == 0) return problem;
  problem.nodes.assign(problem.nodes.size(), 0);
  problem.options.exchange = ExchangeAlgorithm::shared;
  return problem;
}

TEST(Mpi, RandomTransformsInDistributedArraysAreRight) {
  run_cases(random_array_case, case_count() / 5,
            [](const test::DistributedCase& problem, const Comm& comm) {
              test::run_in_arrays(problem, comm);
            });
}

TEST(Mpi, AValueInOneTransformChangesNoOther) {
  int seed = 0;
  for (const Transform& transform :
       {c2c({5, 13}, {.axes = {1}}), r2c({5, 15}, {.axes = {1}}), c2r({6, 5, 9}, {.axes = {0, 2}}),
        r2r({16, 5}, {R2r::dct2}, {.axes = {0}})}) {
    auto problem = test::random_layouts(transform, seed++, world_size());
    if (on_hosts()) {
      problem.nodes.clear();
      problem.options.exchange = ExchangeAlgorithm::automatic;
    }
    test::expect_others_stay(problem, *mpi_comm(MPI_COMM_WORLD, {.nodes = problem.nodes}),
                             test::values_to_plant(transform));
  }
}

TEST(Mpi, RanksOfAMachineShareANode) {
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> names(static_cast<std::size_t>(comm->size()) * sizeof name);
  comm->all_gather(name, sizeof name, names.data());
  const auto name_of = [&](int rank) {
    return std::string(names.data() + static_cast<std::size_t>(rank) * sizeof name);
  };
  const std::vector<int> nodes = comm->nodes();
  for (int a = 0; a < comm->size(); ++a)
    for (int b = 0; b < comm->size(); ++b)
      EXPECT_EQ(nodes[static_cast<std::size_t>(a)] == nodes[static_cast<std::size_t>(b)],
                name_of(a) == name_of(b));
}

/// What `work` throws.
std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Mpi, NodesThatMakeNoSenseFailEverywhere) {
  const int last = world_size() - 1;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MpiOptions options;
  if (rank == last) options.nodes.assign(static_cast<std::size_t>(world_size()) + 1, 0);
  EXPECT_NE(message_of([&] { mpi_comm(MPI_COMM_WORLD, options); }).find("give one per rank"),
            std::string::npos);
  if (world_size() == 1) return;
  options.nodes.assign(static_cast<std::size_t>(world_size()), 0);
  for (int r = 0; r < world_size(); ++r) options.nodes[static_cast<std::size_t>(r)] = rank + r;
  EXPECT_NE(message_of([&] { mpi_comm(MPI_COMM_WORLD, options); }).find("disagree"),
            std::string::npos);
  if (!on_hosts()) return;
  options.nodes.assign(static_cast<std::size_t>(world_size()), 0);
  EXPECT_NE(message_of([&] { mpi_comm(MPI_COMM_WORLD, options); }).find("share no memory"),
            std::string::npos);
}

TEST(Mpi, OneBadRankFailsEverywhereWithTheSameWords) {
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  const std::vector<Index> shape{6, 5, 4};
  LocalBoxes boxes = slabs(shape, 0, comm->size(), comm->rank());
  const LocalBoxes good = boxes;
  const int bad = comm->size() - 1;
  if (comm->rank() == bad) boxes = {{.box = Box({0, 0, 0}, {7, 5, 4})}};
  try {
    DistributedPlan(c2c(shape), boxes, good, *comm);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank " + std::to_string(bad)), std::string::npos)
        << error.what();
  }
}

TEST(Mpi, SeveralPlansAreInFlightAtOnce) {
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  const std::vector<Index> shape{8, 6, 10};
  const LocalBoxes in = slabs(shape, 0, comm->size(), comm->rank());
  const LocalBoxes out = slabs(shape, 1, comm->size(), comm->rank());
  std::vector<DistributedPlan> plans;
  for (int i = 0; i < 4; ++i)
    plans.emplace_back(
        c2c(shape), in, out, *comm,
        DistributedOptions{.exchange = i % 2 == 0 ? ExchangeAlgorithm::point_to_point
                                                  : ExchangeAlgorithm::all_to_all_v});
  const auto count = static_cast<std::size_t>(plans[0].input_count());
  std::vector<std::complex<double>> data(count, {1.0, 0.0});
  std::vector<std::vector<std::complex<double>>> results(
      plans.size(),
      std::vector<std::complex<double>>(static_cast<std::size_t>(plans[0].output_count())));
  for (std::size_t i = 0; i < plans.size(); ++i) plans[i].start(data.data(), results[i].data());
  for (std::size_t i = plans.size(); i-- > 0;) plans[i].wait();
  for (std::size_t i = 1; i < plans.size(); ++i) EXPECT_EQ(results[i], results[0]);
  if (comm->rank() == 0) {
    EXPECT_NEAR(results[0][0].real(), 480.0, 1e-9);
  }
}

/// Ranks are processes here, each with a store of its own.
TEST(Wisdom, IsGatheredFromAllRanks) {
  const auto comm = mpi_comm(MPI_COMM_WORLD);
  const auto entry = [](int problem, int recipe) {
    return "\"problem " + std::to_string(problem) + "\": \"recipe " + std::to_string(recipe) + "\"";
  };
  wisdom::forget();
  wisdom::from_string("{\"format\": \"weft wisdom\", \"version\": 1, \"cpus\": {\"a CPU\": {" +
                      entry(comm->rank(), comm->rank()) + ", " + entry(99, 50 + comm->rank()) +
                      "}}}");
  wisdom::gather(*comm);
  EXPECT_EQ(wisdom::size(), static_cast<std::size_t>(comm->size()) + 1);
  const std::string text = wisdom::to_string();
  for (int rank = 0; rank < comm->size(); ++rank)
    EXPECT_NE(text.find(entry(rank, rank)), std::string::npos) << text;
  EXPECT_NE(text.find(entry(99, 50)), std::string::npos) << "rank 0 decides: " << text;
  wisdom::forget();
}

}  // namespace
}  // namespace weft
