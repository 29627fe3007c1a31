// SPDX-License-Identifier: BSD-3-Clause
// Rows of `weft bench mpi` and `weft bench global1d`: weft and FFTW-MPI on the same distribution of
// the same array, checked, then timed in turns; also heFFTe and mpi4py-fft if requested, and weft's
// plans of several efforts and for both kinds of arrays.
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
  LocalBoxes input;  ///< this rank's
  std::optional<LocalBoxes>
      output;  ///< nullopt: any order, so it cannot be compared with FFTW's output
  std::optional<FftwMpiProblem> peer = {};   ///< nullopt: FFTW-MPI has no such boxes
  std::optional<HeffteProblem> heffte = {};  ///< nullopt: heFFTe has no such transform
};

struct RankBenchOptions {
  PlanChoice plan;
  std::string fftw_effort = "measure";
  double fftw_time_limit_s = 60;
  int rounds = 7;
  bool no_fftw = false;
  std::string heffte_folder = {};             ///< empty: do not time it
  std::vector<std::string> arrays = {"own"};  ///< own, distributed: DistributedArray
  std::vector<std::string> efforts = {};      ///< of weft's plans; empty: that of `plan`
  std::string mpi4py_python = {};  ///< the Python that has mpi4py-fft; empty: do not time it
  JsonTarget json;
};
void add_rank_bench_options(CLI::App& command, RankBenchOptions& options);

/// Collective. Runs the rows and prints each when it is done, then the geometric mean of their
/// ratios; or JSON. Only rank 0 prints. The error of a row is weft's difference from FFTW's result;
/// without such a result it is order_free_error() for one complex transform, else
/// separable_error(). Throws Failed on all ranks if the error is larger than rounding.
void run_rank_rows(const std::vector<RankRow>& rows, const Comm& comm,
                   const RankBenchOptions& options);

/// Collective. The sum of two relative errors that do not depend on the order of the output: the
/// error of the round trip (the inverse plan is made from plan.output_boxes() and plan.split()),
/// and the error of the transform of a pure tone, which must be one nonzero number and zeros. If
/// the order is known (`natural`), that number must also be in the right place. `in` holds the
/// plan's input; `out` is overwritten.
double order_free_error(DistributedPlan& plan, const Transform& transform, bool natural,
                        const Comm& comm, const std::byte* in, std::byte* out);

/// Collective. The relative error of `run`, which transforms `in` to `out` as the row says, for an
/// input whose transform is known: a product of lines. Overwrites `in`, which holds the row's
/// input.
double separable_error(const RankRow& row, const Comm& comm, const std::function<void()>& run,
                       std::byte* in, const std::byte* out);

}  // namespace weft::tool
