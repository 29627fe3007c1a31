// SPDX-License-Identifier: BSD-3-Clause
// The distributed arrays that a plan was given, and the parts of them that a rank can reach.
#pragma once

#include "global/recipe/placement.hpp"
#include "global/run/window.hpp"
#include "weft/distributed.hpp"

namespace weft::api {

/// Null if the caller passes ordinary memory.
struct PlanArrays {
  std::shared_ptr<const global::Window> input, output;
  global::ReachedArrays reached;
};

/// Collective; throws on all ranks or on none. `input` and `output` are this rank's pieces. Sets
/// problem.reach.
PlanArrays arrays_of(const Comm& comm, const DistributedOptions& options,
                     const std::vector<reshape::Piece>& input,
                     const std::vector<reshape::Piece>& output, global::GlobalProblem& problem);

/// The pointer to work with. Throws weft::Error if another one than the array's was passed; a rank
/// that holds nothing may pass null.
void* checked_pointer(const global::Window* window, void* passed, Index count, const char* side);

}  // namespace weft::api
