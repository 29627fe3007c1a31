// SPDX-License-Identifier: BSD-3-Clause
// mpi4py-fft, for the comparison in `weft bench mpi`. Its Python runs inside the ranks: libpython
// is loaded at run time, mpi4py finds MPI already initialised, and both libraries take turns in the
// same processes.
#pragma once

#include <memory>
#include <string>

#include "mpi/runtime.hpp"

namespace weft::tool {

/// One transform of slabs by mpi4py-fft, in its own arrays. The output is distributed along the
/// second axis, so there is one exchange, as in FFTW-MPI's transposed rows; but the axes stay in
/// natural order in memory.
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
  /// Collective. `input` is this rank's slab of the array, with rows `row_stride` elements apart.
  /// If the number of ranks does not divide the first axis, mpi4py-fft distributes the array in
  /// another way and transforms noise instead. Throws weft::Error on all ranks.
  virtual std::unique_ptr<Mpi4pyPlan> plan(const FftwMpiProblem& problem, const std::byte* input,
                                           Index row_stride) = 0;
};

/// Collective. Uses the interpreter `python`, which must have mpi4py-fft and an mpi4py built for
/// the MPI of these ranks. Otherwise returns null, and `why_not` says on all ranks what is missing.
/// Call it only once per process: Python cannot be started a second time.
std::unique_ptr<Mpi4pyFft> open_mpi4py_fft(const std::string& python, const Comm& comm,
                                           std::string& why_not);

}  // namespace weft::tool
