// SPDX-License-Identifier: BSD-3-Clause
// The few numbers of a machine that the cost model uses. Caches are read from the system. Speeds
// are measured once, by the first plan that times recipes, and kept with wisdom; until then they
// are assumed.
#pragma once

#include <string>

#include "codelet/runtime/registry.hpp"

namespace weft::local {

/// One cache as the model sees it.
struct CacheModel {
  double bytes = 0;
  int ways = 8;
  int sharers = 1;  ///< cores
  friend bool operator==(const CacheModel&, const CacheModel&) = default;
};

/// Speeds of one core, and of all cores on the memory that they share. The defaults are those of a
/// Zen 4.
struct MachineSpeeds {
  double gigahertz = 3.0;
  double l3_line = 2.5;             ///< cycles for a cache line of L3, one of many in a row
  double memory_bytes_per_ns = 16;  ///< one core alone
  double memory_cores = 6;          ///< cores needed to reach the bandwidth of the memory
  friend bool operator==(const MachineSpeeds&, const MachineSpeeds&) = default;
};
/// "gigahertz 3 l3_line 2.5 ...", the way wisdom keeps them.
std::string to_text(const MachineSpeeds& speeds);
/// Throws weft::Error (wisdom) if the text is not what to_text() writes.
MachineSpeeds parse_speeds(const std::string& text);

struct MachineModel {
  CacheModel l1{32 * 1024, 8, 1};
  CacheModel l2{1024 * 1024, 8, 1};
  CacheModel l3{32.0 * 1024 * 1024, 16, 2};
  double vector_pipes = 3;          ///< vector operations that a core can start per cycle
  double vector_pipes_bytes = 128;  ///< bytes of registers that these can work on together
  /// What each doubling of the registers side by side adds to the price of lanes from the third
  /// cache. 0: it adds nothing, and short pieces of memory cost more than long ones. On a Xeon the
  /// hardware reads on where a piece ends, so that the shortest pieces are the cheapest: from 150
  /// timings of columns of 512 and 1024 points in arrays of 2 to 16 MiB.
  double wide_lanes_in_l3 = 0;
  /// Cycles to move a complex point between memory and its lane of a register, alone. On a Zen 5
  /// from 412 timings of rows of 4 to 65536 points.
  double point = 2.3;
  MachineSpeeds speeds = {};

  /// Cycles per vector operation, in units of half a cycle: 1 where two start per cycle.
  double vector_cycles(codelet::Isa isa) const;
  /// Bytes of L3 that each of `threads` threads may count on; at least the bytes of its L2.
  double l3_share_bytes(int threads) const;
  /// The same for data that are to stay while others pass by: half of it, with all cores busy.
  double l3_lasting_bytes() const;
  friend bool operator==(const MachineModel&, const MachineModel&) = default;
};

/// The machine weft runs on, with the speeds that were measured or found in wisdom. Takes less than
/// a microsecond.
MachineModel machine_model();

/// Where the speeds of machine_model() come from.
enum class SpeedSource { assumed, wisdom, measured };
SpeedSource speed_source();

/// As long as one exists, machine_model() has the assumed speeds on this thread, so that the cost
/// model's choice does not depend on measurements.
class AssumedSpeeds {
 public:
  AssumedSpeeds();
  ~AssumedSpeeds();
  AssumedSpeeds(const AssumedSpeeds&) = delete;
  AssumedSpeeds& operator=(const AssumedSpeeds&) = delete;
};

/// Measures the speeds, in about a quarter of a second, and keeps them for this process; with
/// `keep`, in wisdom too. Does nothing if they are known.
void learn_speeds(bool keep);

}  // namespace weft::local
