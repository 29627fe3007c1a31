// SPDX-License-Identifier: BSD-3-Clause
// The order in which choose() looks for a recipe, tested with recipes that are plain numbers.
#include "tune/choose.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "weft/wisdom.hpp"

namespace weft::tune {
namespace {

class Numbers : public Question<int> {
 public:
  std::string name() const override { return "numbers"; }
  std::string device() const override { return of_device; }
  std::string write(const int& recipe) const override { return std::to_string(recipe); }
  int read(const std::string& text) const override {
    if (text.find_first_not_of("0123456789") != std::string::npos)
      throw Error(ErrorCode::wisdom, "'" + text + "' is no number");
    return std::stoi(text);
  }
  std::vector<int> candidates() const override { return {3, 1, 2}; }
  std::optional<int> fastest(const std::vector<int>& all, const Wishes&) override {
    ++timings;
    return has_time ? std::optional(all[1]) : std::nullopt;
  }
  bool is_lasting() const override { return lasting; }
  std::string shared(const std::string& text) const override {
    return override_text.value_or(text);
  }

  std::string of_device;
  std::optional<std::string> override_text;
  bool has_time = true, lasting = true;
  int timings = 0;
};

class Choose : public testing::Test {
 protected:
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }
  Numbers question;
};

TEST_F(Choose, TakesTheModelsFirstWithoutTiming) {
  const auto answer = choose(question, {});
  EXPECT_EQ(answer.recipe, 3);
  EXPECT_EQ(answer.origin, Origin::model);
  EXPECT_EQ(question.timings, 0);
}

TEST_F(Choose, RemembersWhatWasTimed) {
  EXPECT_EQ(choose(question, {.effort = Effort::measure}).recipe, 1);
  const auto again = choose(question, {.effort = Effort::measure});
  EXPECT_EQ(again.recipe, 1);
  EXPECT_EQ(again.origin, Origin::wisdom);
  EXPECT_EQ(choose(question, {}).origin, Origin::wisdom);
  EXPECT_EQ(question.timings, 1);
}

TEST_F(Choose, TimesAgainWithPatience) {
  add_wisdom("numbers", "2");
  EXPECT_EQ(choose(question, {.effort = Effort::patient}).recipe, 1);
  EXPECT_EQ(find_wisdom("numbers"), "1");
}

TEST_F(Choose, LeavesWisdomAloneWhereAsked) {
  add_wisdom("numbers", "2");
  EXPECT_EQ(choose(question, {.use_wisdom = false}).recipe, 3);
  EXPECT_EQ(choose(question, {.effort = Effort::measure, .use_wisdom = false}).recipe, 1);
  EXPECT_EQ(find_wisdom("numbers"), "2");
}

TEST_F(Choose, KeepsNothingThatWillNotLast) {
  question.lasting = false;
  EXPECT_EQ(choose(question, {.effort = Effort::measure}).recipe, 1);
  EXPECT_EQ(find_wisdom("numbers"), std::nullopt);
}

TEST_F(Choose, TakesTheModelsFirstWhereNothingCouldBeTimed) {
  question.has_time = false;
  const auto answer = choose(question, {.effort = Effort::measure});
  EXPECT_EQ(answer.recipe, 3);
  EXPECT_EQ(answer.origin, Origin::model);
  EXPECT_EQ(find_wisdom("numbers"), std::nullopt);
}

TEST_F(Choose, IgnoresWisdomThatItCannotRead) {
  add_wisdom("numbers", "many");
  EXPECT_EQ(choose(question, {}).recipe, 3);
}

TEST_F(Choose, RefusesTheCallersRecipeByItsOwnWords) {
  EXPECT_EQ(choose(question, {.recipe = "7"}).recipe, 7);
  try {
    choose(question, {.recipe = "many"});
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_STREQ(error.what(), "'many' is no number");
  }
}

TEST_F(Choose, KeepsDevicesApart) {
  question.of_device = "a GPU";
  choose(question, {.effort = Effort::measure});
  EXPECT_EQ(find_wisdom("numbers"), std::nullopt);
  EXPECT_EQ(find_wisdom("numbers", "a GPU"), "1");
}

TEST_F(Choose, TakesTheWisdomThatAllRanksShare) {
  add_wisdom("numbers", "2");
  question.override_text = "";  // rank 0 has none
  EXPECT_EQ(choose(question, {}).recipe, 3);
  question.override_text = "9";
  EXPECT_EQ(choose(question, {}).recipe, 9);
}

TEST(TimeInTurns, TimesTheFirstEvenWithoutTime) {
  std::vector<std::size_t> order;
  const auto times = time_in_turns(
      3, [&](std::size_t i, double) { return order.push_back(i), 1.0 + double(i); }, -1);
  EXPECT_EQ(order, (std::vector<std::size_t>{0}));
  EXPECT_EQ(times[0], 1);
  EXPECT_TRUE(std::isinf(times[1]) && std::isinf(times[2]));
}

TEST(TimeInTurns, GivesASecondTurnToThoseInReach) {
  std::vector<std::size_t> order;
  const double first[] = {4, 2, 9}, second[] = {1, 3, 9};
  const auto times = time_in_turns(
      3,
      [&](std::size_t i, double) {
        order.push_back(i);
        return order.size() <= 3 ? first[i] : second[i];
      },
      1e9);
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(times, (std::vector<double>{1, 2, 9}));
}

TEST(TimeInTurns, SaysWhenToGiveUp) {
  std::vector<double> give_up;
  time_in_turns(2, [&](std::size_t, double limit) { return give_up.push_back(limit), 2.0; }, 1e9);
  EXPECT_TRUE(std::isinf(give_up[0]));
  EXPECT_EQ(give_up[1], 3);
}

}  // namespace
}  // namespace weft::tune
