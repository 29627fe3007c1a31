// SPDX-License-Identifier: BSD-3-Clause
#include "reshape/array_distribution.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"

namespace weft::reshape {
namespace {

struct Range {
  Index first = 0, last = 0;  ///< [first, last)
};

/// The parts of [0, n) that meet [begin, end); they are in order, the empty ones last.
Range parts_meeting(Index n, Index parts, Index begin, Index end) {
  const auto begin_of = [&](Index part) { return split_evenly(n, parts, part).first; };
  // The first part that ends after `begin`, and the first that begins at `end` or after it.
  const auto first_where = [&](auto holds) {
    Index low = 0, high = parts;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (holds(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  return {first_where([&](Index part) { return begin_of(part + 1) > begin; }),
          first_where([&](Index part) { return begin_of(part) >= std::min(end, n); })};
}

}  // namespace

ArrayDistribution::ArrayDistribution(std::span<const Index> shape, Grid grid, int ranks)
    : shape_(shape.begin(), shape.end()), grid_(std::move(grid)), ranks_(at(ranks)) {
  bricks(shape_, grid_, 0);  // says what is wrong with the grid
  if (grid_.empty()) list_ = std::make_shared<const List>(ranks_);
  cells_ = 1;
  for (const int parts : grid_)  // a number beyond the ranks is as good as any
    cells_ = std::min<Index>(cells_ * parts, Index{1} << 31);
}

RankBoxes ArrayDistribution::operator[](std::size_t rank) const {
  if (grid_.empty()) return RankBoxes((*list_)[rank]);
  if (static_cast<Index>(rank) >= cells_) return {};
  Box box;
  box.ndim = static_cast<int>(shape_.size());
  auto rest = static_cast<Index>(rank);
  for (std::size_t d = shape_.size(); d-- > 0; rest /= grid_[d])
    std::tie(box.begin[d], box.end[d]) = split_evenly(shape_[d], grid_[d], rest % grid_[d]);
  return box.empty() ? RankBoxes() : RankBoxes(box);
}

ArrayDistribution::List ArrayDistribution::list() const {
  List list;
  for (const RankBoxes& boxes : *this) list.push_back(boxes);
  return list;
}

Index ArrayDistribution::largest_count() const {
  Index largest = 0;
  for (const RankBoxes& boxes : *this) {
    Index count = 0;
    for (const Box& box : boxes) count += box.count();
    largest = std::max(largest, count);
    if (!grid_.empty()) break;  // the first parts are the longest
  }
  return largest;
}

bool is_whole(const ArrayDistribution& distribution, std::span<const Index> shape, int axis) {
  const auto spans = [&](const Box& box) {
    return box.empty() || box.extent(axis) == shape[at(axis)];
  };
  // The first part is the longest: where it spans the axis the others are empty.
  if (!distribution.grid_.empty())
    return distribution.empty() || std::ranges::all_of(distribution[0], spans);
  for (const RankBoxes& boxes : distribution)
    if (!std::ranges::all_of(boxes, spans)) return false;
  return true;
}

Index ArrayDistribution::parts(int axis) const {
  if (!grid_.empty()) return std::min<Index>(grid_[at(axis)], shape_[at(axis)]);
  std::vector<Index> begins;
  for (const RankBoxes& boxes : *this)
    for (const Box& box : boxes)
      if (!box.empty()) begins.push_back(box.begin[at(axis)]);
  std::ranges::sort(begins);
  return std::unique(begins.begin(), begins.end()) - begins.begin();
}

std::vector<int> ArrayDistribution::ranks_meeting(std::span<const Box> boxes) const {
  std::vector<int> ranks;
  if (grid_.empty()) {
    ranks.resize(ranks_);
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    // All combinations of the parts along every axis, the last fastest.
    std::vector<Index> met{0};
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const Range range = parts_meeting(shape_[d], grid_[d], box.begin[d], box.end[d]);
      std::vector<Index> next;
      for (const Index cell : met)
        for (Index part = range.first; part < range.last; ++part)
          next.push_back(cell * grid_[d] + part);
      met = std::move(next);
    }
    for (const Index cell : met)
      if (cell < static_cast<Index>(ranks_)) ranks.push_back(static_cast<int>(cell));
  }
  if (boxes.size() > 1) {
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  }
  return ranks;
}

}  // namespace weft::reshape
