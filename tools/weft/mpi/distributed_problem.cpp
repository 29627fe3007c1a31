// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/distributed_problem.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "problem.hpp"
#include "problem/request.hpp"
#include "text.hpp"

namespace weft::tool {

Grid parse_grid(const std::string& text, const std::vector<Index>& shape) {
  const std::vector<Index> counts = parse_shape(text).shape;
  for (Index count : counts)
    if (count < 1 || count > 1 << 20)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("'{}' is not a grid of ranks; give a number such as 8, or one per "
                              "axis such as 2x4",
                              text));
  if (counts.size() == 1) return balanced_grid(shape, static_cast<int>(counts[0]));
  if (counts.size() > shape.size())
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("the grid of ranks has {} dimensions, more than the array {}; give at most {}",
                    counts.size(), shape_text(shape), shape.size()));
  Grid grid(shape.size(), 1);
  for (std::size_t d = 0; d < counts.size(); ++d) grid[d] = static_cast<int>(counts[d]);
  return grid;
}

int ranks_of(const Grid& grid) {
  return std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>());
}

global::GlobalProblem brick_problem(const Transform& transform, const Grid& grid, int ranks) {
  global::GlobalProblem problem{problem::check_request(transform, {}, {}).problem};
  problem.input = reshape::ArrayDistribution(problem.input_shape(), grid, ranks);
  problem.output = reshape::ArrayDistribution(problem.output_shape(), grid, ranks);
  return problem;
}

}  // namespace weft::tool
