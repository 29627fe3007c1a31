// SPDX-License-Identifier: BSD-3-Clause
// A timeline of all ranks, as a file for chrome://tracing and Perfetto, and as an SVG picture.
#pragma once

#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::tool {

/// One list of events per rank.
using Timeline = std::vector<std::vector<TraceEvent>>;

/// Collective: returns the events of all ranks on every rank.
Timeline gather_timeline(const Comm& comm, const std::vector<TraceEvent>& mine);

std::string chrome_trace(const Timeline& timeline);
/// One bar per rank, one color per kind of work, with time on the horizontal axis.
std::string timeline_svg(const Timeline& timeline, const std::string& title);

}  // namespace weft::tool
