// SPDX-License-Identifier: BSD-3-Clause
// Random distributed transforms against the long double reference: dimensions, sizes, kinds, boxes,
// storage orders, margins, ranks and exchanges all vary. Ranks are threads here; tests/mpi runs the
// same problems on MPI ranks.
#include <gtest/gtest.h>

#include "support/distributed_cases.hpp"

namespace weft {
namespace {

TEST(RandomDistributedTransforms, AreRight) {
  for (int seed = 0; seed < 600; ++seed) {
    const test::DistributedCase problem = test::random_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) { test::run_case(problem, comm); });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomLines, SharedOutOverTheRanksAreRight) {
  for (int seed = 0; seed < 250; ++seed) {
    const test::DistributedCase problem = test::random_line_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + problem.name);
    run_as_threads(problem.nodes, [&](const Comm& comm) { test::run_case(problem, comm); });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace weft
