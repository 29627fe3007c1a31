// SPDX-License-Identifier: BSD-3-Clause
// What the planner takes, by times that the tests tell it, and what it does not begin: timing that
// would last longer than it may.
#include "local/choose/planner.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>

#include "local/choose/timers.hpp"
#include "problem/request.hpp"

namespace weft::local {
namespace {

/// Two tasks at once, one after the other, and counted: candidates are timed through it.
class CountingExecutor final : public Executor {
 public:
  int concurrency() const noexcept override { return 2; }
  void run(int tasks, TaskRef task) const override {
    ++calls;
    for (int i = 0; i < tasks; ++i) task(i);
  }
  mutable std::atomic<int> calls = 0;
};

int calls_to_plan(double time_limit_s, double byte_s) {
  ArrayProblem problem;
  problem.dimensions = {{.n = 64, .in = 2048, .out = 2048}, {.n = 1024, .in = 2, .out = 2}};
  problem.axes = {1};
  const auto executor = std::make_shared<CountingExecutor>();
  const ArrayRecipe recipe = choose_recipe(problem, {.effort = Effort::measure,
                                                     .time_limit_s = time_limit_s,
                                                     .executor = executor,
                                                     .use_wisdom = false,
                                                     .byte_s = byte_s});
  EXPECT_EQ(recipe.axes.size(), 1u);
  return executor->calls;
}

TEST(LocalPlanner, TimesNothingThatWouldLastLongerThanItMay) {
  EXPECT_GT(calls_to_plan(1000, 0), 0);
  EXPECT_EQ(calls_to_plan(0, 0), 0);
  EXPECT_EQ(calls_to_plan(1, 1e-6), 0);  // the two megabytes of the arrays alone take two seconds
  EXPECT_GT(calls_to_plan(1000, 1e-6), 0);
}

/// Times as told, in place of a clock: whole arrays by a function, axes by their place in the list.
class ToldTimers final : public Timers {
 public:
  explicit ToldTimers(std::function<double(const ArrayRecipe&)> seconds)
      : seconds_(std::move(seconds)) {}
  std::vector<double> axes(std::span<const AxisRecipe> recipes, const AxisProblem&, const Setting&,
                           const Executor&, double) const override {
    std::vector<double> times;  // the last is the fastest
    for (std::size_t i = 0; i < recipes.size(); ++i)
      times.push_back(1e-3 * static_cast<double>(recipes.size() - i));
    last_.insert(to_text(recipes.back()));
    return times;
  }
  std::vector<double> arrays(std::span<const ArrayRecipe> recipes, const ArrayProblem&,
                             const std::shared_ptr<const Executor>&, double) const override {
    std::vector<double> times;
    for (const ArrayRecipe& recipe : recipes) times.push_back(seconds_(recipe));
    arrays_timed = recipes.size();
    return times;
  }
  bool was_fastest(const AxisRecipe& recipe) const { return last_.contains(to_text(recipe)); }
  mutable std::size_t arrays_timed = 0;

 private:
  std::function<double(const ArrayRecipe&)> seconds_;
  mutable std::set<std::string> last_;
};

ArrayRecipe chosen(const Transform& transform, Effort effort,
                   const std::shared_ptr<const Timers>& timers) {
  return choose_recipe(problem::check_request(transform, {}, {}).problem,
                       {.effort = effort,
                        .time_limit_s = 1e6,
                        .executor = serial_executor(),
                        .use_wisdom = false,
                        .byte_s = 0,
                        .timers = timers});
}

TEST(LocalPlanner, TakesTheSplitWhereItIsFastest) {
  for (const Transform& transform :
       {c2c({128, 128, 128}), r2c({128, 64, 128}), c2r({64, 128, 128})}) {
    const auto split_wins = std::make_shared<ToldTimers>(
        [](const ArrayRecipe& recipe) { return recipe.cut.split ? 1.0 : 2.0; });
    EXPECT_TRUE(chosen(transform, Effort::patient, split_wins).cut.split);
    const auto split_loses = std::make_shared<ToldTimers>(
        [](const ArrayRecipe& recipe) { return recipe.cut.split ? 2.0 : 1.0; });
    EXPECT_FALSE(chosen(transform, Effort::patient, split_loses).cut.split);
  }
}

TEST(LocalPlanner, TakesTheFastestAxesAndCuts) {
  const Transform transform = c2c({128, 128, 128});
  const auto equal = std::make_shared<ToldTimers>([](const ArrayRecipe&) { return 1.0; });
  const ArrayRecipe recipe = chosen(transform, Effort::measure, equal);
  for (const AxisRecipe& axis : recipe.axes) EXPECT_TRUE(equal->was_fastest(axis)) << to_text(axis);
  EXPECT_EQ(equal->arrays_timed, 4u);  // measure times the best four cuts
  std::string last;
  double seconds = 1000;
  const auto faster_and_faster = std::make_shared<ToldTimers>([&](const ArrayRecipe& timed) {
    last = to_text(timed);
    return seconds -= 1;
  });
  EXPECT_EQ(to_text(chosen(transform, Effort::patient, faster_and_faster)), last);
  EXPECT_GT(faster_and_faster->arrays_timed, 4u);
}

TEST(LocalPlanner, EstimateTimesNothing) {
  const auto timers = std::make_shared<ToldTimers>([](const ArrayRecipe&) -> double {
    ADD_FAILURE() << "estimate has timed an array";
    return 1;
  });
  const ArrayRecipe recipe = chosen(c2c({96, 80, 90}), Effort::estimate, timers);
  EXPECT_EQ(recipe, chosen(c2c({96, 80, 90}), Effort::estimate, nullptr));
}

/// A split axis takes as much memory again: not without having been timed.
TEST(LocalPlanner, EstimateDoesNotSplit) {
  for (const Transform& transform :
       {c2c({512, 512, 512}), c2c({256, 256, 256}, {.precision = Precision::f32}),
        r2c({256, 256, 512}), c2r({256, 256, 256})})
    EXPECT_FALSE(chosen(transform, Effort::estimate, nullptr).cut.split);
}

}  // namespace
}  // namespace weft::local
