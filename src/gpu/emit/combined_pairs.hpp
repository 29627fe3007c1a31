// SPDX-License-Identifier: BSD-3-Clause
// The text of the combining stage of halved lines (see TileAxis), but for its butterflies. A thread
// has the outputs (c2r: the inputs) k = i + M j of a stage of radix r = h / M in x[j] and those of
// i' = // M - i in y[j]: x[j] and y[r - 1 - j] belong together. Pair 0 has i = 0 in x and, where M
// is even, i' = M / 2 in y, which are partners of themselves. Of twin rows x is of the row and y of
// its twin, with i' = M - 1 - i; of row 0, its own twin, M - i.
#pragma once

#include <string>

#include "gpu/emit/stage_memory.hpp"

namespace weft::gpu {

class CombinedPairs : protected StageMemory {
 protected:
  using StageMemory::StageMemory;

  /// Whether a thread has y; a line of one stage is in x.
  bool has_partners() const { return geometry_.rests() > 1 || has_twins(); }
  /// Whether y of pair 0 is x once more.
  bool has_lone_pair() const {
    return !has_twins() && has_partners() && geometry_.rests() % 2 != 0;
  }
  void emit_partner();
  /// r2c: the spectrum of the points in registers, in memory.
  void emit_spectrum_store();
  /// c2r: points of the complex line from the spectrum in memory.
  void emit_spectrum_load();

 private:
  bool is_input() const { return pass_.tile_axes[0].makes_spectrum(); }
  bool has_twins() const { return row_loop() >= 0; }
  Index end() const;
  Index distance() const;
  void emit_pointers(const char* type, const char* array, const char* rows_left_out);
  /// All but points 0 and n / 2 of pair 0, which emit_ends is to write.
  template <class EmitEnds>
  void emit_combination(const EmitEnds& emit_ends);
  void emit_own_partners();
  void emit_own_pair(const std::string& u, const std::string& v, Index quarters);
  std::string factor(Index eighths, Index of) const;
};

}  // namespace weft::gpu
