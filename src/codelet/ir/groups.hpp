// SPDX-License-Identifier: BSD-3-Clause
// Which values are loaded or stored together. This depends on the layout: one part (real or
// imaginary) of a row if the parts are separate (planar), both parts of a row (unit, strided),
// several rows (tile).
#pragma once

#include <vector>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

/// The operation of codelet/simd that moves a group.
enum class Move {
  part,          ///< one register: a part of a planar row
  unit,          ///< one complex row of adjacent lanes
  strided,       ///< one complex row of lanes at a stride
  tile,          ///< two complex rows, adjacent within each lane
  real_unit,     ///< one real row of adjacent lanes
  real_strided,  ///< one real row of lanes at a stride
  line,          ///< one register of adjacent complex numbers
};

struct Member {
  int row;
  Part part;
};

/// Two adjacent real rows of a tile are loaded and stored like the parts of one complex row.
struct Group {
  Move move;
  int first_row;
  std::vector<Member> members;  ///< the values it holds, in the order of the registers
};

/// The input or the output of a kernel in memory.
struct Side {
  KernelLayout layout;
  bool is_real;  ///< one real per row and lane instead of a complex number; also true for registers
                 ///< of a line
  int rows;
};

Side input_side(const KernelKey& key);
Side output_side(const KernelKey& key);

std::vector<Group> input_groups(const KernelKey& key);
std::vector<Group> output_groups(const KernelKey& key);

}  // namespace weft::codelet::ir
