// SPDX-License-Identifier: BSD-3-Clause
// Predictions over several node counts, sizes or groups as one chart: what `weft sweep` draws, and
// the pages of machines.
#pragma once

#include "plot.hpp"
#include "prediction.hpp"

namespace weft::tool {

/// Exactly one list has values; or nodes and edges have equally many, for weak scaling.
struct SweepValues {
  std::vector<int> nodes, edges, groups;
  std::string value = "tflops";  ///< tflops, seconds, exchange-share, bound-share
};
/// One series per scheme. Points that do not fit the memory are hollow.
Chart prediction_chart(const fabric::FabricMachine& machine, const PredictionRequest& asked,
                       const SweepValues& sweep);

}  // namespace weft::tool
