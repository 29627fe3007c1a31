// SPDX-License-Identifier: BSD-3-Clause
// Speeds as text, the way wisdom keeps them.
#include "global/choose/network.hpp"

#include <map>

#include "tune/numbers_text.hpp"

namespace weft::global {
namespace {

constexpr tune::NumberField<NetworkModel> fields[] = {
    {"latency_s", &NetworkModel::latency_s},
    {"bandwidth", &NetworkModel::bandwidth},
    {"node_latency_s", &NetworkModel::node_latency_s},
    {"node_bandwidth", &NetworkModel::node_bandwidth},
    {"memory_bandwidth", &NetworkModel::memory_bandwidth},
    {"flops_per_s", &NetworkModel::flops_per_s}};

}  // namespace

std::string to_text(const NetworkModel& model) {
  return tune::numbers_text<NetworkModel>(model, fields);
}

NetworkModel parse_network(const std::string& text) {
  return tune::parse_numbers<NetworkModel>(text, fields, "the speeds of a network");
}

std::string topology_text(const std::vector<int>& nodes) {
  std::map<int, int> ranks_of_node;
  for (int node : nodes) ++ranks_of_node[node];
  std::map<int, int> nodes_with;  // as many ranks
  for (const auto& [node, ranks] : ranks_of_node) ++nodes_with[ranks];
  std::string text;
  for (const auto& [ranks, count] : nodes_with)
    text += (text.empty() ? "" : " and ") + std::to_string(count) + "x" + std::to_string(ranks);
  return text + " ranks";
}

}  // namespace weft::global
