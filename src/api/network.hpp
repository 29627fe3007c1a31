// SPDX-License-Identifier: BSD-3-Clause
// The speeds that the model works with: measured once, then kept in wisdom by topology.
#pragma once

#include "global/run/cpu_device.hpp"
#include "global/run/rank_device.hpp"

namespace weft::api {

struct Network {
  enum class Source { assumed, wisdom, measured };
  global::NetworkModel model;
  Source source = Source::assumed;
};

/// What wisdom has for ranks on these nodes, under any MPI; else assumed. Also matches hosts whose
/// names differ only in digits (node17, node18).
Network known_network(const std::vector<int>& nodes);

/// Collective, equal on all ranks: rank 0's wisdom decides. Speeds of GPUs are kept under the name
/// of the GPU.
Network network_of(const Comm& comm, const global::RankDevice& device, bool use_wisdom);
/// Collective; throws on all ranks or on none. Measures and adds to wisdom.
Network measured_network(const Comm& comm,
                         const global::RankDevice& device = *global::cpu_device());

}  // namespace weft::api
