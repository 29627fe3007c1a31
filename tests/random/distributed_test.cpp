// SPDX-License-Identifier: BSD-3-Clause
// Random distributed transforms: correct on every rank, also with empty boxes; transforms of a
// batch do not influence each other; and if an allocation fails on one rank, all ranks throw and
// none hangs.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "random_problems.hpp"
#include "support/case_memory.hpp"
#include "support/distributed_cases.hpp"
#include "support/failing_new.hpp"
#include "support/oracle.hpp"
#include "support/watchdog.hpp"

namespace weft::test {
namespace {

DistributedCase case_of(std::uint64_t seed) {
  const int number = static_cast<int>(seed % 1'000'000'000);
  return seed % 4 == 0 ? random_line_case(number) : random_case(number);
}

void expect_transforms_apart(const DistributedCase& c, std::uint64_t seed) {
  const Transform& t = c.transform;
  const Side in = side_of(t, true);
  Index elements = 1;
  for (Index n : in.shape) elements *= n;
  Random random(seed);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float values[] = {nan, infinity, -infinity, 60000.0F};
  const PlantedValue planted{random.between(0, elements * in.width - 1),
                             values[random.between(0, 3)]};
  run_as_threads(c.nodes, [&](const Comm& comm) { expect_others_stay(c, comm, {planted}); });
}

void plan_alone(const DistributedCase& c, const Comm& comm) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  if (c.any_order)
    DistributedPlan(c.transform, c.input[rank], any_order, comm, c.options);
  else
    DistributedPlan(c.transform, c.input[rank], c.output[rank], comm, c.options);
}

/// One allocation of one rank fails while all plan.
void expect_failing_together(const DistributedCase& c, std::uint64_t seed) {
  Random random(seed + 1);
  const int ranks = static_cast<int>(c.nodes.size());
  const auto unlucky = static_cast<int>(random.between(0, ranks - 1));
  std::atomic<long> allocations = 1;
  run_as_threads(c.nodes, [&](const Comm& comm) {
    const Allocations counted;
    plan_alone(c, comm);
    if (comm.rank() == unlucky) allocations = Allocations::count();
  });
  const auto failing = static_cast<long>(random.between(0, allocations - 1));
  std::atomic<int> thrown = 0;
  run_as_threads(c.nodes, [&](const Comm& comm) {
    const Allocations armed(comm.rank() == unlucky ? failing : -1);
    try {
      plan_alone(c, comm);
    } catch (const Error&) {
      ++thrown;
    } catch (const std::bad_alloc&) {
      ++thrown;
    }
  });
  EXPECT_TRUE(thrown == 0 || thrown == ranks)
      << thrown << " of " << ranks << " ranks threw when allocation " << failing << " of rank "
      << unlucky << " failed";
}

TEST(RandomDistributed, TransformsAreRightKeptApartAndFailTogether) {
  Watchdog watchdog(std::chrono::seconds(300));
  for_each_seed("WEFT_RANDOM_DISTRIBUTED", 60, [&](std::uint64_t seed) {
    const DistributedCase c = case_of(seed);
    SCOPED_TRACE(c.name);
    watchdog.expect("seed " + std::to_string(seed) + ": " + c.name);
    run_as_threads(c.nodes, [&](const Comm& comm) { run_case(c, comm); });
    const bool may_be_split = c.any_order && c.transform.axes.size() == 1;
    if (may_be_split || testing::Test::HasFailure()) return;
    expect_transforms_apart(c, seed);
    expect_failing_together(c, seed);
  });
}

}  // namespace
}  // namespace weft::test
