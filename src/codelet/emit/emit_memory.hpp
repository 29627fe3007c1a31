// SPDX-License-Identifier: BSD-3-Clause
// Emits all memory accesses of a kernel: strides, base pointers, loads and stores of groups.
// emit_cpp.cpp emits the arithmetic between them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codelet/ir/groups.hpp"

namespace weft::codelet::ir {

class MemorySide {
 public:
  /// `name` is "in" or "out"; the variables of the emitted text begin with it.
  MemorySide(const KernelKey& key, const Side& side, std::string name);

  /// Strides, before the loop over repetitions.
  std::string strides() const;
  /// Base pointers, at the start of a repetition.
  std::string bases() const;
  std::string load(const Group& group) const;
  std::string store(const Group& group, std::span<const std::string> values) const;

  /// The name of member `index` of a loaded group in the emitted text.
  static std::string member_name(const Group& group, int index);

 private:
  bool has_runtime_rows() const {
    return side_.layout != KernelLayout::tile && side_.layout != KernelLayout::line;
  }
  bool has_two_halves() const;
  bool has_two_lines() const;
  const char* function(const Group& group) const;
  bool is_output() const { return name_ == "out"; }
  const char* type() const { return is_output() ? "Real*" : "const Real*"; }
  std::string address(int row, const char* half = "") const;
  std::string operands(const Group& group) const;

  KernelKey key_;
  Side side_;
  std::string name_;
};

}  // namespace weft::codelet::ir
