// SPDX-License-Identifier: BSD-3-Clause
// An operator over ranks, on CPUs or GPUs, beside its transforms alone: forward and backward plans
// for every field, through natural order and through the order that costs least, without any
// function between them.
#pragma once

#include <string>

#include "bench/convolution.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {

struct RankOperatorResult {
  double operator_s = 0;                  ///< medians of the slowest rank
  double natural_s = 0, any_order_s = 0;  ///< of the transforms alone
  double error = 0;                       ///< of the operator, relative L2
  Index workspace_bytes = 0;              ///< of the rank that has most
  std::string explanation;
};

/// Collective. All in turns on the same memory: slabs along the first axis. The function is that of
/// Helmholtz's equation; of several fields each output is that of the next input.
RankOperatorResult measure_on_ranks(const ConvolutionRow& row, int fields,
                                    const ConvolutionOptions& options, Device::Type device,
                                    const Comm& comm);

}  // namespace weft::tool
