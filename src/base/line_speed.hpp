// SPDX-License-Identifier: BSD-3-Clause
// How long one core takes to bring a cache line from a level of the memory into its first cache,
// and how fast its clock runs. Measured, because nothing reports it.
#pragma once

#include <cstddef>

namespace weft {

/// Nanoseconds per line of 64 bytes that is read.
struct LineTime {
  double in_row_ns = 0;     ///< lines in a row, which the hardware fetches ahead
  double scattered_ns = 0;  ///< lines here and there, many under way at the same time
};

/// Reads the lines of a working set of this size again and again, in either order; the best of
/// several repetitions within `seconds`. Throws weft::Error if the memory cannot be allocated.
LineTime line_time(std::size_t working_set_bytes, double seconds = 0.005);

/// Cycles per nanosecond, by a chain of additions that depend on each other, at the clock that this
/// core runs at now. Takes less than a millisecond.
double clock_gigahertz();

}  // namespace weft
