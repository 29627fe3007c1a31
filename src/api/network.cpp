// SPDX-License-Identifier: BSD-3-Clause
#include "api/network.hpp"

#include <unistd.h>

#include <cctype>

#include "api/wisdom_store.hpp"
#include "comm/agree.hpp"

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
  return network_prefix + kind_of_host() + ", " + global::topology_text(nodes) + " by " + transport;
}

Network from_wisdom(const std::string& text) {
  if (text.empty()) return {};
  return {global::parse_network(text), Network::Source::wisdom};
}

}  // namespace

Network known_network(const std::vector<int>& nodes) {
  for (const char* transport : {"Open MPI", "MPICH", ""})
    if (const auto text = find_wisdom_like(key_of(nodes, transport))) return from_wisdom(*text);
  return {};
}

Network network_of(const Comm& comm, bool use_wisdom) {
  if (!use_wisdom) return {};
  std::string text;
  if (comm.rank() == 0) text = find_wisdom(key_of(comm.nodes(), comm.transport())).value_or("");
  return from_wisdom(broadcast_text(comm, text));
}

Network measured_network(const Comm& comm) {
  const std::string text = broadcast_text(comm, to_text(global::measure_network(comm)));
  add_wisdom(key_of(comm.nodes(), comm.transport()), text);
  return {global::parse_network(text), Network::Source::measured};
}

}  // namespace weft::api
