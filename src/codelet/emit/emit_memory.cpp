// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/emit/emit_memory.hpp"

#include <utility>

#include "base/format.hpp"
#include "codelet/ir/line_kernel.hpp"

namespace weft::codelet::ir {
namespace {

const char* function_of(Move move) {
  switch (move) {
    case Move::part:
    case Move::line: return "";
    case Move::unit: return "_unit";
    case Move::strided: return "_strided";
    case Move::tile: return "_tile";
    case Move::real_unit: return "_real_unit";
    case Move::real_strided: return "_real_strided";
  }
  return "";
}

bool uses_lane_stride(Move move) {
  return move == Move::strided || move == Move::tile || move == Move::real_strided;
}

/// The variable that holds a loaded group.
std::string variable(const Group& group) {
  const Member& first = group.members.front();
  if (group.move == Move::part)
    return weft::format("x{}_{}", first.row, first.part == Part::re ? "re" : "im");
  return weft::format("x{}", first.row);
}

const char* type_of(const Group& group) {
  return group.members.size() == 1 ? "Vec" : group.move == Move::tile ? "Tile" : "Row";
}

}  // namespace

MemorySide::MemorySide(const KernelKey& key, const Side& side, std::string name)
    : key_(key), side_(side), name_(std::move(name)) {}

/// A row of planar or unit data fills two registers, `lanes` reals apart. Each half has its own
/// base pointers: if an address is used only once, the compiler folds base + index into the memory
/// access; otherwise it computes the address of each row in a register.
bool MemorySide::has_two_halves() const {
  return !side_.is_real &&
         (side_.layout == KernelLayout::planar || side_.layout == KernelLayout::unit);
}

std::string MemorySide::strides() const {
  std::string text;
  if (has_runtime_rows())
    text += weft::format("  const Stride {0}_row = Stride::of<Real>(a.{0}_row);\n", name_);
  if (side_.layout == KernelLayout::strided || side_.layout == KernelLayout::tile)
    text += weft::format("  const Stride {0}_lane = Stride::of<Real>(a.{0}_lane);\n", name_);
  return text;
}

/// Line kernels whose registers hold two lines.
bool MemorySide::has_two_lines() const {
  return side_.layout == KernelLayout::line && line_shape(key_).lines == 2;
}

std::string MemorySide::bases() const {
  std::string text;
  if (has_two_lines())
    text += weft::format("    {0} const {1}_other = {1} + a.{1}_lane;\n", type(), name_);
  if (!has_runtime_rows()) return text;
  for (const char* half : {"", "_high"}) {
    const bool is_high = *half != 0;
    if (is_high && !has_two_halves()) continue;
    const char* offset = is_high ? " + S::lanes" : "";
    if (is_output())
      text += weft::format(
          "    [[maybe_unused]] Real* const out{}_zero = opaque(out + a.out_first{});\n", half,
          offset);
    text += weft::format("    [[maybe_unused]] {} const {}{}0 = opaque({}{});\n", type(), name_,
                         half, name_, offset);
    for (int base = 8; base < side_.rows; base += 8)
      text += weft::format(
          "    [[maybe_unused]] {0} const {1}{2}{3} = next_base({1}{2}{4}, {1}_row);\n", type(),
          name_, half, base, base - 8);
  }
  return text;
}

/// Where a row starts; `half` is "" or "_high".
std::string MemorySide::address(int row, const char* half) const {
  if (side_.layout == KernelLayout::line) {
    const int point = is_output() ? output_point(key_, row) : input_point(key_, row);
    return weft::format("{}{} + {}", name_, half, 2 * point);
  }
  if (row == 0 && is_output()) return weft::format("out{}_zero", half);
  return weft::format("neighbour({0}{3}{1}, {0}_row, {2})", name_, row / 8 * 8, row % 8, half);
}

std::string MemorySide::operands(const Group& group) const {
  const int row = group.first_row;
  if (has_two_lines()) return address(row) + ", " + address(row, "_other");
  if (group.move == Move::part)
    return address(row, group.members.front().part == Part::im ? "_high" : "");
  if (group.move == Move::unit) return address(row) + ", " + address(row, "_high");
  if (!uses_lane_stride(group.move)) return address(row);
  if (side_.layout == KernelLayout::tile)  // the rows of a lane are adjacent
    return weft::format("lanes_at({0}, {0}_lane, {1})", name_, side_.is_real ? row : 2 * row);
  return weft::format("lanes_at({}, {}_lane)", address(row), name_);
}

const char* MemorySide::function(const Group& group) const {
  if (has_two_lines()) return "_lines";
  if (side_.layout == KernelLayout::line && is_one_number(key_, group.first_row, is_output()))
    return "_one";
  return function_of(group.move);
}

std::string MemorySide::load(const Group& group) const {
  return weft::format("    const {} {} = S::load{}({});\n", type_of(group), variable(group),
                      function(group), operands(group));
}

std::string MemorySide::store(const Group& group, std::span<const std::string> values) const {
  std::string list;
  if (group.members.size() == 1) list = values[0];
  if (group.members.size() == 2) list = weft::format("{{{}, {}}}", values[0], values[1]);
  if (group.members.size() == 4)
    list =
        weft::format("{{{{{{{}, {}}}, {{{}, {}}}}}}}", values[0], values[1], values[2], values[3]);
  return weft::format("    S::store{}({}, {});\n", function(group), operands(group), list);
}

std::string MemorySide::member_name(const Group& group, int index) {
  const char* part = index % 2 == 0 ? "re" : "im";
  switch (group.members.size()) {
    case 1: return variable(group);
    case 2: return weft::format("{}.{}", variable(group), part);
    default: return weft::format("{}.row[{}].{}", variable(group), index / 2, part);
  }
}

}  // namespace weft::codelet::ir
