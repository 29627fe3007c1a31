// SPDX-License-Identifier: BSD-3-Clause
#include "reshape/exchange.hpp"

namespace weft::reshape {

const char* to_string(ExchangeKind kind) {
  switch (kind) {
    case ExchangeKind::all_to_all: return "all_to_all";
    case ExchangeKind::all_to_all_v: return "all_to_all_v";
    case ExchangeKind::point_to_point: return "point_to_point";
    case ExchangeKind::pipelined: return "pipelined";
    case ExchangeKind::shared: return "shared";
    case ExchangeKind::node_aware: return "node_aware";
    case ExchangeKind::staged: return "staged";
    case ExchangeKind::direct: return "direct";
    case ExchangeKind::ipc: return "ipc";
    case ExchangeKind::nccl: return "nccl";
  }
  return "?";
}

}  // namespace weft::reshape
