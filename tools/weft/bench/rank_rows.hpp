// SPDX-License-Identifier: BSD-3-Clause
// Rows of `weft bench mpi` and `weft bench global1d`: weft and FFTW-MPI on the same distribution of
// the same array, checked, then timed in turns; mpi4py-fft as well where it is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/ranks.hpp"
#include "commands.hpp"
#include "mpi/runtime.hpp"

namespace weft::tool {

struct RankRow {
  std::string label;
  Transform transform;
  LocalBoxes input;                  ///< this rank's
  std::optional<LocalBoxes> output;  ///< nothing: in any order, and so not FFTW's
  FftwMpiProblem peer;
};

struct RankBenchOptions {
  PlanChoice plan;
  std::string fftw_effort = "measure";
  double fftw_time_limit_s = 60;
  int rounds = 7;
  bool no_fftw = false;
  std::string mpi4py_python = {};  ///< the interpreter that has mpi4py-fft; empty: without it
  JsonTarget json;
};
void add_rank_bench_options(CLI::App& command, RankBenchOptions& options);

/// Collective. Runs the rows and prints them as they come, the geometric mean of their ratios at
/// the end; or JSON. Rank 0 speaks. The error of a row is weft's difference from FFTW's result;
/// where there is none to compare with, and the transform is complex, what order_free_error() says.
/// Throws Failed on all ranks when it is beyond rounding.
void run_rank_rows(const std::vector<RankRow>& rows, const Comm& comm,
                   const RankBenchOptions& options);

/// Collective. The sum of two relative errors that can be had without knowing the order of the
/// output: after the way back, which starts from plan.output_boxes() and plan.split(), and of a
/// pure tone, which has to come out as one number and zeros. Where the order is known (`natural`),
/// the number has to be in its place. `in` holds the plan's input, `out` is overwritten.
double order_free_error(DistributedPlan& plan, const Transform& transform, bool natural,
                        const Comm& comm, const std::byte* in, std::byte* out);

}  // namespace weft::tool
