// SPDX-License-Identifier: BSD-3-Clause
// Runs a Plan on a Field through real, strided, guarded memory, and reads the result back.
#pragma once

#include "support/oracle.hpp"

namespace weft::test {

struct RunOptions {
  Layout input = {}, output = {};  ///< in place: `input` only
  bool in_place = false;
  PlanOptions plan = {};
};

struct RunResult {
  Field output;
  bool input_kept = true;     ///< out of place: the input is as it was
  bool guards_intact = true;  ///< nothing outside the output's elements was written
  std::string recipe;
};

/// Stores `input` in the transform's element type, plans, executes, reads the output.
RunResult run_plan(const Transform& transform, const Field& input, const RunOptions& options = {});

/// Rounds a field to what the precision can hold, so that oracle and plan see the same numbers.
Field rounded(const Field& field, Precision precision);

}  // namespace weft::test
