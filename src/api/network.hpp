// SPDX-License-Identifier: BSD-3-Clause
// The speeds that the model works with: measured once, then kept in wisdom by topology.
#pragma once

#include "global/model.hpp"

namespace weft::api {

struct Network {
  enum class Source { assumed, wisdom, measured };
  global::NetworkModel model;
  Source source = Source::assumed;
};

/// What wisdom has for ranks on these nodes, this host's or such that differ from it in digits
/// only, under any MPI; else assumed.
Network known_network(const std::vector<int>& nodes);

/// Collective, equal on all ranks: rank 0's wisdom decides.
Network network_of(const Comm& comm, bool use_wisdom);
/// Collective. Measures and adds to wisdom.
Network measured_network(const Comm& comm);

}  // namespace weft::api
