// SPDX-License-Identifier: BSD-3-Clause
// Timing recipes on ranks: rank 0's clock decides for all, and nothing begins without time.
#include "global/choose/trials.hpp"

#include <gtest/gtest.h>

#include <mutex>

#include "global/choose/local_tuner.hpp"
#include "global/recipe/recipe_text.hpp"

namespace weft::global {
namespace {

struct Trial {
  bool has_begun = false;
  std::optional<double> seconds;
};

/// One trial on every rank, with this much time on each.
std::vector<Trial> trials(const std::vector<double>& limits_s) {
  const int ranks = static_cast<int>(limits_s.size());
  std::vector<Trial> results(limits_s.size());
  run_as_threads(ranks, [&](const Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    GlobalProblem problem;
    problem.dimensions = {{.n = 12}, {.n = 10}};
    problem.axes = {0, 1};
    problem.input = reshape::ArrayDistribution(problem.shape(), {ranks, 1}, ranks);
    problem.output = problem.input;
    const auto boxes = slabs(problem.shape(), 0, ranks, comm.rank());
    const auto input = reshape::pieces_of(boxes, reshape::Memory::input, 16);
    const auto output = reshape::pieces_of(boxes, reshape::Memory::output, 16);
    Wishes wishes;
    wishes.choice.time_limit_s = limits_s[rank];
    wishes.build.stage.executor = serial_executor();
    wishes.build.stage.tuner = std::make_shared<LocalTuner>(Effort::measure, false);
    const Recipe recipe = parse_recipe("slab: input[1] > 1x" + std::to_string(ranks) +
                                       "[0] > output[] by point_to_point");
    const RecipeCost cost = predict(problem, recipe, comm.nodes(), false, {});
    Trials timed(problem, wishes, input, output, comm);
    results[rank].has_begun = timed.begin(cost);
    if (results[rank].has_begun) results[rank].seconds = timed.time(recipe, cost, 0);
    EXPECT_EQ(wishes.build.stage.tuner->left_s(), 0);  // no local timing beyond the trial
  });
  return results;
}

TEST(Trials, AllRanksGetTheTimeOfTheSlowest) {
  for (int ranks : {1, 2, 5}) {
    const auto results = trials(std::vector<double>(static_cast<std::size_t>(ranks), 1e6));
    for (const Trial& trial : results) {
      EXPECT_TRUE(trial.has_begun);
      ASSERT_TRUE(trial.seconds.has_value());
      EXPECT_GT(*trial.seconds, 0);
      EXPECT_EQ(trial.seconds, results[0].seconds);
    }
  }
}

TEST(Trials, DoNotBeginWithoutTime) {
  for (const Trial& trial : trials({0, 0, 0})) EXPECT_FALSE(trial.has_begun);
  for (const Trial& trial : trials({0, 1e6})) EXPECT_FALSE(trial.has_begun);  // rank 0 decides
}

}  // namespace
}  // namespace weft::global
