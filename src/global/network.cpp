// SPDX-License-Identifier: BSD-3-Clause
// Speeds as text, the way wisdom keeps them.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "base/format.hpp"
#include "global/model.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {

struct Field {
  const char* name;
  double NetworkModel::* value;
};
constexpr Field fields[] = {{"latency_s", &NetworkModel::latency_s},
                            {"bandwidth", &NetworkModel::bandwidth},
                            {"node_latency_s", &NetworkModel::node_latency_s},
                            {"node_bandwidth", &NetworkModel::node_bandwidth},
                            {"memory_bandwidth", &NetworkModel::memory_bandwidth},
                            {"flops_per_s", &NetworkModel::flops_per_s}};

}  // namespace

std::string to_text(const NetworkModel& model) {
  std::string text;
  for (const Field& field : fields)
    text += weft::format("{}{} {:.4g}", text.empty() ? "" : " ", field.name, model.*field.value);
  return text;
}

NetworkModel parse_network(const std::string& text) {
  NetworkModel model;
  std::istringstream words(text);
  std::string name, rest;
  for (const Field& field : fields) {
    double value = 0;
    if (!(words >> name >> value) || name != field.name || !std::isfinite(value) || value <= 0)
      throw Error(ErrorCode::wisdom, "'" + text + "' are not the speeds of a network");
    model.*field.value = value;
  }
  if (words >> rest)
    throw Error(ErrorCode::wisdom, "'" + text + "' has more than the speeds of a network");
  return model;
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
