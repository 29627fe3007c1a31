// SPDX-License-Identifier: BSD-3-Clause
#include "api/network.hpp"

#include <unistd.h>

#include <cctype>

#include "comm/agree.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"

namespace weft::api {
namespace {

/// The name of this host without digits: node17 and node18 are taken to be alike.
std::string kind_of_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  std::string text(name);
  std::erase_if(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return text;
}

std::string key_of(const std::vector<int>& nodes, const std::string& transport) {
  return tune::network_prefix + kind_of_host() + ", " + global::topology_text(nodes) + " by " +
         transport;
}

/// Assumed speeds where the text is damaged, or there is none.
Network from_wisdom(const std::string& text, const global::NetworkModel& assumed = {}) {
  try {
    if (!text.empty()) return {global::parse_network(text), Network::Source::wisdom};
  } catch (const Error&) {
  }
  return {assumed, Network::Source::assumed};
}

}  // namespace

Network known_network(const std::vector<int>& nodes) {
  for (const char* transport : {"Open MPI", "MPICH", ""})
    if (const auto text = tune::find_wisdom_like(key_of(nodes, transport)))
      return from_wisdom(*text);
  return {};
}

Network network_of(const Comm& comm, const global::RankDevice& device, bool use_wisdom) {
  if (!use_wisdom) return {device.assumed_speeds(), Network::Source::assumed};
  std::string text;
  agree(comm, [&] {
    if (comm.rank() == 0)
      text = tune::find_wisdom(key_of(comm.nodes(), comm.transport()), device.name()).value_or("");
  });
  text = broadcast_text(comm, text);
  Network network;
  agree(comm, [&] { network = from_wisdom(text, device.assumed_speeds()); });
  return network;
}

Network measured_network(const Comm& comm, const global::RankDevice& device) {
  const global::NetworkModel measured = device.measure_speeds(comm);
  std::string text;
  agree(comm, [&] { text = to_text(measured); });
  text = broadcast_text(comm, text);
  Network network{{}, Network::Source::measured};
  agree(comm, [&] {
    tune::add_wisdom(key_of(comm.nodes(), comm.transport()), text, device.name());
    network.model = global::parse_network(text);
  });
  return network;
}

}  // namespace weft::api
