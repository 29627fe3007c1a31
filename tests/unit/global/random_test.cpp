// SPDX-License-Identifier: BSD-3-Clause
// Random distributed transforms against the long double reference: dimensions, sizes, kinds, boxes,
// storage orders, margins, ranks and exchanges all vary. Ranks are threads here; tests/mpi runs the
// same problems on MPI ranks.
#include <gtest/gtest.h>

#include "support/distributed_cases.hpp"

namespace weft {
namespace {

void run_cases(test::DistributedCase (*random_problem)(int seed, int ranks), int count) {
  for (int seed = 0; seed < count; ++seed) {
    const test::DistributedCase problem = random_problem(seed, 0);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) { test::run_case(problem, comm); });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomDistributedTransforms, AreRight) { run_cases(test::random_case, 600); }

TEST(RandomLines, SharedOutOverTheRanksAreRight) { run_cases(test::random_line_case, 250); }

TEST(RandomExtents, OfPaddedCroppedAndFullArraysAreRight) {
  run_cases(test::random_extents_case, 150);
}

TEST(RandomExtents, GiveTheSameBitsInPlace) {
  for (int seed = 1000; seed < 1040; ++seed) {
    test::DistributedCase problem = test::random_extents_case(seed);
    problem.any_order = false;
    problem.options.reproducible = true;
    test::DistributedCase in_place = problem;
    in_place.options.in_place = true;
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) {
      EXPECT_EQ(test::results(in_place, comm), test::results(problem, comm));
    });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft
