// SPDX-License-Identifier: BSD-3-Clause
// An operator over ranks, on CPUs or GPUs, beside steps: forward and backward plans for every
// field, through natural order and through the order that costs least. On CPUs the same function
// comes between them, on GPUs none; and FFTW-MPI does the same through transposed order.
#pragma once

#include <optional>
#include <string>

#include "bench/convolution.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {

struct RankOperatorResult {
  double operator_s = 0;                  ///< medians of the slowest rank
  double natural_s = 0, any_order_s = 0;  ///< of the steps
  std::optional<double> fftw_s;
  double error = 0;           ///< relative L2, the largest of all
  Index workspace_bytes = 0;  ///< of the rank that has most
  std::string explanation;
};

/// FFTW-MPI takes part if it is wanted and there, has one field, and all ranks have the same part
/// of it.
struct RankPeer {
  bool is_wanted = false;
  double time_limit_s = 10;  ///< of planning, each
};

/// Collective. All in turns on the same memory: slabs along the first axis. The function is that of
/// Helmholtz's equation; of several fields each output is that of the next input.
RankOperatorResult measure_on_ranks(const ConvolutionRow& row, int fields,
                                    const ConvolutionOptions& options, Device::Type device,
                                    const Comm& comm, const RankPeer& fftw);

}  // namespace weft::tool
