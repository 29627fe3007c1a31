// SPDX-License-Identifier: BSD-3-Clause
#include "problems.hpp"

#include <gtest/gtest.h>

#include "gpu/recipe/recipe_text.hpp"
#include "host_kernel.hpp"

namespace weft::test {

problem::ArrayProblem contiguous(Kind kind, Precision precision, const std::vector<Index>& shape,
                                 std::vector<int> axes, Direction direction) {
  problem::ArrayProblem problem;
  problem.kind = kind;
  problem.precision = precision;
  problem.direction = direction;
  problem.scale = 0.5;
  problem.axes = std::move(axes);
  for (const Index n : shape) problem.dimensions.push_back({n, 0, 0});
  Index in = problem.in_width(), out = problem.out_width();
  for (std::size_t d = shape.size(); d-- > 0;) {
    problem.dimensions[d].in = in;
    problem.dimensions[d].out = out;
    in *= problem.in_extent(static_cast<int>(d));
    out *= problem.out_extent(static_cast<int>(d));
  }
  return problem;
}

void expect_right(const problem::ArrayProblem& problem, const gpu::Recipe& recipe,
                  bool spectrum_of_reals) {
  const std::vector<Index> in_shape = problem.in_shape(), out_shape = problem.out_shape();
  Field input = random_field(in_shape, problem.kind != Kind::r2c, 7);
  if (problem.kind == Kind::c2r && spectrum_of_reals) {
    Transform forward = transform_of(problem);
    forward.kind = Kind::r2c;
    forward.direction = Direction::forward;
    input = expected(forward, random_field(out_shape, false, 7));
  }
  Field wanted = expected(transform_of(problem), input);
  for (LongComplex& value : wanted.values) value *= static_cast<long double>(problem.scale);
  std::vector<std::complex<double>> values;
  for (const auto& v : input.values) values.emplace_back(v.real(), v.imag());
  const auto result =
      run_on_host(recipe, values, static_cast<Index>(wanted.values.size()), problem.scale);
  ASSERT_EQ(result.size(), wanted.values.size());
  Field got(out_shape);
  for (std::size_t i = 0; i < result.size(); ++i)
    got.values[i] = LongComplex(result[i].real(), result[i].imag());
  EXPECT_LT(relative_error(got, wanted),
            tolerance(problem.precision, static_cast<Index>(wanted.values.size())))
      << to_text(recipe);
}

}  // namespace weft::test
