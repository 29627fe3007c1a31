// SPDX-License-Identifier: BSD-3-Clause
// The tool's interface to MPI. The tool is not linked to MPI: when mpiexec starts it, it loads the
// plugin that was built for that MPI library, and calls MPI only through this interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/comm.hpp"
#include "weft/distribution.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

/// A 3-D transform of slabs by FFTW-MPI, with rows of real input padded as FFTW needs them; or a
/// complex 1-D transform in FFTW's blocks.
struct FftwMpiProblem {
  std::vector<Index> shape;
  Kind kind = Kind::c2c;                     ///< c2c, r2c or c2r; or r2r in 3-D
  Direction direction = Direction::forward;  ///< 3-D c2c
  R2r r2r = R2r::dct2;                       ///< of all axes, for r2r
  Precision precision = Precision::f64;
  /// 3-D: what the transform has made, or inverts, is distributed along the second axis; 1-D:
  /// scrambled output.
  bool transposed = false;
  bool measure = true;  ///< FFTW_MEASURE, else FFTW_ESTIMATE
  double time_limit_s = 60;
  /// 3-D: memory of the caller for `complex_count` complex numbers, which planning overwrites;
  /// null: the plan has its own. There is no plan if FFTW needs more.
  std::byte *input = nullptr, *output = nullptr;
  Index complex_count = 0;
};

/// This rank's part of a 1-D array in FFTW's distribution.
struct FftwMpiBlocks {
  Index input_begin = 0, input_count = 0, output_begin = 0, output_count = 0;
};

/// Another library's plan with its own arrays.
class PeerPlan {
 public:
  virtual ~PeerPlan() = default;
  virtual void execute() = 0;
  virtual std::byte* input() = 0;
  virtual std::byte* output() = 0;
};

/// A 3-D transform by heFFTe from one box per rank to one box per rank, without gaps.
struct HeffteProblem {
  LocalBox input, output;  ///< of this rank; an empty box if it holds nothing
  Kind kind = Kind::c2c;   ///< c2c, or r2c with its last axis halved; forward
  Precision precision = Precision::f64;
};

class MpiRuntime {
 public:
  virtual ~MpiRuntime() = default;
  virtual std::shared_ptr<const Comm> world() const = 0;
  virtual std::string library() const = 0;  ///< "Open MPI v4.1.4", ...
  /// Whether there is an FFTW-MPI for this MPI.
  virtual bool has_fftw(Precision precision) const = 0;
  /// Collective. For a 1-D problem; needs FFTW-MPI.
  virtual FftwMpiBlocks fftw_blocks(const FftwMpiProblem& problem) const = 0;
  /// Collective. Null on all ranks if there is no FFTW-MPI, or if it cannot plan the problem.
  virtual std::unique_ptr<PeerPlan> fftw(const FftwMpiProblem& problem) const = 0;

  /// Collective. Loads libheffte from `folder`; "MKL", "FFTW" or "its own": what transforms its
  /// lines. Throws weft::Error on all ranks.
  virtual std::string open_heffte(const std::string& folder) = 0;
  /// Collective, after open_heffte(). The fastest of heFFTe's ways to exchange data, with slabs and
  /// with pencils, each executed twice. Throws weft::Error on all ranks if it cannot plan.
  virtual std::unique_ptr<PeerPlan> heffte(const HeffteProblem& problem) const = 0;

  /// Collective MPI-IO: reads or writes this rank's bytes of a file. Throws weft::Error on all
  /// ranks.
  virtual void read(const std::string& path, Index offset, void* data, Index bytes) const = 0;
  virtual void write(const std::string& path, Index offset, const void* data,
                     Index bytes) const = 0;
};

/// The MPI runtime of this process; null if it was not started by mpiexec. The first call loads the
/// plugin and initialises MPI. Throws weft::Error if the plugin is missing.
MpiRuntime* mpi_runtime();
/// From now on mpi_runtime() returns null. For commands that only rank 0 runs: the other ranks have
/// exited, and MPI_Init would wait for them.
void stay_alone();
/// Finalises MPI. If only this rank has failed (`exit_code` is not 0), ends all ranks.
void finish_mpi(int exit_code);

/// The rank that mpiexec gave this process, also before MPI is initialised; 0 without mpiexec.
int rank_of_this_process();

/// The communicator of the tool: MPI_COMM_WORLD, or only this process.
std::shared_ptr<const Comm> tool_comm();

}  // namespace weft::tool
