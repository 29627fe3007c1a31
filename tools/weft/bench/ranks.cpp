// SPDX-License-Identifier: BSD-3-Clause
#include "bench/ranks.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>

#include "problem.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "weft/error.hpp"

namespace weft::tool {

Index largest_of_ranks(const Comm& comm, Index mine) {
  return std::ranges::max(values_of_ranks(comm, mine));
}

double largest_of_ranks(const Comm& comm, double mine) {
  return std::ranges::max(values_of_ranks(comm, mine));
}

double sum_of_ranks(const Comm& comm, double mine) {
  const std::vector<double> all = values_of_ranks(comm, mine);
  return std::accumulate(all.begin(), all.end(), 0.0);
}

double seconds_of_slowest(const Comm& comm, const std::function<void()>& call) {
  comm.barrier();
  const Stopwatch watch;
  call();
  return largest_of_ranks(comm, watch.seconds());
}

Turns time_in_turns(const Comm& comm, int rounds, const std::function<void()>& weft,
                    const std::vector<std::function<void()>>& peers) {
  std::vector<double> weft_s;
  std::vector<std::vector<double>> peer_s(peers.size()), ratios(peers.size());
  for (int round = 0; round < rounds; ++round) {
    weft_s.push_back(seconds_of_slowest(comm, weft));
    for (std::size_t i = 0; i < peers.size(); ++i) {
      peer_s[i].push_back(seconds_of_slowest(comm, peers[i]));
      ratios[i].push_back(peer_s[i].back() / weft_s.back());
    }
  }
  Turns turns{.weft_s = median(weft_s), .peers = {}};
  for (std::size_t i = 0; i < peers.size(); ++i)
    turns.peers.push_back({median(peer_s[i]), median(ratios[i])});
  return turns;
}

double relative_difference(const Comm& comm, Precision precision, const void* values,
                           const void* reference, Index count) {
  double difference = 0, norm = 0;
  const auto add = [&]<class Real>(const Real* a, const Real* b) {
    for (Index i = 0; i < count; ++i) {
      const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
      difference += d * d;
      norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
  };
  if (precision == Precision::f64)
    add(static_cast<const double*>(values), static_cast<const double*>(reference));
  else
    add(static_cast<const float*>(values), static_cast<const float*>(reference));
  return std::sqrt(sum_of_ranks(comm, difference) / sum_of_ranks(comm, norm));
}

namespace {

/// The number after `key` in a file of lines such as "MemAvailable:   123 kB", in bytes.
Index bytes_in_file(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return std::stoll(line.substr(key.size() + 1)) * 1024;
  return 0;
}

struct NodeMemory {
  Index needed = 0, available = 0, ranks = 0;
};

/// Collective. For each node: the bytes that its ranks need, and the smallest amount of free memory
/// that any of them reports.
std::map<int, NodeMemory> memory_by_node(const Comm& comm, Index bytes_of_this_rank) {
  const std::vector<int> nodes = comm.nodes();
  const std::vector<Index> needed = values_of_ranks(comm, bytes_of_this_rank);
  const std::vector<Index> available = values_of_ranks(comm, available_memory_bytes());
  std::map<int, NodeMemory> by_node;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    NodeMemory& node = by_node[nodes[r]];
    node.available = node.ranks == 0 ? available[r] : std::min(node.available, available[r]);
    node.needed += needed[r];
    ++node.ranks;
  }
  return by_node;
}

}  // namespace

Index available_memory_bytes() { return bytes_in_file("/proc/meminfo", "MemAvailable"); }

Index available_memory_bytes(const Comm& comm) {
  Index least_per_rank = 0;
  for (const auto& [node, memory] : memory_by_node(comm, 0)) {
    const Index share = memory.available / memory.ranks;
    if (least_per_rank == 0 || share < least_per_rank) least_per_rank = share;
  }
  return least_per_rank * comm.size();
}

void require_memory(const Comm& comm, Index bytes_of_this_rank, const std::string& what,
                    const std::string& advice) {
  for (const auto& [node, memory] : memory_by_node(comm, bytes_of_this_rank))
    if (memory.available > 0 && memory.needed > memory.available)
      throw Error(ErrorCode::out_of_memory,
                  fmt::format("{} needs {} of memory on one node, but only {} are free there; {}",
                              what, bytes_text(static_cast<double>(memory.needed)),
                              bytes_text(static_cast<double>(memory.available)), advice));
}

Index peak_memory_bytes() { return bytes_in_file("/proc/self/status", "VmHWM"); }

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

Index parse_length(const std::string& text, const Comm& comm) {
  const ShapeArgument parsed = parse_shape(text);
  if (!parsed.batch.empty() || parsed.shape.size() != 1)
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("'{}' is not a length; write a single number such as 2^24, 10^7 or 14348907",
                    text));
  if (parsed.shape[0] < comm.size())
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} points are too few for {} ranks: some ranks would have none; "
                            "choose a length of at least {}, or fewer ranks",
                            text, comm.size(), comm.size()));
  return parsed.shape[0];
}

namespace {

constexpr std::pair<const char*, ExchangeAlgorithm> exchanges[] = {
    {"automatic", ExchangeAlgorithm::automatic},
    {"all_to_all", ExchangeAlgorithm::all_to_all},
    {"all_to_all_v", ExchangeAlgorithm::all_to_all_v},
    {"point_to_point", ExchangeAlgorithm::point_to_point},
    {"pipelined", ExchangeAlgorithm::pipelined},
    {"shared", ExchangeAlgorithm::shared},
    {"node_aware", ExchangeAlgorithm::node_aware}};

ExchangeAlgorithm parse_exchange(const std::string& name) {
  for (const auto& [known, exchange] : exchanges)
    if (name == known) return exchange;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--exchange '{}': unknown; choose automatic, all_to_all, all_to_all_v, "
                          "point_to_point, pipelined, shared or node_aware",
                          name));
}

}  // namespace

void add_plan_choice(CLI::App& command, PlanChoice& choice) {
  command
      .add_option("--exchange", choice.exchange,
                  "How ranks exchange data: automatic, all_to_all, all_to_all_v, point_to_point, "
                  "pipelined, shared or node_aware")
      ->capture_default_str();
  command.add_option("--threads", choice.threads, "Threads of each rank; 0: all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.add_option("--recipe", choice.recipe, "Use exactly this recipe, as weft prints it");
  command
      .add_option("--effort", choice.effort,
                  "Planning effort of weft: estimate, measure or patient")
      ->capture_default_str();
}

DistributedOptions options_of(const PlanChoice& choice) {
  return {.effort = parse_effort(choice.effort),
          .exchange = parse_exchange(choice.exchange),
          .threads = choice.threads,
          .recipe = choice.recipe};
}

}  // namespace weft::tool
