// SPDX-License-Identifier: BSD-3-Clause
// An Executor that hands its tasks to the program's own loop (fftw_threads_set_callback).
#pragma once

#include <memory>

#include "dropins/fftw/planner.hpp"

namespace weft::fftw {

std::shared_ptr<const Executor> call_executor(ParallelLoop loop, void* data, int threads);

}  // namespace weft::fftw
