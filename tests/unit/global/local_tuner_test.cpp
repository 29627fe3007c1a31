// SPDX-License-Identifier: BSD-3-Clause
// Local transforms of distributed plans and local plans of the same array share their wisdom.
#include "global/choose/local_tuner.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/distributed.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

class LocalTuner : public testing::Test {
 protected:
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }

  std::string choice(global::LocalTuner& tuner) const {
    return local::to_text(tuner.choose(array, serial_executor()));
  }

  const Transform transform = c2c({48, 40});
  const problem::ArrayProblem array = problem::check_request(transform, {}, {}).problem;
  const std::string name = to_text(array) + " threads 1";
};

TEST_F(LocalTuner, TakesWhatAPlanOfTheSameArrayWouldTake) {
  const std::string by_model = Plan(transform, {.use_wisdom = false}).recipe();
  const std::string other =
      Plan(transform, {.effort = Effort::patient, .use_wisdom = false}).recipe();
  tune::add_wisdom(name, other);
  EXPECT_EQ(Plan(transform).recipe(), other);
  global::LocalTuner tuner(Effort::estimate, true), without(Effort::estimate, false);
  EXPECT_EQ(choice(tuner), other);
  EXPECT_EQ(choice(without), by_model);
}

TEST_F(LocalTuner, KeepsWhatItTimes) {
  global::LocalTuner tuner(Effort::measure, true);
  tuner.allow(0.5);
  const std::string found = choice(tuner);
  EXPECT_EQ(tune::find_wisdom(name), found);
  EXPECT_EQ(Plan(transform).recipe(), found);
}

TEST_F(LocalTuner, TimesNothingWithoutTime) {
  global::LocalTuner tuner(Effort::measure, true);
  choice(tuner);
  EXPECT_FALSE(tune::find_wisdom(name).has_value());
}

/// Whatever the device: the clock and the memory are the tuner's.
TEST_F(LocalTuner, CountsTheTimeAndRemembersWhatWasFound) {
  global::LocalTuner tuner(Effort::measure, false);
  tuner.allow(3);
  std::vector<local::Choice> timed;
  const auto ask = [&](const local::Choice& choice) {
    EXPECT_FALSE(choice.use_wisdom);
    if (choice.effort == Effort::estimate) return std::string("model's");
    timed.push_back(choice);
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2)) {
    }
    return "timed " + std::to_string(timed.size());
  };
  const auto choose = [&](const char* problem) { return tuner.choose(problem, "device", ask); };
  EXPECT_EQ(choose("a"), "timed 1");
  EXPECT_EQ(timed.back().effort, Effort::measure);
  EXPECT_EQ(timed.back().time_limit_s, 1);
  EXPECT_LE(tuner.left_s(), 3 - 2e-3);
  EXPECT_EQ(choose("a"), "timed 1");
  EXPECT_EQ(choose("b"), "timed 2");
  EXPECT_LE(timed.back().time_limit_s, (3 - 2e-3) / 3);
  tuner.allow(0);
  EXPECT_EQ(choose("a"), "timed 1") << "the final build takes what was timed";
  EXPECT_EQ(choose("c"), "model's");
}

/// Ranks that are threads of one process time at once and keep what they find in one store.
TEST_F(LocalTuner, TakesWhatWisdomHasAfterAllHaveTimed) {
  global::LocalTuner first(Effort::measure, true), second(Effort::measure, true);
  const auto choose = [](global::LocalTuner& tuner, const std::string& timed) {
    return tuner.choose("a", "device", [&](const local::Choice& choice) {
      if (choice.effort == Effort::estimate)
        return choice.use_wisdom ? tune::find_wisdom("a", "device").value() : "model's";
      tune::add_wisdom("a", timed, "device");
      return timed;
    });
  };
  first.allow(1);
  second.allow(1);
  EXPECT_EQ(choose(first, "timed first"), "timed first");
  EXPECT_EQ(choose(second, "timed second"), "timed second");
  first.allow(0);
  second.allow(0);
  EXPECT_EQ(choose(first, ""), "timed second");
  EXPECT_EQ(choose(second, ""), "timed second");
}

TEST_F(LocalTuner, ServesDistributedPlans) {
  // One rank transforms the array in one stage, as it lies.
  const LocalBoxes whole = slabs(transform.shape, 0, 1, 0);
  run_as_threads(1, [&](const Comm& comm) {
    const DistributedPlan plan(transform, whole, whole, comm,
                               {.effort = Effort::measure, .time_limit_s = 1});
  });
  EXPECT_TRUE(tune::find_wisdom(name).has_value());
}

}  // namespace
}  // namespace weft
