// SPDX-License-Identifier: BSD-3-Clause
// Turns the user's request into an ArrayProblem. All checks of a request are here.
#pragma once

#include "problem/array_problem.hpp"
#include "weft/plan.hpp"

namespace weft::problem {

/// A request that has passed all checks, with all defaults filled in.
struct CheckedRequest {
  Transform transform;                         ///< axes listed, non-negative
  std::vector<Index> in_strides, out_strides;  ///< in elements
  ArrayProblem problem;
};

/// Throws weft::Error unless the value is an enumerator, that is, from 0 to `last`.
template <class Enum>
void check_enumerator(Enum value, Enum last, const char* name) {
  const int number = static_cast<int>(value);
  if (number >= 0 && number <= static_cast<int>(last)) return;
  throw Error(ErrorCode::invalid_argument, "the value " + std::to_string(number) +
                                               " is not one of weft::" + name +
                                               "; use one of its enumerators");
}
inline void check_effort(Effort effort) { check_enumerator(effort, Effort::patient, "Effort"); }

/// Throws weft::Error (invalid_argument) if something is wrong; the message says what. `in_place`:
/// the arrays may be the same memory.
CheckedRequest check_request(const Transform& transform, const Layout& input, const Layout& output,
                             bool in_place = false);

/// These throw weft::Error (unsupported); `plan` is the name of the plan that was asked, for the
/// message. The first does so for arrays without elements or dimensions, the second also for all
/// else that plans on GPUs do not do.
void require_elements(const ArrayProblem& problem, const char* plan);
void require_common(const ArrayProblem& problem, const char* plan);

/// Throws weft::Error unless a view has the extents and strides of the plan; `side` ("input" or
/// "output") is for the message.
void check_view(std::span<const Index> extents, std::span<const Index> strides,
                std::span<const Index> planned_extents, std::span<const Index> planned_strides,
                const char* side);

}  // namespace weft::problem
