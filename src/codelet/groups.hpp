// SPDX-License-Identifier: BSD-3-Clause
// Which values move between memory and registers together, by layout: one part of a row where the
// parts lie apart (planar), both parts of a row (unit, strided), several rows (tile).
#pragma once

#include <vector>

#include "codelet/kernel.hpp"

namespace weft::codelet::ir {

struct Member {
  int row;
  Part part;
};

struct Group {
  Layout layout;  ///< how it is moved; the rows left over by a tile are strided
  int first_row;
  int rows;
  std::vector<Member> members;  ///< the values it holds
};

std::vector<Group> input_groups(const KernelKey& key);
std::vector<Group> output_groups(const KernelKey& key);

/// Rows that one tile transposes.
int tile_rows(const KernelKey& key);

}  // namespace weft::codelet::ir
