// SPDX-License-Identifier: BSD-3-Clause
#include "unit/local/check.hpp"

#include <gtest/gtest.h>

namespace weft::test {

void expect_close(const Transform& asked, std::uint64_t seed, const RunOptions& options) {
  Transform transform = asked;
  if (transform.axes.empty())
    for (int d = 0; d < static_cast<int>(transform.shape.size()); ++d) transform.axes.push_back(d);
  if (transform.kind == Kind::r2r && transform.r2r.size() == 1)
    transform.r2r.resize(transform.axes.size(), transform.r2r[0]);
  std::vector<Index> in_shape = transform.shape;
  Index& last = in_shape[static_cast<std::size_t>(transform.axes.back())];
  if (transform.kind == Kind::c2r) last = last / 2 + 1;
  const bool is_complex = transform.kind == Kind::c2c || transform.kind == Kind::c2r;
  const Field input = rounded(random_field(in_shape, is_complex, seed), transform.precision);
  const RunResult result = run_plan(transform, input, options);
  Index points = 1;
  for (int axis : transform.axes) points *= transform.shape[static_cast<std::size_t>(axis)];
  EXPECT_LT(relative_error(result.output, expected(transform, input)),
            tolerance(transform.precision, points))
      << "shape " << ::testing::PrintToString(transform.shape) << " axes "
      << ::testing::PrintToString(transform.axes) << " recipe " << result.recipe;
  EXPECT_TRUE(result.input_kept) << result.recipe;
  EXPECT_TRUE(result.guards_intact) << result.recipe;
}

}  // namespace weft::test
