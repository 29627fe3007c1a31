// SPDX-License-Identifier: BSD-3-Clause
// What memory costs in the cost model: cycles per cache line, by the level that the line comes from
// and the order of access. Only cost_model.cpp and lane_cost.cpp include it; the constants of
// all three were fitted together.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "codelet/runtime/registry.hpp"
#include "local/choose/cost_model.hpp"

namespace weft::local {

// A line of cache into L1: of L2 as one of many in a row that the hardware fetches ahead, or alone;
// what a line of L3 costs more if it comes alone, and by how much more one of memory does.
inline constexpr double l2_in_row = 0.7, l2_alone = 3.7, l3_alone = 4.5, memory_alone = 1.8;
inline constexpr double ahead_bytes = 150;  // of a piece, before the hardware knows its direction
// How many rows the hardware reads ahead at the same time. Their lines then cost only this part of
// what lone lines cost more. From 40 problems of odd real lines in 8 and 64 MB on a Zen 5.
inline constexpr double streams_ahead = 32, of_streams = 0.25;
inline constexpr double lasting = 0.89;     // the part of a cache that data may count on
inline constexpr double lasting_l3 = 0.49;  // of the third one, which others use too
inline constexpr double line_bytes = 64;    // of a cache, on every machine weft runs on

inline double real_bytes_of(Precision precision) { return precision == Precision::f64 ? 8 : 4; }

/// Cycles to bring a line from a level into the first cache, by how it is asked for: lines in a
/// row, which the hardware fetches ahead, or lines here and there.
struct FillCycles {
  double in_row, scattered;
};
enum class Level { l1, l2, l3, memory };

inline FillCycles fill_cycles(Level level, const Setting& setting, const MachineModel& m) {
  switch (level) {
    case Level::l1: return {0, 0};
    case Level::l2: return {l2_in_row, l2_alone};
    case Level::l3: return {m.speeds.l3_line, m.speeds.l3_line + l3_alone};
    case Level::memory: break;
  }
  // One core is limited by the lines it may wait for, many by what they share.
  const double crowd = std::max(1.0, setting.threads / m.speeds.memory_cores);
  const double line = line_bytes / m.speeds.memory_bytes_per_ns * m.speeds.gigahertz * crowd;
  return {line, memory_alone * line};
}

inline Level level_of(double bytes, const Setting& setting, const MachineModel& m) {
  if (bytes <= lasting * m.l1.bytes) return Level::l1;
  if (bytes <= lasting * m.l2.bytes) return Level::l2;
  return bytes <= lasting_l3 * m.l3_share_bytes(setting.threads) ? Level::l3 : Level::memory;
}

/// Cycles to read and write `bytes` of scratch once, by the cache they fit in.
inline double sweep_cycles(double bytes, const Setting& setting, const MachineModel& m) {
  return bytes / line_bytes * fill_cycles(level_of(bytes, setting, m), setting, m).in_row;
}

/// Extra cycles of a sweep over scratch that fits the second cache, but not together with the data
/// that pass through it at the same time: what these displace comes back from the third cache.
inline double crowded_out_cycles(double scratch, double all, const MachineModel& m) {
  const Level level = level_of(scratch, {}, m);
  if (level != Level::l2) return 0;
  const double missing = std::max(0.0, 1 - lasting * m.l2.bytes / all);
  return scratch / line_bytes * missing * (m.speeds.l3_line - l2_in_row);
}

inline double scratch_bytes(Index n, codelet::Isa isa, Precision precision) {
  return static_cast<double>(n) * 2 * codelet::lanes(isa, precision) * real_bytes_of(precision);
}

/// Data that pass through the second cache while a group of lanes is computed, in units of its
/// scratch. Lanes that are neighbours run ahead: the next block is read into scratch of its own
/// while this one is computed. The input and the output have the size of the scratch.
enum class Passing { counted_elsewhere = 1, in_turn = 3, ahead = 4, columns_of_large = 5 };

/// A sweep over one side of a problem. Each step touches rows x lanes points; the step after it
/// touches the points `next_bytes` further on.
struct Walk {
  double points = 0;  ///< of the whole sweep
  double point_bytes = 0;
  double rows = 1, row_bytes = 0;
  double lanes = 1, lane_bytes = 0;
  double next_bytes = 0;

  /// Adjacent bytes that a step touches at one place.
  double piece_bytes() const {
    if (lane_bytes == point_bytes) return lanes * point_bytes;
    return row_bytes == point_bytes ? rows * point_bytes : point_bytes;
  }
  /// How many places a step reads at; places in one cache line count once.
  double streams() const {
    return (row_bytes < line_bytes ? 1 : rows) * (lane_bytes < line_bytes ? 1 : lanes);
  }
};

/// Does a cache keep all lines of a step until the next one? Lines a power of two apart share a few
/// sets.
inline bool keeps(const CacheModel& cache, const Walk& walk) {
  const double lines = walk.rows * walk.lanes;
  const auto way = static_cast<Index>(cache.bytes / cache.ways);
  Index apart = way;
  if (walk.rows > 1) apart = std::gcd(apart, static_cast<Index>(walk.row_bytes));
  if (walk.lanes > 1) apart = std::gcd(apart, static_cast<Index>(walk.lane_bytes));
  const auto positions = [&](double count, double bytes) {
    const Index stride = std::max<Index>(1, std::gcd(way, static_cast<Index>(bytes)));
    return std::min(count, static_cast<double>(way / stride));
  };
  const double sets =
      std::min(static_cast<double>(way) / std::max<double>(line_bytes, static_cast<double>(apart)),
               positions(walk.rows, walk.row_bytes) * positions(walk.lanes, walk.lane_bytes));
  return lines <= sets * cache.ways;
}

/// Cycles that a sweep over data of the given level waits for lines.
inline double walk_cycles(const Walk& walk, Level home, const Setting& setting,
                          const MachineModel& m) {
  const double piece = walk.piece_bytes();
  const double pieces = walk.points * walk.point_bytes / piece;
  const FillCycles from_home = fill_cycles(home, setting, m);
  const double lines = walk.points * walk.point_bytes / line_bytes;
  if (piece >= line_bytes) {
    // The hardware finds the next lines of a long piece, if the lines of the other rows leave room
    // for them.
    const Walk rows{.rows = walk.rows, .row_bytes = walk.row_bytes};
    const bool is_foreseen = walk.row_bytes == walk.point_bytes || keeps(m.l1, rows);
    const double scattered = is_foreseen ? std::min(1.0, ahead_bytes / piece) : 1;
    return lines * (from_home.in_row + scattered * (from_home.scattered - from_home.in_row));
  }
  // Points apart within lines, one after another.
  if (walk.rows > 1 && walk.lanes <= 1 && walk.row_bytes < line_bytes)
    return walk.points * walk.row_bytes / line_bytes * from_home.in_row;
  const bool is_continued = walk.next_bytes < line_bytes;
  if (is_continued && home >= Level::l3 && walk.next_bytes == walk.point_bytes &&
      walk.streams() <= streams_ahead && keeps(m.l1, walk))
    return lines * (from_home.in_row + of_streams * (from_home.scattered - from_home.in_row));
  if (is_continued && keeps(m.l1, walk)) return lines * from_home.scattered;
  if (is_continued && keeps(m.l2, walk) && home > Level::l2)
    return lines * from_home.scattered +
           (pieces - lines) * fill_cycles(Level::l2, setting, m).scattered;
  const double again = fill_cycles(std::max(home, Level::l2), setting, m).scattered;
  return pieces * again;
}

}  // namespace weft::local
