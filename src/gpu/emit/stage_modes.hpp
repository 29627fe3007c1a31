// SPDX-License-Identifier: BSD-3-Clause
// The text of a function of the modes at the points that a thread has in registers when their
// forward transform is done: which modes they are follows from where they would be written.
#pragma once

#include <string>
#include <vector>

#include "gpu/emit/combined_pairs.hpp"
#include "gpu/emit/mode_text.hpp"

namespace weft::gpu {

class StageModes : protected CombinedPairs {
 protected:
  using CombinedPairs::CombinedPairs;

  /// The function at the mode of every register of all fields (field 1 is in x1), and real and
  /// imaginary parts exchanged: a backward
  /// transform begins. The pass writes a contiguous spectrum. Where planes are paired, modes in
  /// columns that are their own mirror get the mean of what the function makes of them and of their
  /// mirror's conjugate: that is what a real result has of them.
  void emit_modes(const ModeGrid& grid, const ModeFunctionText& function);

 private:
  /// The index of a dimension: of a register it is the base, the same for all of them, and a
  /// number. The base is at most `span`.
  struct ModeIndexText {
    std::string base;
    Index span = 0;
    std::vector<Index> of_register;

    bool is_uniform() const;
  };
  ModeIndexText mode_index(const ModeGrid& grid, int dimension) const;
  void add_loop(ModeIndexText& text, int loop, const ModeGrid& grid, int dimension) const;
  void emit_mode(const ModeGrid& grid, const ModeFunctionText& function,
                 const std::vector<ModeIndexText>& index, Index j, Index offset);
  /// Makes `mode` that of the mirror.
  void emit_mirror(const ModeGrid& grid, const ModeFunctionText& function,
                   const std::vector<ModeIndexText>& index, Index j);
  void emit_wave(const ModeGrid& grid, std::size_t axis, const ModeIndexText& index, Index j);
};

}  // namespace weft::gpu
