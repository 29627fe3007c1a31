// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/memory.hpp"

#include <gtest/gtest.h>

#include "local/axis/axis_engine.hpp"
#include "local/choose/candidates.hpp"

namespace weft::local {
namespace {

TEST(Memory, IsNeverOverestimated) {
  for (const Index n : {1, 7, 64, 97, 257, 1000, 1021, 4096, 7919, 65536, 65537})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::r2r}) {
      const AxisProblem problem{
          .kind = kind, .r2r = R2r::dct2, .n = n, .in_row = 2, .out_row = 2, .loops = {}};
      for (const AxisRecipe& recipe : axis_candidates(problem, Setting{})) {
        const auto engine = make_axis_engine<double>(recipe, problem);
        const auto bytes = 8.0 * static_cast<double>(engine->task_reals() + engine->shared_reals());
        EXPECT_LE(least_footprint(recipe, Precision::f64).workspace, bytes) << to_text(recipe);
      }
    }
}

TEST(Memory, IsRequiredBeforeAnythingIsBuilt) {
  constexpr double gib = 1024.0 * 1024 * 1024;
  EXPECT_NO_THROW(require_line_memory(Index{1} << 26, Precision::f64, gib));
  EXPECT_THROW(require_line_memory((Index{1} << 26) + 1, Precision::f64, gib), Error);
  EXPECT_NO_THROW(require_line_memory((Index{1} << 26) + 1, Precision::f32, gib));

  const ArrayRecipe recipe = parse_array_recipe("axes 0: scalar:lanes(64.64.64.64,1)");
  const double needed = 2 * 8 * 16777216.0;  // twiddles, and as much again to work in
  EXPECT_THROW(require_memory(recipe, Precision::f64, needed), Error);
  EXPECT_NO_THROW(require_memory(recipe, Precision::f64, 2 * needed));
}

}  // namespace
}  // namespace weft::local
