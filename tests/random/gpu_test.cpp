// SPDX-License-Identifier: BSD-3-Clause
// Random GPU recipes, their kernels compiled for the host: correct, and transforms of a batch do
// not influence each other.
#include <gtest/gtest.h>

#include "gpu/choose/candidates.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "random_problems.hpp"
#include "support/local_cases.hpp"
#include "unit/gpu/host_kernel.hpp"
#include "unit/gpu/problems.hpp"

namespace weft::test {
namespace {

/// A random local case without its strides; real-to-real ones become complex.
LocalCase gpu_case(std::uint64_t seed) {
  LocalCase c = seed % 2 == 0 ? random_local_case(seed, 1500) : random_long_case(seed, 1500);
  Transform& t = c.transform;
  if (t.kind == Kind::r2r) t.kind = Kind::c2c;
  t.r2r.clear();
  t.normalization = Normalization::none;
  c.options = {};
  return c;
}

std::vector<std::complex<double>> values_of(const Field& field) {
  std::vector<std::complex<double>> values;
  for (const LongComplex& v : field.values) values.emplace_back(v.real(), v.imag());
  return values;
}

void run_gpu(std::uint64_t seed) {
  const LocalCase c = gpu_case(seed);
  const Transform& t = c.transform;
  SCOPED_TRACE(c.name());
  const problem::ArrayProblem problem =
      contiguous(t.kind, t.precision, t.shape, t.axes, t.direction);
  const std::vector<gpu::Recipe> recipes = gpu::candidates(problem, {});
  ASSERT_FALSE(recipes.empty());
  Random random(seed ^ 0x69b);
  const gpu::Recipe& recipe =
      recipes[static_cast<std::size_t>(random.between(0, std::ssize(recipes) - 1))];
  const Field clean = c.input(seed);
  const PlantedField planted = with_bad_value(c, seed);
  Field wanted = expected(t, clean);
  for (LongComplex& value : wanted.values) value *= static_cast<long double>(problem.scale);
  const auto results = run_each_on_host(recipe, {values_of(clean), values_of(planted.field)},
                                        static_cast<Index>(wanted.values.size()), problem.scale);
  Field got(wanted.shape), after(wanted.shape);
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    got.values[i] = LongComplex(results[0][i].real(), results[0][i].imag());
    after.values[i] = LongComplex(results[1][i].real(), results[1][i].imag());
  }
  EXPECT_LT(relative_error(got, wanted), tolerance(t.precision, std::ssize(wanted.values)))
      << to_text(recipe);
  EXPECT_TRUE(others_are_equal(c, planted, got, after)) << to_text(recipe);
}

TEST(RandomGpu, KernelsOfAnyRecipeAreRightAndKeepTransformsApart) {
  for_each_seed("WEFT_RANDOM_GPU", 4, run_gpu);
}

}  // namespace
}  // namespace weft::test
