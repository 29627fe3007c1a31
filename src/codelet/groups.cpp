// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/groups.hpp"

namespace weft::codelet::ir {
namespace {

Group complex_rows(Layout layout, int first_row, int rows) {
  Group group{layout, first_row, rows, {}};
  for (int row = first_row; row < first_row + rows; ++row) {
    group.members.push_back({row, Part::re});
    group.members.push_back({row, Part::im});
  }
  return group;
}

std::vector<Group> complex_groups(Layout layout, int rows, int tile) {
  std::vector<Group> groups;
  int row = 0;
  if (layout == Layout::tile)
    for (; row + tile <= rows; row += tile) groups.push_back(complex_rows(layout, row, tile));
  for (; row < rows; ++row) {
    if (layout == Layout::planar) {
      groups.push_back({layout, row, 1, {{row, Part::re}}});
      groups.push_back({layout, row, 1, {{row, Part::im}}});
    } else {
      groups.push_back(complex_rows(layout == Layout::tile ? Layout::strided : layout, row, 1));
    }
  }
  return groups;
}

}  // namespace

int tile_rows(const KernelKey& key) { return key.isa == Isa::scalar ? 1 : 2; }

std::vector<Group> input_groups(const KernelKey& key) {
  return complex_groups(key.in, key.radix, tile_rows(key));
}

std::vector<Group> output_groups(const KernelKey& key) {
  return complex_groups(key.out, key.radix, tile_rows(key));
}

}  // namespace weft::codelet::ir
