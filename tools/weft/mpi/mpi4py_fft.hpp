// SPDX-License-Identifier: BSD-3-Clause
// mpi4py-fft, a peer of `weft bench mpi`. Its Python runs inside the ranks: libpython is loaded at
// run time, mpi4py finds MPI initialised, and both libraries take turns in the same processes.
#pragma once

#include <memory>
#include <string>

#include "mpi/runtime.hpp"

namespace weft::tool {

/// One transform by mpi4py-fft on slabs, in arrays of its own. Its output stays cut along the
/// second axis: one exchange, as FFTW-MPI's transposed rows, but in the axes' natural order.
class Mpi4pyPlan {
 public:
  virtual ~Mpi4pyPlan() = default;
  /// Collective.
  virtual void execute() = 0;
  /// Collective. The sum of the squares of the output, over all ranks.
  virtual double energy() = 0;
};

class Mpi4pyFft {
 public:
  virtual ~Mpi4pyFft() = default;
  virtual std::string version() const = 0;  ///< "mpi4py-fft 2.0.6"
  /// Collective. `input` is this rank's slab of the array, rows `row_stride` elements apart; where
  /// mpi4py-fft cuts otherwise, because ranks do not divide the first axis, it transforms noise.
  /// Throws weft::Error on all ranks together.
  virtual std::unique_ptr<Mpi4pyPlan> plan(const FftwMpiProblem& problem, const std::byte* input,
                                           Index row_stride) = 0;
};

/// Collective. Through the interpreter `python`, which must have mpi4py-fft and an mpi4py for the
/// MPI of these ranks; else null, and `why_not` says on all ranks what is missing. May be called
/// once in a process: Python cannot be started anew.
std::unique_ptr<Mpi4pyFft> open_mpi4py_fft(const std::string& python, const Comm& comm,
                                           std::string& why_not);

}  // namespace weft::tool
