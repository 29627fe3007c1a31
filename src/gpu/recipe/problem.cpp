// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/problem.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"
#include "gpu/recipe/r2r_steps.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

/// An axis of one point is its own transform; one axis is left in any case.
std::vector<int> transformed_axes(const ArrayProblem& problem) {
  std::vector<int> axes;
  for (const int axis : problem.axes)
    if (axis == problem.halved_axis() || problem.dimensions[at(axis)].n > 1) axes.push_back(axis);
  if (axes.empty()) axes.push_back(problem.axes.front());
  return axes;
}

/// A loop over a dimension would have to be cut in two ways; half of an axis is not in blocks.
bool has_possible_blocks(const ArrayProblem& problem, int d) {
  const Dimension& dimension = problem.dimensions[at(d)];
  const Blocks &in = dimension.in_blocks, &out = dimension.out_blocks;
  if (!in && !out) return true;
  const auto divides = [&](const Blocks& blocks) {
    return !blocks || dimension.n % blocks.length == 0;
  };
  if (problem.kind == Kind::r2r) return divides(in) && divides(out);  // its steps take any
  const bool is_only_axis = problem.axes == std::vector<int>{d};
  return d != problem.halved_axis() && divides(in) && divides(out) &&
         (!in || !out || in.length == out.length || is_only_axis);
}

bool has_odd_distances(const ArrayProblem& problem) {
  const Index in = problem.in_width(), out = problem.out_width();
  return std::ranges::any_of(problem.dimensions, [&](const Dimension& d) {
    return d.in % in != 0 || d.in_blocks.jump % in != 0 || d.out % out != 0 ||
           d.out_blocks.jump % out != 0;
  });
}

/// Why there is no GPU form; empty: there is.
std::string obstacle(const ArrayProblem& problem) {
  if (problem.is_empty())
    return "GPU transform '" + to_text(problem) + "': the array has no elements; skip the call";
  if (problem.kind == Kind::r2r &&
      problem.dimensions.size() > static_cast<std::size_t>(most_r2r_dimensions))
    return "GPU transform '" + to_text(problem) + "': real-to-real arrays have at most " +
           std::to_string(most_r2r_dimensions) + " dimensions on a GPU; merge some";
  if (has_odd_distances(problem))
    return "GPU transform '" + to_text(problem) +
           "': complex numbers lie an odd number of reals apart; align them to their size";
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    if (!has_possible_blocks(problem, d))
      return "GPU transform '" + to_text(problem) + "': dimension " + std::to_string(d) +
             " lies in blocks that no kernel reads and writes; copy it first";
  return "";
}

}  // namespace

bool has_gpu_form(const ArrayProblem& problem) { return obstacle(problem).empty(); }
void check_problem(const ArrayProblem& problem) {
  if (const std::string why = obstacle(problem); !why.empty())
    throw Error(ErrorCode::unsupported, why);
}

std::vector<Dimension> dimensions_in_elements(const ArrayProblem& problem) {
  std::vector<Dimension> dimensions = problem.dimensions;
  for (Dimension& d : dimensions) {
    d.in /= problem.in_width();
    d.in_blocks.jump /= problem.in_width();
    d.out /= problem.out_width();
    d.out_blocks.jump /= problem.out_width();
  }
  return dimensions;
}

std::vector<int> axis_order(const ArrayProblem& problem) {
  std::vector<int> axes = transformed_axes(problem);
  std::ranges::stable_sort(axes, {},
                           [&](int a) { return std::abs(problem.dimensions[at(a)].out); });
  const auto halved = std::ranges::find(axes, problem.halved_axis());
  if (halved != axes.end() && problem.kind == Kind::r2c)
    std::rotate(axes.begin(), halved, halved + 1);
  if (halved != axes.end() && problem.kind == Kind::c2r)
    std::rotate(halved, halved + 1, axes.end());
  return axes;
}

Index half_count(const ArrayProblem& problem) {
  Index count = 1;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d)
    count *= problem.half_extent(d);
  return count;
}

std::vector<Index> workspace_strides(const ArrayProblem& problem) {
  std::vector<Index> strides(problem.dimensions.size());
  Index stride = 1;
  for (std::size_t d = strides.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= problem.half_extent(static_cast<int>(d));
  }
  return strides;
}

Index stored_bytes(Precision precision) { return 2 * real_bytes(precision); }

std::size_t array_bytes(const ArrayProblem& problem, bool is_output) {
  Index last = 0;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const Dimension& dimension = problem.dimensions[at(d)];
    const Index n = is_output ? problem.out_extent(d) : problem.in_extent(d);
    const Blocks& blocks = is_output ? dimension.out_blocks : dimension.in_blocks;
    const Index length = blocks ? blocks.length : n;
    last += (length - 1) * std::abs(is_output ? dimension.out : dimension.in) +
            (n / length - 1) * std::abs(blocks.jump);
  }
  const Index width = is_output ? problem.out_width() : problem.in_width();
  return static_cast<std::size_t>((last + width) * real_bytes(problem.precision));
}

std::size_t origin_bytes(const ArrayProblem& problem, bool is_output) {
  Index before = 0;
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const Dimension& dimension = problem.dimensions[at(d)];
    const Index n = is_output ? problem.out_extent(d) : problem.in_extent(d);
    const Blocks& blocks = is_output ? dimension.out_blocks : dimension.in_blocks;
    const Index length = blocks ? blocks.length : n;
    before += (length - 1) * std::max<Index>(0, -(is_output ? dimension.out : dimension.in)) +
              (n / length - 1) * std::max<Index>(0, -blocks.jump);
  }
  return static_cast<std::size_t>(before * real_bytes(problem.precision));
}

}  // namespace weft::gpu
