// SPDX-License-Identifier: BSD-3-Clause
// From what the user asked to what the local stage does: every check of a request is here.
#pragma once

#include "local/array_problem.hpp"
#include "weft/plan.hpp"

namespace weft::api {

/// A request that passed all checks, with every default filled in.
struct CheckedRequest {
  Transform transform;                         ///< axes listed, non-negative
  std::vector<Index> in_strides, out_strides;  ///< in elements
  local::ArrayProblem problem;
};

/// Throws weft::Error (invalid_argument) that names what is wrong.
CheckedRequest check_request(const Transform& transform, const Layout& input, const Layout& output);

/// Throws weft::Error unless a view has the extents and strides that were planned; `side` ("input",
/// "output") heads the message.
void check_view(std::span<const Index> extents, std::span<const Index> strides,
                std::span<const Index> planned_extents, std::span<const Index> planned_strides,
                const char* side);

/// Whether an array element may be written while another of the two arrays' elements is still to be
/// read: true when the memory is shared in any way but being exactly the same array.
bool overlap_harmfully(const local::ArrayProblem& problem, const void* in, const void* out);

}  // namespace weft::api
