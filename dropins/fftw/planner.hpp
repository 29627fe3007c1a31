// SPDX-License-Identifier: BSD-3-Clause
// From a problem to a plan, with the state that FFTW's interface keeps between calls: threads, time
// limit, wisdom. Any thread may plan at any time.
#pragma once

#include <functional>
#include <memory>

#include "dropins/fftw/plan.hpp"
#include "weft/executor.hpp"

namespace weft::fftw {

/// Null if there is no such plan: lengths or strides that make no sense, no memory, or no wisdom
/// where only wisdom is to be used.
PlanHandle make_plan(const Problem& problem, unsigned flags) noexcept;

/// Runs the loops of plans in place of threads of weft's own, as threads_set_callback asks.
using ParallelLoop = void (*)(void* (*work)(char*), char* jobs, std::size_t job_bytes,
                              int job_count, void* data);

void set_threads(int threads) noexcept;
int threads() noexcept;
void set_parallel_loop(ParallelLoop loop, void* data) noexcept;
/// Negative: none.
void set_time_limit(double seconds) noexcept;
/// Back to how a program starts, wisdom included.
void forget_everything() noexcept;

/// How long planning may take and what wisdom of it is worth, in rising order.
enum class Rigor { estimate, measure, patient, exhaustive };
Rigor rigor_of(unsigned flags);

}  // namespace weft::fftw
