// SPDX-License-Identifier: BSD-3-Clause
// How long a transform takes on a machine of any kind, by its closed forms: what `weft predict`
// prints and `weft sweep` draws.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"

namespace weft::tool {

struct PredictionRequest {
  WaferArguments wafer;            ///< machine, size, precision, and the wafer's own options
  int nodes = 0;                   ///< 0: the default of the machine, or one element per pencil
  std::string recipe;              ///< torus and cluster: priced beside the others
  bool closed_forms_only = false;  ///< torus and cluster: without recipes, which take longer
};

struct Prediction {
  std::string scheme;
  double seconds = 0, exchange_s = 0;
  double bound_s = 0;  ///< what the network needs at least; 0: nothing leaves the node
  double flops = 0;
  double nodes = 0;
  std::string limit;   ///< the limiting link or step
  std::string memory;  ///< verdict
  bool fits = true;
  std::vector<std::string> notes;
  double tflops() const { return flops / seconds / 1e12; }
};

/// The precision that was asked for, or that of the machine's published runs: f32 on wafers and
/// systolic arrays, f64 on torus and cluster.
Precision precision_of(const fabric::FabricMachine& machine, const PredictionRequest& request);

/// One entry per scheme, all in the same precision: a wafer has the one that was asked for, a torus
/// the Global FFT, a cluster heFFTe's scheme and the node-aware one; torus and cluster also weft's
/// own recipes, priced for their ranks.
std::vector<Prediction> predict(const fabric::FabricMachine& machine,
                                const PredictionRequest& request);

}  // namespace weft::tool
