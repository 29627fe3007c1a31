// SPDX-License-Identifier: BSD-3-Clause
// 3-D transforms by pencils on a cluster: heFFTe's scheme, in which every rank sends to every rank
// of its row and column, and weft's node-aware one, in which the ranks of a node share memory and
// nodes exchange one message each. Formulas: no numbers are transformed.
#pragma once

#include "fabric/fabric_machine.hpp"

namespace weft::fabric {

enum class ClusterScheme { heffte, node_aware };

struct ClusterTime {
  double bandwidth_s = 0;  ///< four reshapes through the node's link and the tree
  double messages_s = 0;   ///< start-ups
  double shared_s = 0;     ///< copies inside nodes
  double compute_s = 0;
  double messages = 0;  ///< per rank, or per node
  double bound_s = 0;   ///< the links alone: Eq. (2); 0 on one node
  double bytes_per_node = 0;
  double total() const { return bandwidth_s + messages_s + shared_s + compute_s; }
};
/// `points` complex numbers of `bytes` each, four reshapes (bricks in, bricks out).
ClusterTime cluster_fft_time(const ClusterMachine& machine, int nodes, double points, double bytes,
                             ClusterScheme scheme);

/// Eq. (2) in flop/s: 5 P log2(N) B / (alpha r).
double roofline_flops(const ClusterMachine& machine, int nodes, double points, double bytes,
                      int reshapes);

}  // namespace weft::fabric
