// SPDX-License-Identifier: BSD-3-Clause
// Recipes for a problem: three axes in two passes where the array is large and its shape permits
// it, otherwise axis by axis.
#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"
#include "gpu/axis_by_axis.hpp"
#include "gpu/two_pass.hpp"

namespace weft::gpu {

int halved_axis(const Problem& problem) {
  return problem.kind == Kind::r2c || problem.kind == Kind::c2r ? problem.axes.back() : -1;
}

Index half_extent(const Problem& problem, int d) {
  const Index n = problem.dimensions[at(d)].n;
  return d == halved_axis(problem) ? n / 2 + 1 : n;
}

Index half_count(const Problem& problem) {
  Index count = 1;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    count *= half_extent(problem, d);
  return count;
}

std::vector<Index> workspace_strides(const Problem& problem) {
  std::vector<Index> strides(problem.dimensions.size());
  Index stride = 1;
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= half_extent(problem, static_cast<int>(d));
  }
  return strides;
}

/// Nearest neighbours first; the real axis first for r2c and last for c2r.
std::vector<int> axis_order(const Problem& problem) {
  std::vector<int> axes = problem.axes;
  std::ranges::stable_sort(axes, {},
                           [&](int a) { return std::abs(problem.dimensions[at(a)].out); });
  const auto halved = std::ranges::find(axes, halved_axis(problem));
  if (halved != axes.end() && problem.kind == Kind::r2c)
    std::rotate(axes.begin(), halved, halved + 1);
  if (halved != axes.end() && problem.kind == Kind::c2r)
    std::rotate(halved, halved + 1, axes.end());
  return axes;
}

bool has_blocks(const Problem& problem) {
  return std::ranges::any_of(problem.dimensions, [](const Dimension& d) {
    return static_cast<bool>(d.in_blocks) || static_cast<bool>(d.out_blocks);
  });
}

namespace {

/// Blocks of a size, so many to a multiprocessor.
struct BlockSize {
  int largest_radix;
  Index points;
  int blocks, threads;
};

std::vector<LineOptions> ways_to_do_lines(Precision precision, Index longest) {
  std::vector<LineOptions> ways;
  const bool is_long = longest > 4096;
  for (const int largest : {32, 16})
    for (const int segment : {256, 128, 64})
      for (const Index block : {16384, 8192})
        ways.push_back({.largest_radix = largest, .segment_bytes = segment, .block_points = block});
  const int blocks = precision == Precision::f64 ? 2 : 3;
  for (const BlockSize& size :
       {BlockSize{16, 8192, blocks, 256}, {32, 8192, blocks, 128}, {32, 4096, 2 * blocks, 64}})
    for (const int segment : {256, 128, 64, 32})
      for (const bool by_columns : {false, true})
        if (is_long || (segment >= 64 && !by_columns))
          ways.push_back({.largest_radix = size.largest_radix,
                          .segment_bytes = segment,
                          .block_points = size.points,
                          .blocks = size.blocks,
                          .threads = size.threads,
                          .by_columns = by_columns});
  if (is_long)
    for (const BlockSize& size :
         {BlockSize{64, 16384, 1, 256}, {64, 8192, 2, 128}, {64, 4096, 4, 64}})
      ways.push_back({.largest_radix = size.largest_radix,
                      .block_points = size.points,
                      .blocks = size.blocks,
                      .threads = size.threads});
  if (precision == Precision::f16)
    for (const BlockSize& size :
         {BlockSize{32, 32768, 1, 512}, {32, 16384, 2, 256}, {32, 8192, 4, 128}})
      for (const int segment : {256, 128, 64})
        ways.push_back({.largest_radix = size.largest_radix,
                        .segment_bytes = segment,
                        .block_points = size.points,
                        .blocks = size.blocks,
                        .threads = size.threads,
                        .half_shared = true,
                        .small_tile = 16384});
  if (longest < 4096)
    for (const int largest : {32, 16, 8})
      for (const Index tile : {512, 1024, 2048, 8192})
        ways.push_back({.largest_radix = largest, .small_tile = tile});
  if (is_long)
    for (const Index line : {512, 1024, 4096})
      for (const int segment : {256, 128})
        for (const int largest : {32, 16})
          ways.push_back(
              {.largest_radix = largest, .segment_bytes = segment, .longest_line = line});
  if (longest > (Index(1) << 24))
    for (const int largest : {32, 16})
      for (const int segment : {256, 128})
        for (const Index first : {128, 256})
          ways.push_back({.largest_radix = largest,
                          .segment_bytes = segment,
                          .longest_line = 1024,
                          .first_part = first});
  return ways;
}

}  // namespace

std::vector<Recipe> candidates(const Problem& problem, const Limits& limits) {
  std::vector<Recipe> found;
  if (!has_blocks(problem)) found = two_pass_recipes(problem, limits);
  Index longest = 1;
  for (int axis : problem.axes) longest = std::max(longest, problem.dimensions[at(axis)].n);
  const auto add = [&](const LineOptions& options) {
    if (auto recipe = axis_by_axis(problem, limits, options))
      if (std::ranges::find(found, *recipe) == found.end()) found.push_back(*recipe);
  };
  for (const LineOptions& options : ways_to_do_lines(problem.precision, longest)) add(options);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < found.size(); ++i) order.emplace_back(predicted_seconds(found[i]), i);
  std::ranges::sort(order);
  std::vector<Recipe> sorted;
  sorted.reserve(found.size());
  for (const auto& [seconds, i] : order) sorted.push_back(std::move(found[i]));
  return sorted;
}

}  // namespace weft::gpu
