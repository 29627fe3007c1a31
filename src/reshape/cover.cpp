// SPDX-License-Identifier: BSD-3-Clause
// Boxes are sorted along the first axis, and only boxes that overlap along it are compared with
// each other.
#include "reshape/cover.hpp"

#include <algorithm>
#include <optional>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::reshape {
namespace {

struct Owned {
  Box box;
  int rank;
};

std::string name(const Owned& owned) {
  return "rank " + std::to_string(owned.rank) + "'s " + to_text(owned.box);
}

std::string shape_text(std::span<const Index> shape) {
  std::string text;
  for (Index n : shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

void check_inside(const Owned& owned, std::span<const Index> shape, const char* what) {
  if (owned.box.ndim != static_cast<int>(shape.size()))
    throw Error(ErrorCode::invalid_argument,
                std::string("the ") + what + " box " + name(owned) + " has " +
                    std::to_string(owned.box.ndim) + " dimensions, the array " +
                    std::to_string(shape.size()) + "; give one interval per axis");
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (owned.box.begin[d] < 0 || owned.box.end[d] > shape[d])
      throw Error(ErrorCode::invalid_argument, std::string("the ") + what + " box " + name(owned) +
                                                   " exceeds the array of " + shape_text(shape) +
                                                   " along axis " + std::to_string(d) +
                                                   "; boxes are half-open, [begin, end)");
}

/// Finds an element that is in no box, by dividing the array along the faces of the boxes.
Box gap(const std::vector<Owned>& boxes, Box region, int axis) {
  if (axis == region.ndim) return boxes.empty() ? region : Box{};
  const auto d = static_cast<std::size_t>(axis);
  std::vector<Index> faces{region.begin[d], region.end[d]};
  for (const Owned& owned : boxes) {
    faces.push_back(owned.box.begin[d]);
    faces.push_back(owned.box.end[d]);
  }
  std::ranges::sort(faces);
  for (std::size_t i = 0; i + 1 < faces.size(); ++i) {
    if (faces[i] == faces[i + 1]) continue;
    Box slice = region;
    slice.begin[d] = faces[i];
    slice.end[d] = faces[i + 1];
    std::vector<Owned> inside;
    for (const Owned& owned : boxes)
      if (owned.box.begin[d] <= faces[i] && faces[i] < owned.box.end[d]) inside.push_back(owned);
    const Box found = gap(inside, slice, axis + 1);
    if (!found.empty()) return found;
  }
  return {};
}

/// Two boxes that share an element, or nullopt. Sorts the boxes.
std::optional<std::pair<Owned, Owned>> find_overlap(std::vector<Owned>& boxes) {
  std::ranges::stable_sort(boxes, {}, [](const Owned& o) { return o.box.begin[0]; });
  std::vector<Owned> open;
  for (const Owned& owned : boxes) {
    std::erase_if(open, [&](const Owned& o) { return o.box.end[0] <= owned.box.begin[0]; });
    for (const Owned& other : open)
      if (!intersect(owned.box, other.box).empty()) return std::pair(other, owned);
    open.push_back(owned);
  }
  return std::nullopt;
}

std::vector<Owned> filled_boxes(const ArrayDistribution& distribution) {
  std::vector<Owned> boxes;
  for (int rank = 0; rank < static_cast<int>(distribution.size()); ++rank)
    for (const Box& box : distribution[at(rank)])
      if (!box.empty()) boxes.push_back({box, rank});
  return boxes;
}

/// Number of elements of boxes that lie inside the array and do not overlap; so it is at most the
/// array's.
Index count_of(const std::vector<Owned>& boxes) {
  Index count = 0;
  for (const Owned& owned : boxes) count += owned.box.count();
  return count;
}

}  // namespace

void check_cover(const ArrayDistribution& distribution, std::span<const Index> shape, Cover cover,
                 const char* what) {
  std::vector<Owned> boxes = filled_boxes(distribution);
  for (const Owned& owned : boxes) check_inside(owned, shape, what);
  const Index whole = checked_product(shape, "the array");
  if (cover == Cover::exact) {
    if (const auto overlap = find_overlap(boxes))
      throw Error(ErrorCode::invalid_argument,
                  std::string("two ") + what + " boxes overlap: " + name(overlap->first) + " and " +
                      name(overlap->second) + "; every element must belong to one box");
    if (count_of(boxes) == whole) return;
  }
  const Box missing = gap(boxes, Box::of_shape(shape), 0);
  if (!missing.empty())
    throw Error(ErrorCode::invalid_argument,
                std::string("no rank holds ") + to_text(missing) + " of the " + what +
                    " array of " + shape_text(shape) + "; the boxes must cover the whole array");
}

bool is_partition(const ArrayDistribution& distribution, std::span<const Index> shape) {
  if (distribution.is_whole_grid()) return true;
  std::vector<Owned> boxes = filled_boxes(distribution);
  return !find_overlap(boxes) && count_of(boxes) == checked_product(shape, "the array");
}

}  // namespace weft::reshape
