// SPDX-License-Identifier: BSD-3-Clause
// Runs a Plan on a Field in strided memory with guards around it, and reads the result back.
#pragma once

#include "support/oracle.hpp"

namespace weft::test {

struct RunOptions {
  Layout input = {}, output = {};  ///< in place: `input` only
  bool in_place = false;           ///< one block of memory, both arrays begin at its first element
  PlanOptions plan = {};
};

struct RunResult {
  Field output;
  bool input_kept = true;     ///< out of place: the input is unchanged
  bool guards_intact = true;  ///< nothing outside the output's elements was written
  std::string recipe;
};

/// Stores `input` in the transform's element type, plans, executes, reads the output.
RunResult run_plan(const Transform& transform, const Field& input, const RunOptions& options = {});

/// Rounds a field to the precision, so that reference and plan get the same numbers.
Field rounded(const Field& field, Precision precision);

}  // namespace weft::test
