// SPDX-License-Identifier: BSD-3-Clause
// How long a transform takes on a machine of any kind, by its closed forms: what `weft predict`
// prints and `weft sweep` draws.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"

namespace weft::tool {

struct PredictionRequest {
  WaferArguments wafer;  ///< machine, size, precision, and the wafer's own options
  int nodes = 0;         ///< 0: the machine's own number, or one element per pencil
};

struct Prediction {
  std::string scheme;
  double seconds = 0, exchange_s = 0, bound_s = 0;
  double flops = 0;
  double nodes = 0;
  std::string limit;   ///< the limiting link or step
  std::string memory;  ///< verdict
  bool fits = true;
  std::vector<std::string> notes;
  double tflops() const { return flops / seconds / 1e12; }
};

/// One entry per scheme: a wafer has the one that was asked for, a torus merged and explicit
/// reordering, a cluster heFFTe's scheme and the node-aware one; torus and cluster also weft's own
/// recipes, priced for their ranks.
std::vector<Prediction> predict(const fabric::Machine& machine, const PredictionRequest& request);

}  // namespace weft::tool
