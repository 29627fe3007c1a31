// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/choose/candidates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/index.hpp"
#include "gpu/choose/exchange.hpp"
#include "gpu/recipe/axis_by_axis.hpp"
#include "gpu/recipe/cost.hpp"
#include "gpu/recipe/two_pass.hpp"

namespace weft::gpu {
namespace {

/// Blocks of a size, so many to a multiprocessor.
struct BlockSize {
  int largest_radix;
  Index points;
  int blocks, threads;
};

/// Points of f32 that a block's shared memory holds, and that it holds with room for other blocks.
/// Of f64 it holds half as many.
constexpr Index line_of_a_block = 29056, line_of_half_a_block = 8192;

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
  if (longest <= 4096)
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
  if (!std::has_single_bit(static_cast<std::uint64_t>(longest)))
    for (const int largest : {49, 32, 16})
      for (const BlockSize& size :
           {BlockSize{largest, 8192, 2, 512}, {largest, 8192, 2, 416}, {largest, 4096, 4, 256}})
        for (const int segment : {256, 128})
          ways.push_back({.largest_radix = size.largest_radix,
                          .segment_bytes = segment,
                          .block_points = size.points,
                          .blocks = size.blocks,
                          .threads = size.threads});
  // Lines that all of a block's memory just holds, whose length no cluster divides: one pass, not
  // two.
  const Index points_of_f32 = precision == Precision::f64 ? 2 * longest : longest;
  if (points_of_f32 > line_of_half_a_block && points_of_f32 <= line_of_a_block)
    for (const int largest : {49, 32, 16})
      ways.push_back(
          {.largest_radix = largest, .segment_bytes = 32, .block_points = line_of_a_block});
  if (longest >= (Index(1) << 20))
    for (const double part : {0.25, 0.5, 2.0, 4.0})
      for (const BlockSize& size :
           {BlockSize{16, 8192, blocks, 256}, {32, 8192, blocks, 128}, {32, 16384, 1, 512}})
        ways.push_back(
            {.largest_radix = size.largest_radix,
             .segment_bytes = 128,
             .block_points = size.points,
             .blocks = size.blocks,
             .threads = size.threads,
             .first_part = static_cast<Index>(part * std::sqrt(static_cast<double>(longest)))});
  return ways;
}

/// The recipe of the passes that are expected to be fastest, of recipes that do the same.
Recipe of_fastest_passes(const std::vector<const Recipe*>& recipes, const DeviceNumbers& numbers) {
  Recipe best = *recipes.front();
  for (std::size_t s = 0; s < best.passes.size(); ++s)
    best.passes[s] = std::ranges::min(recipes, {}, [&](const Recipe* recipe) {
                       return predicted_seconds(recipe->passes[s].pass, numbers);
                     })->passes[s];
  return best;
}

/// One more recipe of each kind that there are several of.
void add_recipes_of_fastest_passes(std::vector<Recipe>& found, const DeviceNumbers& numbers) {
  std::vector<std::vector<PlacedPass>> works;
  std::vector<std::vector<const Recipe*>> alike;
  for (const Recipe& recipe : found) {
    std::vector<PlacedPass> work = work_of_lines(recipe);
    if (work.size() < 2) continue;
    const auto known = std::ranges::find(works, work);
    const auto number = static_cast<std::size_t>(known - works.begin());
    if (known == works.end()) {
      works.push_back(std::move(work));
      alike.emplace_back();
    }
    alike[number].push_back(&recipe);
  }
  std::vector<Recipe> mixed;
  for (const auto& recipes : alike)
    if (recipes.size() > 1) mixed.push_back(of_fastest_passes(recipes, numbers));
  for (Recipe& recipe : mixed)
    if (std::ranges::find(found, recipe) == found.end()) found.push_back(std::move(recipe));
}

}  // namespace

std::vector<Recipe> candidates(const ArrayProblem& problem, const DeviceNumbers& numbers) {
  std::vector<Recipe> found;
  if (!problem.has_blocks() && !problem.is_padded()) found = two_pass_recipes(problem, numbers);
  Index longest = 1;
  for (int axis : problem.axes) longest = std::max(longest, problem.dimensions[at(axis)].n);
  const auto add = [&](const LineOptions& options) {
    if (auto recipe = axis_by_axis(problem, numbers, options))
      if (std::ranges::find(found, *recipe) == found.end()) found.push_back(*recipe);
  };
  const bool has_even_line =
      problem.halved_axis() >= 0 && problem.dimensions[at(problem.halved_axis())].n % 2 == 0;
  for (LineOptions options : ways_to_do_lines(problem.precision, longest)) {
    add(options);
    options.halved = true;
    if (has_even_line) add(options);
  }
  add_recipes_of_fastest_passes(found, numbers);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < found.size(); ++i)
    order.emplace_back(predicted_seconds(found[i], numbers), i);
  std::ranges::sort(order);
  std::vector<Recipe> sorted;
  sorted.reserve(found.size());
  for (const auto& [seconds, i] : order) sorted.push_back(std::move(found[i]));
  return sorted;
}

}  // namespace weft::gpu
