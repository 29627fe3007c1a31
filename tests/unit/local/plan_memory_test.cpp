// SPDX-License-Identifier: BSD-3-Clause
// What plans share with plans made before: the same results and recipes, from threads at once,
// within limits, and wisdom comes first.
#include "local/array/plan_memory.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/shared_cache.hpp"
#include "codelet/runtime/registry.hpp"
#include "support/oracle.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/plan.hpp"
#include "weft/wisdom.hpp"

namespace weft {
namespace {

using C = std::complex<double>;

std::vector<C> input(Index n) {
  test::Random random(static_cast<std::uint64_t>(n));
  std::vector<C> x(static_cast<std::size_t>(n));
  for (C& value : x) value = {random.uniform(), random.uniform()};
  return x;
}

std::vector<C> transformed(const Plan& plan, const std::vector<C>& x) {
  std::vector<C> y(x.size());
  plan.execute(x, y);
  return y;
}

TEST(SharedCache, KeepsWhatWasUsedLastWithinItsLimits) {
  SharedCache<std::string, int> cache({.entries = 3, .bytes = 100});
  const auto put = [&](const char* name, int value, double bytes) {
    return *cache.add(name, std::make_shared<const int>(value), bytes);
  };
  EXPECT_EQ(put("a", 1, 10), 1);
  EXPECT_EQ(put("b", 2, 10), 2);
  EXPECT_EQ(put("a", 3, 10), 1);  // the earlier one stays
  EXPECT_EQ(put("c", 4, 10), 4);
  EXPECT_EQ(*cache.find("a"), 1);
  put("d", 5, 10);
  EXPECT_EQ(cache.find("b"), nullptr);  // used least lately
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_EQ(put("large", 6, 26), 6);
  EXPECT_EQ(cache.find("large"), nullptr);
  put("e", 7, 25), put("f", 8, 25), put("g", 9, 25);
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache.find("d"), nullptr);
  cache.clear();
  EXPECT_EQ(cache.size(), 0u);
}

TEST(SharedCache, GivesWayWhenItsBytesAreFull) {
  SharedCache<std::string, int> cache({.entries = 100, .bytes = 100});
  for (int i = 0; i < 10; ++i) cache.add(std::to_string(i), std::make_shared<const int>(i), 24);
  EXPECT_EQ(cache.size(), 4u);
  EXPECT_EQ(cache.find("5"), nullptr);
  EXPECT_NE(cache.find("6"), nullptr);
}

TEST(PlanMemory, GivesTheSameRecipeAndTheSameBits) {
  for (Index n : {8, 17, 60, 100, 256, 1000, 1009, 4096}) {
    local::forget_plans();
    const Plan first(c2c({n}), {.use_wisdom = false});
    const Plan second(c2c({n}), {.use_wisdom = false});
    EXPECT_EQ(first.recipe(), second.recipe());
    const auto x = input(n);
    EXPECT_EQ(transformed(first, x), transformed(second, x)) << n;
  }
}

/// Equal but for one thing each.
TEST(PlanMemory, TellsProblemsApart) {
  local::forget_plans();
  const auto x = input(64);
  const auto forward = transformed(Plan(c2c({64})), x);
  const auto backward = transformed(Plan(c2c({64}, {.direction = Direction::backward})), x);
  const auto halved = transformed(Plan(c2c({64}, {.normalization = Normalization::ortho})), x);
  EXPECT_EQ(forward[0], backward[0]);
  EXPECT_NE(forward[1], backward[1]);
  EXPECT_NEAR(std::abs(forward[3]), 8 * std::abs(halved[3]), 1e-13);
  const Plan apart(c2c({64}), Layout{{2}}, Layout{{1}});
  std::vector<C> spread(128);
  for (std::size_t i = 0; i < x.size(); ++i) spread[2 * i] = x[i];
  std::vector<C> y(64);
  apart.execute(spread, y);
  EXPECT_NEAR(std::abs(y[5] - forward[5]), 0, 1e-13);
}

TEST(PlanMemory, IsBounded) {
  local::forget_plans();
  for (Index n = 1; n <= 700; ++n) {
    const Plan plan(c2c({n}), {.use_wisdom = false});
  }
  EXPECT_GT(local::remembered_plans(), 0u);
  EXPECT_LE(local::remembered_plans(), 64u + 64u + 256u);
}

TEST(PlanMemory, ServesThreadsThatPlanAtOnce) {
  local::forget_plans();
  const auto x = input(240);
  const auto expected = transformed(Plan(c2c({240})), x);
  local::forget_plans();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        if (transformed(Plan(c2c({240})), x) != expected) ++wrong[t];
        const Plan other(r2c({static_cast<Index>(8 * (i + 1))}));
        if (i % 7 == 0) local::forget_plans();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(PlanMemory, WisdomThatComesLaterIsHonoured) {
  wisdom::forget();
  local::forget_plans();
  const Transform transform = c2c({60});
  const std::string before = Plan(transform).recipe();
  const std::string other = "axes 0: scalar:lanes(6.10,1)";
  ASSERT_NE(before, other);
  tune::add_wisdom("c2c f64 forward 60:2:2 axes 0 threads 1", other);
  EXPECT_EQ(Plan(transform).recipe(), other);
  wisdom::forget();
  EXPECT_EQ(Plan(transform).recipe(), before);
}

}  // namespace
}  // namespace weft
