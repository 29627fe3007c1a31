// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_boxes.hpp"

#include <algorithm>
#include <numeric>

namespace weft::test {
namespace {

/// Divides a box at random into `pieces` boxes.
std::vector<Box> random_cuts(Twister& random, const Box& whole, int pieces) {
  std::vector<Box> boxes{whole};
  for (int tries = 0; tries < 4 * pieces && static_cast<int>(boxes.size()) < pieces; ++tries) {
    Box& box = boxes[random() % boxes.size()];
    const auto d = static_cast<std::size_t>(pick(random, 0, box.ndim - 1));
    if (box.end[d] - box.begin[d] < 2) continue;
    const Index cut =
        box.begin[d] + 1 + static_cast<Index>(random()) % (box.end[d] - box.begin[d] - 1);
    Box rest = box;
    box.end[d] = cut;
    rest.begin[d] = cut;
    boxes.push_back(rest);
  }
  return boxes;
}

/// A random storage order, and sometimes margins.
void random_storage(Twister& random, LocalBox& local) {
  const auto ndim = static_cast<std::size_t>(local.box.ndim);
  if (chance(random, 30)) {
    local.order.resize(ndim);
    std::iota(local.order.begin(), local.order.end(), 0);
    std::shuffle(local.order.begin(), local.order.end(), random);
  }
  if (chance(random, 20))
    for (std::size_t d = 0; d < ndim; ++d) {
      local.margin_low.push_back(pick(random, 0, 2));
      local.margin_high.push_back(pick(random, 0, 2));
    }
}

/// Adds empty boxes at random places in the list: with extent 0 along one or several axes, or with
/// an end before the begin, inside the array and outside of it.
void add_empty_boxes(Twister& random, const std::vector<Index>& shape,
                     std::vector<LocalBoxes>& boxes) {
  for (int count = pick(random, 1, 6); count > 0; --count) {
    Box box = Box::of_shape(shape);
    for (int cuts = pick(random, 1, 2); cuts > 0; --cuts) {
      const auto d = static_cast<std::size_t>(pick(random, 0, box.ndim - 1));
      box.begin[d] = pick(random, -1, static_cast<int>(shape[d]) + 1);
      box.end[d] = box.begin[d] - pick(random, 0, 2);
    }
    LocalBoxes& mine = boxes[random() % boxes.size()];
    mine.insert(mine.begin() + static_cast<std::ptrdiff_t>(random() % (mine.size() + 1)),
                LocalBox{.box = box});
  }
}

}  // namespace

std::vector<LocalBoxes> random_boxes(Twister& random, const std::vector<Index>& shape, int ranks,
                                     bool replicated) {
  std::vector<LocalBoxes> boxes(static_cast<std::size_t>(ranks));
  const int way = pick(random, 0, 4);
  for (int rank = 0; rank < ranks; ++rank) {
    auto& mine = boxes[static_cast<std::size_t>(rank)];
    if (way == 0) mine = bricks(shape, balanced_grid(shape, ranks), rank);
    if (way == 1) mine = slabs(shape, 0, ranks, rank);
    if (way == 2) mine = pencils(shape, static_cast<int>(shape.size()) - 1, ranks, rank);
    if (way == 3) {
      const std::vector<Index> block(shape.size(), 3);
      mine = block_cyclic(shape, balanced_grid(shape, ranks), block, rank);
    }
  }
  if (way == 4)
    for (const Box& box : random_cuts(random, Box::of_shape(shape), pick(random, 1, 2 * ranks)))
      boxes[random() % boxes.size()].push_back({.box = box});
  if (replicated) {
    const auto copy = boxes[random() % boxes.size()];
    auto& also = boxes[random() % boxes.size()];
    also.insert(also.end(), copy.begin(), copy.end());
  }
  for (LocalBoxes& mine : boxes)
    for (LocalBox& local : mine) random_storage(random, local);
  if (chance(random, 40)) add_empty_boxes(random, shape, boxes);
  return boxes;
}

}  // namespace weft::test
