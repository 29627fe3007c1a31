// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/ir/groups.hpp"

#include "codelet/ir/line_kernel.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet::ir {
namespace {

/// `count` values from position `first` on. Real rows count one position each, complex rows two.
std::vector<Member> members(const Side& side, int first, int count) {
  std::vector<Member> result;
  for (int k = first; k < first + count; ++k) {
    if (side.is_real)
      result.push_back({k, Part::re});
    else
      result.push_back({k / 2, k % 2 == 0 ? Part::re : Part::im});
  }
  return result;
}

Group group(const Side& side, Move move, int first, int count) {
  return {move, side.is_real ? first : first / 2, members(side, first, count)};
}

/// Lanes whose numbers are adjacent: four values at a time as a tile, two as one strided row, or a
/// single one.
std::vector<Group> tile_groups(const Side& side, bool uses_tiles) {
  const int size = side.is_real ? side.rows : 2 * side.rows;
  std::vector<Group> groups;
  int next = 0;
  if (uses_tiles)
    for (; next + 4 <= size; next += 4) groups.push_back(group(side, Move::tile, next, 4));
  for (; next + 2 <= size; next += 2) groups.push_back(group(side, Move::strided, next, 2));
  if (next < size) groups.push_back(group(side, Move::real_strided, next, 1));
  return groups;
}

std::vector<Group> groups_of(const Side& side, bool uses_tiles) {
  if (side.layout == KernelLayout::tile) return tile_groups(side, uses_tiles);
  const bool singly = side.is_real || side.layout == KernelLayout::planar;
  Move move = Move::part;
  if (side.layout == KernelLayout::unit) move = side.is_real ? Move::real_unit : Move::unit;
  if (side.layout == KernelLayout::strided)
    move = side.is_real ? Move::real_strided : Move::strided;
  if (side.layout == KernelLayout::line) move = Move::line;
  const int size = side.is_real ? side.rows : 2 * side.rows, count = singly ? 1 : 2;
  std::vector<Group> groups;
  for (int next = 0; next < size; next += count) groups.push_back(group(side, move, next, count));
  return groups;
}

}  // namespace

Side input_side(const KernelKey& key) {
  if (is_line(key)) return {KernelLayout::line, true, input_rows(key)};
  const bool halved = key.transform == KernelTransform::real_backward;
  return {key.in, has_real_input(key.transform), halved ? key.radix / 2 + 1 : key.radix};
}

Side output_side(const KernelKey& key) {
  if (is_line(key)) return {KernelLayout::line, true, output_rows(key)};
  const bool halved = key.transform == KernelTransform::real_forward;
  return {key.out, has_real_output(key.transform), halved ? key.radix / 2 + 1 : key.radix};
}

std::vector<Group> input_groups(const KernelKey& key) {
  // A complex double fills half an AVX2 register: inserting halves from memory takes as many
  // instructions as transposing whole registers, but occupies two values at a time instead of four.
  const bool halves = key.isa == Isa::avx2 && key.precision == Precision::f64;
  return groups_of(input_side(key), key.isa != Isa::scalar && !halves);
}

std::vector<Group> output_groups(const KernelKey& key) {
  return groups_of(output_side(key), key.isa != Isa::scalar);
}

}  // namespace weft::codelet::ir
