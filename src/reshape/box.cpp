// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/index.hpp"
#include "weft/distribution.hpp"
#include "weft/error.hpp"

namespace weft {

Box::Box(std::span<const Index> first, std::span<const Index> last)
    : ndim(static_cast<int>(first.size())) {
  if (first.size() != last.size())
    throw Error(ErrorCode::invalid_argument, "a box has " + std::to_string(first.size()) +
                                                 " begins but " + std::to_string(last.size()) +
                                                 " ends; give one begin and one end per dimension");
  if (first.size() > static_cast<std::size_t>(max_box_ndim))
    throw Error(ErrorCode::unsupported, "a box of " + std::to_string(first.size()) +
                                            " dimensions; distributed arrays have at most " +
                                            std::to_string(max_box_ndim) +
                                            "; merge adjacent dimensions");
  std::ranges::copy(first, begin.begin());
  std::ranges::copy(last, end.begin());
}

Box Box::of_shape(std::span<const Index> shape) {
  const std::vector<Index> zeros(shape.size(), 0);
  return {std::span<const Index>(zeros), shape};
}

Index Box::count() const {
  if (empty()) return 0;
  Index count = 1;
  for (int d = 0; d < ndim; ++d) count = checked_product(count, extent(d), "the elements of a box");
  return count;
}

bool Box::empty() const {
  for (std::size_t d = 0; d < static_cast<std::size_t>(ndim); ++d)
    if (end[d] <= begin[d]) return true;
  return ndim == 0;
}

std::vector<Index> Box::extents() const {
  std::vector<Index> extents;
  for (int d = 0; d < ndim; ++d) extents.push_back(extent(d));
  return extents;
}

Box intersect(const Box& a, const Box& b) {
  Box common;
  common.ndim = a.ndim;
  for (std::size_t d = 0; d < static_cast<std::size_t>(a.ndim); ++d) {
    common.begin[d] = std::max(a.begin[d], b.begin[d]);
    common.end[d] = std::max(common.begin[d], std::min(a.end[d], b.end[d]));
  }
  return common;
}

std::string to_text(const Box& box) {
  std::string text;
  for (std::size_t d = 0; d < static_cast<std::size_t>(box.ndim); ++d)
    text += (d > 0 ? " x [" : "[") + std::to_string(box.begin[d]) + "," +
            std::to_string(box.end[d]) + ")";
  return text;
}

}  // namespace weft
