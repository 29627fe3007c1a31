// SPDX-License-Identifier: BSD-3-Clause
// Do the boxes of all ranks make up the array? Boxes are swept along the first axis, so that only
// those that meet there are compared with each other.
#include <algorithm>

#include "base/index.hpp"
#include "reshape/messages.hpp"
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
                                                   " leaves the array of " + shape_text(shape) +
                                                   " along axis " + std::to_string(d) +
                                                   "; boxes are half-open, [begin, end)");
}

/// An element that no box holds, by cutting the array along the boxes' faces.
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
    if (found.ndim > 0) return found;
  }
  return {};
}

/// Throws for the first two boxes that share an element.
void check_disjoint(std::vector<Owned>& boxes, const char* what) {
  std::ranges::stable_sort(boxes, {}, [](const Owned& o) { return o.box.begin[0]; });
  std::vector<Owned> open;
  for (const Owned& owned : boxes) {
    std::erase_if(open, [&](const Owned& o) { return o.box.end[0] <= owned.box.begin[0]; });
    for (const Owned& other : open)
      if (!intersect(owned.box, other.box).empty())
        throw Error(ErrorCode::invalid_argument,
                    std::string("two ") + what + " boxes overlap: " + name(other) + " and " +
                        name(owned) + "; every element must belong to one box");
    open.push_back(owned);
  }
}

}  // namespace

void check_cover(const Layout& layout, std::span<const Index> shape, Cover cover,
                 const char* what) {
  std::vector<Owned> boxes;
  Index held = 0;
  for (int rank = 0; rank < static_cast<int>(layout.size()); ++rank)
    for (const Box& box : layout[static_cast<std::size_t>(rank)]) {
      if (box.empty()) continue;
      boxes.push_back({box, rank});
      check_inside(boxes.back(), shape, what);
      held += box.count();
    }
  if (cover == Cover::exact) check_disjoint(boxes, what);
  const Index whole = checked_product(shape, "the array");
  if (cover == Cover::exact && held == whole) return;
  const Box missing = gap(boxes, Box::of_shape(shape), 0);
  if (missing.ndim > 0)
    throw Error(ErrorCode::invalid_argument,
                std::string("no rank holds ") + to_text(missing) + " of the " + what +
                    " array of " + shape_text(shape) + "; let the boxes cover all of it");
}

}  // namespace weft::reshape
