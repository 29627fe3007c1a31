// SPDX-License-Identifier: BSD-3-Clause
#include "gpu_rank_cases.hpp"

#include <fmt/format.h>

#include "base/names.hpp"
#include "text.hpp"

namespace weft::tool {

std::vector<RankCase> rank_cases() {
  const auto slab = [](int axis) -> Cut {
    return
        [axis](const auto& shape, int ranks, int rank) { return slabs(shape, axis, ranks, rank); };
  };
  const auto pencil = [](int axis) -> Cut {
    return [axis](const auto& shape, int ranks, int rank) {
      return pencils(shape, axis, ranks, rank);
    };
  };
  const Cut brick = [](const auto& shape, int ranks, int rank) {
    return bricks(shape, balanced_grid(shape, ranks), rank);
  };
  const Cut cyclic = [](const auto& shape, int ranks, int rank) {
    return block_cyclic(shape, {ranks, 1, 1}, std::vector<Index>{2, 5, 100}, rank);
  };
  std::vector<RankCase> cases;
  using enum R2r;
  for (const Precision p : {Precision::f16, Precision::f32, Precision::f64}) {
    const Transform even = c2c({24, 24, 32}, {.precision = p});
    const Transform uneven = c2c({9, 10, 14}, {.direction = Direction::backward, .precision = p});
    cases.push_back({even, "slabs to slabs", slab(0), slab(1)});
    cases.push_back({even, "slabs in place", slab(0), slab(0), {.in_place = true}});
    cases.push_back({even, "pencils to pencils", pencil(2), pencil(0)});
    cases.push_back({uneven, "bricks to bricks", brick, brick});
    cases.push_back({uneven, "dealt blocks to pencils", cyclic, pencil(1)});
    cases.push_back({r2c({16, 12, 20}, {.precision = p}), "slabs to slabs", slab(0), slab(1)});
    cases.push_back({r2c({7, 6, 15}, {.precision = p}), "bricks to pencils", brick, pencil(0)});
    cases.push_back({c2r({16, 12, 20}, {.normalization = Normalization::backward, .precision = p}),
                     "slabs to slabs", slab(1), slab(0)});
    cases.push_back(
        {c2c({4, 30, 6}, {.axes = {1}, .precision = p}), "one axis, bricks", brick, brick});
    cases.push_back({even, "slabs by steps", slab(0), slab(1), {}, true});
    cases.push_back({uneven, "bricks by steps", brick, brick, {}, true});
    cases.push_back(
        {r2r({16, 12, 20}, {dct2}, {.precision = p}), "slabs to slabs", slab(0), slab(1)});
    cases.push_back(
        {r2r({9, 10, 14}, {dct1, dst2, dct4}, {.precision = p}), "bricks to bricks", brick, brick});
    cases.push_back({r2r({8, 15, 7}, {dst1, dst4, dst3},
                         {.normalization = Normalization::ortho, .precision = p}),
                     "dealt blocks to pencils", cyclic, pencil(2)});
    cases.push_back({r2r({12, 16, 10}, {dht, dct3, dht}, {.precision = p}),
                     "slabs in place",
                     slab(0),
                     slab(0),
                     {.in_place = true}});
    if (p == Precision::f16) continue;
    const DistributedOptions lines{.strategy = Strategy::line};
    for (const Index n : {1024, 1500, 1155, 1009}) {  // even, odd and prime ones
      const char* const name = n == 1009 ? "a prime line" : "a line";
      cases.push_back({r2c({n}, {.precision = p}), name, slab(0), slab(0), lines});
      cases.push_back({c2r({n}, {.normalization = Normalization::backward, .precision = p}), name,
                       slab(0), slab(0), lines});
    }
    cases.push_back({c2c({1009}, {.precision = p}), "a prime line", slab(0), slab(0), lines});
    cases.push_back(
        {c2c({2, 1013, 3}, {.axes = {1}, .direction = Direction::backward, .precision = p}),
         "prime lines by steps", slab(1), slab(1), lines, true});
    cases.push_back({r2c({3, 1155}, {.axes = {1}, .precision = p}), "lines by steps", slab(1),
                     slab(1), lines, true});
    cases.push_back({c2c({4096}, {.precision = p}), "a line", slab(0), slab(0), lines});
    cases.push_back({c2c({1500}, {.direction = Direction::backward, .precision = p}), "a line",
                     slab(0), slab(0), lines});
    cases.push_back({even,
                     "slabs, measured",
                     slab(0),
                     slab(1),
                     {.effort = Effort::measure, .time_limit_s = 2, .use_wisdom = false}});
    cases.push_back({c2c({12, 16, 10}, {.precision = p}),
                     "slabs, patient",
                     slab(0),
                     slab(1),
                     {.effort = Effort::patient, .time_limit_s = 2, .use_wisdom = false}});
  }
  return cases;
}

std::string describe(const RankCase& c) {
  std::string kinds;
  for (const R2r kind : c.transform.r2r) kinds += std::string(" ") + to_string(kind);
  return fmt::format("{}{} {} {} {}", to_string(c.transform.kind), kinds,
                     to_string(c.transform.precision), shape_text(c.transform.shape), c.name);
}

}  // namespace weft::tool
