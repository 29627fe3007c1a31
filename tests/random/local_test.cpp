// SPDX-License-Identifier: BSD-3-Clause
// Random local transforms against the long double reference; transforms of a batch must not
// influence each other; an allocation that fails must give an exception and nothing worse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "random_problems.hpp"
#include "random_recipe.hpp"
#include "support/failing_new.hpp"
#include "support/local_cases.hpp"

namespace weft::test {
namespace {

double norm(const Field& field) {
  long double sum = 0;
  for (const auto& value : field.values) sum += std::norm(value);
  return static_cast<double>(std::sqrt(sum));
}

/// Relative to the whole spectrum: of a single point that is stored the sum may be almost zero.
double error_of(const LocalCase& c, const Field& input, const Field& output) {
  const Field wanted = expected(c.transform, input);
  Transform whole = c.transform;
  whole.output_extents.clear();
  Field difference = wanted;
  for (std::size_t i = 0; i < wanted.values.size(); ++i)
    difference.values[i] = output.values[i] - wanted.values[i];
  const double error = norm(difference), all = std::max(norm(wanted), norm(expected(whole, input)));
  return error == 0 || all == 0 ? error : error / all;
}

void run_case(std::uint64_t seed, const LocalCase& c) {
  SCOPED_TRACE(c.name());
  const Field input = c.input(seed);
  const RunResult result = run_plan(c.transform, input, c.options);
  Index points = 1;
  for (int axis : c.transform.axes) points *= c.transform.shape[static_cast<std::size_t>(axis)];
  EXPECT_LT(error_of(c, input, result.output), tolerance(c.transform.precision, points))
      << result.recipe;
  EXPECT_TRUE(result.input_kept) << result.recipe;
  EXPECT_TRUE(result.guards_intact) << result.recipe;
  EXPECT_TRUE(keeps_transforms_apart(c, seed, result.output)) << result.recipe;
}

void run_local(std::uint64_t seed) { run_case(seed, random_local_case(seed)); }
void run_special(std::uint64_t seed) { run_case(seed, random_special_case(seed)); }

/// Any recipe instead of the model's first, and long lines as well.
void run_recipe(std::uint64_t seed) {
  LocalCase c = seed % 3 == 0   ? random_local_case(seed)
                : seed % 3 == 1 ? random_special_case(seed)
                                : random_long_case(seed);
  c.options.plan.recipe = random_recipe(c, seed);
  run_case(seed, c);
}

/// One allocation of planning fails: an exception, and planning again works.
void run_out_of_memory(std::uint64_t seed) {
  const LocalCase c = random_local_case(seed);
  SCOPED_TRACE(c.name());
  const auto plan = [&] {
    return Plan(c.transform, c.options.input, c.options.output, c.options.plan);
  };
  long allocations = 0;
  {
    const Allocations counted;
    plan();
    allocations = Allocations::count();
  }
  Random random(seed + 1);
  for (int round = 0; round < 3; ++round) {
    const Allocations armed(static_cast<long>(random.between(0, allocations - 1)));
    try {
      plan();  // std::stable_sort does without the memory that it did not get
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
    } catch (const std::bad_alloc&) {
    }
  }
  EXPECT_NO_THROW(plan());
}

TEST(RandomLocal, TransformsAreRightAndKeptApart) {
  for_each_seed("WEFT_RANDOM_LOCAL", 500, run_local);
}

TEST(RandomLocal, SpecialTransformsAreRightAndKeptApart) {
  for_each_seed("WEFT_RANDOM_SPECIAL", 600, run_special);
}

TEST(RandomLocal, TransformsByAnyRecipeAreRightAndKeptApart) {
  for_each_seed("WEFT_RANDOM_RECIPES", 300, run_recipe);
}

TEST(RandomLocal, PlansSurviveFailingAllocations) {
  for_each_seed("WEFT_RANDOM_MEMORY", 500, run_out_of_memory);
}

}  // namespace
}  // namespace weft::test
