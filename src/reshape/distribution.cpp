// SPDX-License-Identifier: BSD-3-Clause
// The usual distributions, from a grid of ranks.
#include "weft/distribution.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "weft/error.hpp"

namespace weft {
namespace {

void check_grid(std::span<const Index> shape, const Grid& grid) {
  if (grid.size() != shape.size())
    throw Error(ErrorCode::invalid_argument,
                "a grid of " + std::to_string(grid.size()) + " dimensions for an array of " +
                    std::to_string(shape.size()) +
                    "; give one number of ranks per axis, 1 for an axis "
                    "that is not divided");
  for (int ranks : grid)
    if (ranks < 1)
      throw Error(ErrorCode::invalid_argument,
                  "a grid has " + std::to_string(ranks) + " ranks along an axis; give at least 1");
}

/// Whether the rank is in the grid.
bool has_rank(const Grid& grid, int rank) {
  int quotient =
      rank;  // 0 after the loop if rank < product of the grid (which may not fit in 64 bits)
  for (int ranks : grid) quotient /= ranks;
  return rank >= 0 && quotient == 0;
}

/// Coordinates of a rank in the grid, the last axis fastest.
std::vector<Index> place_in(const Grid& grid, int rank) {
  std::vector<Index> place(grid.size());
  Index rest = rank;
  for (std::size_t d = grid.size(); d-- > 0;) {
    place[d] = rest % grid[d];
    rest /= grid[d];
  }
  return place;
}

void check_axis(std::span<const Index> shape, int axis) {
  if (axis < 0 || axis >= static_cast<int>(shape.size()))
    throw Error(ErrorCode::invalid_argument, "axis " + std::to_string(axis) + " of an array of " +
                                                 std::to_string(shape.size()) + " dimensions");
}

}  // namespace

LocalBoxes bricks(std::span<const Index> shape, const Grid& grid, int rank) {
  check_grid(shape, grid);
  if (!has_rank(grid, rank)) return {};
  const auto place = place_in(grid, rank);
  std::vector<Index> begin(shape.size()), end(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d)
    std::tie(begin[d], end[d]) = split_evenly(shape[d], grid[d], place[d]);
  const Box box{std::span<const Index>(begin), std::span<const Index>(end)};
  if (box.empty()) return {};
  return {LocalBox{.box = box}};
}

LocalBoxes slabs(std::span<const Index> shape, int axis, int ranks, int rank) {
  check_axis(shape, axis);
  Grid grid(shape.size(), 1);
  grid[static_cast<std::size_t>(axis)] = ranks;
  return bricks(shape, grid, rank);
}

LocalBoxes pencils(std::span<const Index> shape, int axis, int ranks, int rank) {
  check_axis(shape, axis);
  const int whole[] = {axis};
  return bricks(shape, balanced_grid(shape, ranks, whole), rank);
}

LocalBoxes block_cyclic(std::span<const Index> shape, const Grid& grid,
                        std::span<const Index> block, int rank) {
  check_grid(shape, grid);
  if (block.size() != shape.size() || std::ranges::any_of(block, [](Index b) { return b < 1; }))
    throw Error(ErrorCode::invalid_argument,
                "block_cyclic needs one positive block size per axis of the array");
  if (!has_rank(grid, rank)) return {};
  LocalBoxes boxes;
  std::vector<Index> begin(shape.size()), end(shape.size());
  const auto place = place_in(grid, rank);
  const std::function<void(std::size_t)> cut = [&](std::size_t d) {
    if (d == shape.size()) {
      boxes.push_back({.box = Box{std::span<const Index>(begin), std::span<const Index>(end)}});
      return;
    }
    const Index blocks = shape[d] < 1 ? 0 : (shape[d] - 1) / block[d] + 1;
    for (Index i = place[d]; i < blocks; i += grid[d]) {
      begin[d] = i * block[d];
      end[d] = begin[d] + std::min(block[d], shape[d] - begin[d]);
      cut(d + 1);
    }
  };
  cut(0);
  return boxes;
}

Grid balanced_grid(std::span<const Index> shape, int ranks, std::span<const int> whole) {
  if (ranks < 1)
    throw Error(ErrorCode::invalid_argument,
                "a grid of " + std::to_string(ranks) + " ranks; give at least 1");
  const auto is_whole = [&](std::size_t d) {
    return std::ranges::find(whole, static_cast<int>(d)) != whole.end();
  };
  Grid grid(shape.size(), 1), best(shape.size(), 1);
  double best_cost = std::numeric_limits<double>::infinity();
  const std::function<void(std::size_t, int)> search = [&](std::size_t d, int left) {
    if (d == shape.size()) {
      double largest = 1,
             surface = 0;  // of the largest block; on a tie, slow axes are divided first
      for (std::size_t i = 0; i < shape.size(); ++i)
        largest *= static_cast<double>((shape[i] + grid[i] - 1) / grid[i]);
      for (std::size_t i = 0; i < shape.size(); ++i)
        if (grid[i] > 1)
          surface += (1 + 1e-6 * static_cast<double>(i)) * grid[i] /
                     static_cast<double>(std::max<Index>(shape[i], 1));
      const double cost = largest * (1 + surface);
      if (cost < best_cost) {
        best_cost = cost;
        best = grid;
      }
      return;
    }
    // Not only divisors: with 13 ranks, a grid of 3 x 4 that leaves one rank idle may be better
    // than 13 x 1.
    const Index most = is_whole(d) ? 1 : std::min<Index>(left, std::max<Index>(shape[d], 1));
    for (int part = 1; part <= most; ++part) {
      grid[d] = part;
      search(d + 1, left / part);
    }
    grid[d] = 1;
  };
  search(0, ranks);
  return best;
}

}  // namespace weft
