// SPDX-License-Identifier: BSD-3-Clause
// Plans of libfftw3_mpi. They derive from libfftw3's, whose fftw_execute runs them too.
#pragma once

#include <mpi.h>

#include "dropins/fftw/mpi/slab.hpp"
#include "dropins/fftw/plan.hpp"
#include "weft/distributed.hpp"

namespace weft::fftw {

/// What a call of the planner asks for; equal on all ranks but for the pointers.
struct MpiProblem {
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward;
  std::vector<R2r> r2r = {};
  std::vector<Index> shape = {};  ///< r2c and c2r: of the reals
  bool transforms = true;         ///< false: only the distribution changes
  SlabSide input = {}, output = {};
  Index howmany = 1;
  void *in = nullptr, *out = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;
};

/// Collective. Null on all ranks if there is no such plan.
PlanHandle make_mpi_plan(const MpiProblem& problem, unsigned flags) noexcept;

}  // namespace weft::fftw
