// SPDX-License-Identifier: BSD-3-Clause
// The speeds of ranks with GPUs, for the model that ranks distributed recipes: the twin of
// global/choose/measure_network.cpp.
#pragma once

#include "global/choose/model.hpp"
#include "gpu/device/driver.hpp"
#include "reshape/exchange.hpp"
#include "weft/comm.hpp"

namespace weft::gpu {

/// Those of a large GPU, before any are measured.
global::NetworkModel assumed_gpu_speeds();

/// Collective, on all ranks with their GPUs current or not; throws on all ranks or on none. Times
/// blocks between pairs of ranks by the exchange, copies and short lines by all ranks at once;
/// about 0.1 s.
global::NetworkModel measure_gpu_speeds(const Comm& comm, const GpuDevice& device,
                                        reshape::ExchangeKind kind);

/// The price of a point of a line by the cost model of GPU recipes, see global::PointFlops.
double gpu_point_flops(Index n, Precision precision, const GpuDevice& device);

}  // namespace weft::gpu
