// SPDX-License-Identifier: BSD-3-Clause
// Boxes and the usual distributions, for C.
#include <algorithm>

#include "c/support.hpp"

using namespace weft;
using namespace weft::c;

namespace {

constexpr weft_box default_box = {.struct_size = 0,
                                  .ndim = 0,
                                  .begin = nullptr,
                                  .end = nullptr,
                                  .strides = nullptr,
                                  .order = nullptr,
                                  .margin_low = nullptr,
                                  .margin_high = nullptr,
                                  .offset = -1};

LocalBox box_of(const weft_box* structure) {
  const weft_box b = known_members(given(structure, "weft_box"), default_box, "weft_box");
  check_ndim(b.ndim);
  LocalBox result;
  result.box = Box(list<Index>(b.begin, b.ndim, "begin"), list<Index>(b.end, b.ndim, "end"));
  result.strides = optional_list<Index>(b.strides, b.ndim);
  result.order = optional_list<int>(b.order, b.ndim);
  result.margin_low = optional_list<Index>(b.margin_low, b.ndim);
  result.margin_high = optional_list<Index>(b.margin_high, b.ndim);
  result.offset = b.offset;
  return result;
}

/// Boxes that `make` computes from the shape.
template <class Make>
weft_status create_boxes(weft_boxes** boxes, int ndim, const int64_t* shape, const Make& make) {
  return create(boxes, [&] {
    check_ndim(ndim);
    return std::make_unique<weft_boxes>(weft_boxes{make(list<Index>(shape, ndim, "shape"))});
  });
}

}  // namespace

weft_status weft_box_init(weft_box* box, size_t struct_size) {
  return initialize(box, struct_size, default_box, "weft_box");
}

weft_status weft_boxes_create(weft_boxes** boxes) {
  return create(boxes, [] { return std::make_unique<weft_boxes>(); });
}
weft_status weft_boxes_add(weft_boxes* boxes, const weft_box* box) {
  return guarded([&] { given(boxes, "the boxes").boxes.push_back(box_of(box)); });
}
weft_status weft_boxes_bricks(weft_boxes** boxes, int ndim, const int64_t* shape, const int* grid,
                              int rank) {
  return create_boxes(boxes, ndim, shape, [&](const std::vector<Index>& extents) {
    return bricks(extents, list<int>(grid, ndim, "grid"), rank);
  });
}
weft_status weft_boxes_slabs(weft_boxes** boxes, int ndim, const int64_t* shape, int axis,
                             int ranks, int rank) {
  return create_boxes(boxes, ndim, shape, [&](const std::vector<Index>& extents) {
    return slabs(extents, axis, ranks, rank);
  });
}
weft_status weft_boxes_pencils(weft_boxes** boxes, int ndim, const int64_t* shape, int axis,
                               int ranks, int rank) {
  return create_boxes(boxes, ndim, shape, [&](const std::vector<Index>& extents) {
    return pencils(extents, axis, ranks, rank);
  });
}
weft_status weft_boxes_block_cyclic(weft_boxes** boxes, int ndim, const int64_t* shape,
                                    const int* grid, const int64_t* block, int rank) {
  return create_boxes(boxes, ndim, shape, [&](const std::vector<Index>& extents) {
    return block_cyclic(extents, list<int>(grid, ndim, "grid"), list<Index>(block, ndim, "block"),
                        rank);
  });
}
void weft_boxes_destroy(weft_boxes* boxes) { delete boxes; }

weft_status weft_boxes_count(const weft_boxes* boxes, int64_t* count) {
  return guarded([&] {
    given(count, "count") = static_cast<int64_t>(given(boxes, "the boxes").boxes.size());
  });
}
weft_status weft_boxes_get(const weft_boxes* boxes, int64_t index, int* ndim, int64_t* begin,
                           int64_t* end) {
  return guarded([&] {
    const LocalBoxes& all = given(boxes, "the boxes").boxes;
    if (index < 0 || index >= static_cast<int64_t>(all.size()))
      refuse("box " + std::to_string(index) + " of " + std::to_string(all.size()));
    const Box& box = all[static_cast<std::size_t>(index)].box;
    given(ndim, "ndim") = box.ndim;
    std::copy_n(box.begin.begin(), box.ndim, &given(begin, "begin"));
    std::copy_n(box.end.begin(), box.ndim, &given(end, "end"));
  });
}
weft_status weft_balanced_grid(int ndim, const int64_t* shape, int ranks, int whole_count,
                               const int* whole, int* grid) {
  return guarded([&] {
    check_ndim(ndim);
    const Grid found = balanced_grid(list<Index>(shape, ndim, "shape"), ranks,
                                     list<int>(whole, whole_count, "whole"));
    std::ranges::copy(found, &given(grid, "grid"));
  });
}
