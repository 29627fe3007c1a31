// SPDX-License-Identifier: BSD-3-Clause
// How lanes beyond the caches are best read and stored, which differs between the makers of CPUs.
#pragma once

#include "base/machine.hpp"

namespace weft::local {

struct MemoryHabits {
  int rows_ahead;         ///< rows of the next block that are asked for before they are needed
  bool streams_in_place;  ///< what was just read is stored past the caches too
};

/// From columns of 512 points in f64 at strides of 8 KiB to 2 MiB. On a Xeon, 16 threads, 1 GiB:
/// in place 32 and 34 ms past the caches, 38 and 47 as usual; 4 rows ahead are 3 to 7 % faster than
/// 16. On a Zen 5 it is the other way round: 33 and 49 past the caches, 26 and 31 as usual; 4 rows
/// ahead take a tenth longer than 16.
inline const MemoryHabits& memory_habits() {
  static const MemoryHabits habits =
      this_machine().vendor == "GenuineIntel" ? MemoryHabits{4, true} : MemoryHabits{16, false};
  return habits;
}

}  // namespace weft::local
