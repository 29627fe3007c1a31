// SPDX-License-Identifier: BSD-3-Clause
// Three-dimensional transforms that one wafer does not hold. The array is taken apart into planes
// of constant z, two-dimensional transforms on a part of the wafer, and lines along z, one per
// element:
// - streamed: planes come from the host and go back, then lines do. Everything passes the host's
//   link four times.
// - on several wafers: each holds a share of the planes; between planes and lines every wafer sends
//   to every other what it needs, over its own link.
// On actual data, and timed: computing and the link work at the same time, so the slower of the two
// decides, and the first and the last batch are alone.
#pragma once

#include "fabric/wafer/run.hpp"

namespace weft::fabric {

struct StreamPlan {
  WaferPlan plane;  ///< two dimensions: x, y and the mesh of one plane
  std::int64_t nz = 0;
  int wafers = 1;              ///< 1: streamed through the host's link
  double link_bits_per_s = 0;  ///< of each wafer; 0: the machine's link to its host
};

struct StreamTiming {
  std::int64_t planes_at_once = 0, lines_at_once = 0;  ///< on one wafer
  WaferTiming plane;                                   ///< of one
  Cycle line_cycles = 0;
  double planes_s = 0, lines_s = 0;  ///< computing alone, on every wafer
  double link_s = 0;                 ///< the busiest link alone
  double seconds = 0;
  double bound_s = 0;  ///< no schedule of these steps is faster: the larger of computing and link
  std::string limit;   ///< what decides
};

/// Throws weft::Error where a plane or a line does not fit, or the wafers cannot hold the array.
StreamTiming time_of_stream(const StreamPlan& stream, const WaferMachine& machine,
                            const RunOptions& options = {});

/// Transforms `data`, [z][x][y], in place; the result is [kz][kx][ky].
StreamTiming run_stream(const StreamPlan& stream, const WaferMachine& machine,
                        std::span<std::complex<float>> data, const RunOptions& options = {});

}  // namespace weft::fabric
