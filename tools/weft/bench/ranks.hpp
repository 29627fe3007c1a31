// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks on many ranks have in common: reductions, times of the slowest rank, timing
// libraries in turns, memory, and the options of distributed plans.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reshape/piece.hpp"
#include "weft/distributed.hpp"

namespace CLI {
class App;
}

namespace weft::tool {

inline constexpr Index point_bytes =
    16;  ///< of a complex double, the element type of the benchmarks

/// Boxes with offsets in elements.
inline std::vector<reshape::Piece> pieces_in_elements(const LocalBoxes& boxes) {
  return reshape::pieces_of(boxes, reshape::Memory::input, 1);
}

/// Collective. Every rank's value, by rank.
template <class Value>
std::vector<Value> values_of_ranks(const Comm& comm, const Value& mine) {
  std::vector<Value> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(&mine, sizeof mine, all.data());
  return all;
}

/// Collective.
Index largest_of_ranks(const Comm& comm, Index mine);
double largest_of_ranks(const Comm& comm, double mine);
double sum_of_ranks(const Comm& comm, double mine);

/// Collective. All ranks start together; returns the seconds of the slowest one.
double seconds_of_slowest(const Comm& comm, const std::function<void()>& call);

/// Medians over the rounds.
struct PeerTime {
  double seconds = 0;
  double ratio = 0;  ///< the other library's time divided by weft's
};
struct Turns {
  double weft_s = 0;
  std::vector<PeerTime> peers;
};
/// Collective. Calls all libraries in turns, `rounds` times each.
Turns time_in_turns(const Comm& comm, int rounds, const std::function<void()>& weft,
                    const std::vector<std::function<void()>>& peers);

/// Collective. Relative L2 difference over all ranks; each holds `count` real numbers.
double relative_difference(const Comm& comm, Precision precision, const void* values,
                           const void* reference, Index count);

/// Free memory in bytes without swapping, as the operating system reports it; 0 if unknown.
Index available_memory_bytes();
/// Collective. Free memory of all nodes together.
Index available_memory_bytes(const Comm& comm);
/// Collective. Throws weft::Error on all ranks if the ranks of a node together need more memory
/// than the node has free. `what` and `advice` are for the message: what needs the memory, and what
/// to do.
void require_memory(const Comm& comm, Index bytes_of_this_rank, const std::string& what,
                    const std::string& advice);

/// The largest memory use of this process since it started, or since the last reset.
Index peak_memory_bytes();
void reset_peak_memory();

/// One length such as 2^24 or 10^7, with at least one point per rank. Throws weft::Error.
Index parse_length(const std::string& text, const Comm& comm);

/// How a distributed plan is chosen.
struct PlanChoice {
  std::string exchange = "automatic", effort = "estimate", recipe = {};
  int threads = 1;  ///< of each rank
};
void add_plan_choice(CLI::App& command, PlanChoice& choice);
DistributedOptions options_of(const PlanChoice& choice);

}  // namespace weft::tool
