// SPDX-License-Identifier: BSD-3-Clause
// What `weft run-with` prints: with the environment variable WEFT_DROPIN_REPORT, the name of a
// file, every library of this drop-in appends a line per problem to that file when the program
// ends. Without it plans are as fast as ever.
#pragma once

#include "dropins/fftw/plan.hpp"

namespace weft::fftw::report {

bool is_wanted() noexcept;
/// The same plan, counted and timed at every execution.
PlanHandle counted(PlanHandle plan, const std::string& problem, const std::string& recipe);
/// A plan that could not be made.
void refused(const std::string& problem) noexcept;

}  // namespace weft::fftw::report
