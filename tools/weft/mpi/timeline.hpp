// SPDX-License-Identifier: BSD-3-Clause
// What ranks did when: as a file for chrome://tracing and Perfetto, and as a picture.
#pragma once

#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

/// Events of one rank after another.
using Timeline = std::vector<std::vector<TraceEvent>>;

/// Collective: every rank's events on every rank.
Timeline gather_timeline(const Comm& comm, const std::vector<TraceEvent>& mine);

std::string chrome_trace(const Timeline& timeline);
/// One bar per rank, a color per kind of work, time to the right.
std::string timeline_svg(const Timeline& timeline, const std::string& title);

}  // namespace weft::tool
