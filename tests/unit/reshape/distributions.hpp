// SPDX-License-Identifier: BSD-3-Clause
// Random distributions of a small array over ranks, and its elements as numbers.
#pragma once

#include "base/index.hpp"
#include "reshape/messages.hpp"
#include "reshape/piece.hpp"
#include "unit/reshape/random.hpp"

namespace weft::reshape {

/// Every element in one box: the array cut at random, the boxes dealt out at random. Some ranks may
/// have no box, others several.
inline ArrayDistribution random_partition(Random& random, const std::vector<Index>& shape,
                                          int ranks) {
  std::vector<Box> boxes{Box::of_shape(shape)};
  for (Index cuts = pick(random, 0, 2 * ranks); cuts > 0; --cuts) {
    Box& box = boxes[random() % boxes.size()];
    const std::size_t d = random() % shape.size();
    Box rest = box;
    box.end[d] = rest.begin[d] = pick(random, box.begin[d], box.end[d]);  // either may be empty
    boxes.push_back(rest);
  }
  ArrayDistribution::List distribution(at(ranks));
  for (const Box& box : boxes)
    if (!box.empty()) distribution[random() % distribution.size()].push_back(box);
  return distribution;
}

/// Calls visit(element's number in the array, its distance from box.begin along the strides).
template <class Visit>
void for_each_element(const Box& box, const std::vector<Index>& shape, const Strides& strides,
                      const Visit& visit) {
  for (Index i = 0; i < box.count(); ++i) {
    Index number = 0, distance = 0, rest = i, weight = 1;
    for (int d = box.ndim; d-- > 0;) {
      const Index step = rest % box.extent(d);
      rest /= box.extent(d);
      number += weight * (box.begin[at(d)] + step);
      weight *= shape[at(d)];
      distance += step * strides[at(d)];
    }
    visit(number, distance);
  }
}

}  // namespace weft::reshape
