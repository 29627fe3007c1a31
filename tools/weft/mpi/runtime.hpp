// SPDX-License-Identifier: BSD-3-Clause
// MPI as the tool sees it. The tool itself knows no MPI: started by mpiexec, it loads the plugin
// that was built for the MPI library at hand, and everything else goes through this interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/comm.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

/// A 3-D transform by FFTW-MPI on slabs, rows of real input padded as FFTW wants them; or a 1-D
/// one, complex, on FFTW's own blocks.
struct FftwMpiProblem {
  std::vector<Index> shape;
  Kind kind = Kind::c2c;  ///< c2c or r2c, forward
  Precision precision = Precision::f64;
  bool transposed = false;  ///< 3-D: the output stays cut along the second axis; 1-D: scrambled
  bool measure = true;      ///< FFTW_MEASURE, else FFTW_ESTIMATE
  double time_limit_s = 60;
};

/// This rank's part of a 1-D array, as FFTW cuts it.
struct FftwMpiBlocks {
  Index input_begin = 0, input_count = 0, output_begin = 0, output_count = 0;
};

class FftwMpiPlan {
 public:
  virtual ~FftwMpiPlan() = default;
  virtual void execute() = 0;
  virtual std::byte* input() = 0;
  virtual std::byte* output() = 0;
};

class MpiRuntime {
 public:
  virtual ~MpiRuntime() = default;
  virtual std::shared_ptr<const Comm> world() const = 0;
  virtual std::string library() const = 0;  ///< "Open MPI v4.1.4", ...
  /// Whether there is an FFTW-MPI for this MPI.
  virtual bool has_fftw(Precision precision) const = 0;
  /// Collective, of a 1-D problem, where there is an FFTW-MPI.
  virtual FftwMpiBlocks fftw_blocks(const FftwMpiProblem& problem) const = 0;
  /// Collective. Null when there is no FFTW-MPI, or it makes no plan, on all ranks alike.
  virtual std::unique_ptr<FftwMpiPlan> fftw(const FftwMpiProblem& problem) const = 0;

  /// Collective MPI-IO: this rank's bytes of a file. Throws weft::Error on all ranks together.
  virtual void read(const std::string& path, Index offset, void* data, Index bytes) const = 0;
  virtual void write(const std::string& path, Index offset, const void* data,
                     Index bytes) const = 0;
};

/// The runtime of this process: null unless mpiexec started it. The first call loads the plugin and
/// initialises MPI. Throws weft::Error when the plugin is missing.
MpiRuntime* mpi_runtime();
/// From here on there is none: the other ranks have left, and would be waited for.
void stay_alone();
/// Finalises MPI; a failure of one rank alone (`exit_code` other than 0) ends all of them.
void finish_mpi(int exit_code);

/// As mpiexec numbered it, MPI initialised or not; 0 without mpiexec.
int rank_of_this_process();

/// The communicator of the tool: MPI's, or of this process alone.
std::shared_ptr<const Comm> tool_comm();

}  // namespace weft::tool
