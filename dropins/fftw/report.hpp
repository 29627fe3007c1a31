// SPDX-License-Identifier: BSD-3-Clause
// Counts what `weft run-with` prints (dropins/report_lines.hpp). Where it is not wanted, plans are
// as fast as ever.
#pragma once

#include "dropins/fftw/plan.hpp"

namespace weft::fftw::report {

bool is_wanted() noexcept;
/// The same plan, counted and timed at every execution.
PlanHandle counted(PlanHandle plan, const std::string& problem, const std::string& recipe);
/// A plan that could not be made.
void refused(const std::string& problem) noexcept;

}  // namespace weft::fftw::report
