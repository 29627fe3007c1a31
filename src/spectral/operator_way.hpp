// SPDX-License-Identifier: BSD-3-Clause
// The ways to do an operator on a CPU. Which is the fastest depends on the caches: of what follows
// each other in a cache a fused way reads and writes memory once, but tiles and planes that are too
// large for it, or too few for all threads, can cost more than that saves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "local/choose/machine_model.hpp"
#include "spectral/operator_problem.hpp"

namespace weft::spectral {

struct OperatorWay {
  enum class Middle {
    whole,    ///< one sweep: transforms, function and transforms backward in tiles
    columns,  ///< planes; columns of the slowest axis with the function; planes
    planes,   ///< columns of the slowest axis; planes with the function; columns
    steps,    ///< forward plan, a sweep for the function, backward plan
  };
  Middle middle = Middle::steps;
  /// The fields between the sweeps lie in arrays of their own, else in the outputs.
  bool apart = true;
  friend bool operator==(const OperatorWay&, const OperatorWay&) = default;
};

/// "whole", "columns", "columns apart", "planes", "steps", "steps apart".
std::string to_text(const OperatorWay& way);
/// Throws weft::Error (wisdom) for what is no way.
OperatorWay parse_operator_way(std::string_view text);

/// All that can do the problem, the fastest by the model first.
std::vector<OperatorWay> ways_of(const OperatorProblem& problem, int threads,
                                 const local::MachineModel& machine);

}  // namespace weft::spectral
