// SPDX-License-Identifier: BSD-3-Clause
// The speeds of the model on the ranks at hand: messages between two ranks of a node and of two
// nodes, copies and small transforms by all ranks at once.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "base/buffer.hpp"
#include "global/local_transform.hpp"
#include "global/model.hpp"

namespace weft::global {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Best of several; the slowest rank counts.
double best_of(const Comm& comm, int rounds, const std::function<void()>& work) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    comm.barrier();
    const double mine = seconds_of(work);
    std::vector<double> all(static_cast<std::size_t>(comm.size()));
    comm.all_gather(&mine, sizeof mine, all.data());
    best = std::min(best, *std::ranges::max_element(all));
  }
  return best;
}

/// Every rank sends to and receives from the partner at once.
void swap_with(const Comm& comm, int partner, const Buffer<std::byte>& send,
               Buffer<std::byte>& receive, Index bytes) {
  if (partner < 0) return;
  auto incoming = comm.start_receive(receive.data(), bytes, partner, 1);
  auto outgoing = comm.start_send(send.data(), bytes, partner, 1);
  incoming->wait();
  outgoing->wait();
}

/// Pairs of ranks that do, or do not, share a node: each rank's partner, -1 without one.
std::vector<int> partners(const std::vector<int>& nodes, bool same_node) {
  std::vector<int> partner(nodes.size(), -1);
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size() && partner[a] < 0; ++b)
      if (partner[b] < 0 && (nodes[a] == nodes[b]) == same_node) {
        partner[a] = static_cast<int>(b);
        partner[b] = static_cast<int>(a);
      }
  return partner;
}

/// Operations per second of transforms that stay in cache, counted as the model counts them.
double kernel_speed(const Comm& comm) {
  constexpr Index n = 256, batch = 64;
  local::ArrayProblem problem;
  problem.dimensions = {{batch, 2 * n, 2 * n}, {n, 2, 2}};
  problem.axes = {1};
  const auto executor = serial_executor();
  const LocalTransform transform(problem, {.executor = executor}, executor);
  Buffer<double> in(2 * n * batch), out(2 * n * batch);
  std::ranges::fill(in.span(), 0.0);
  Buffer<std::byte> workspace(std::max<Index>(1, transform.workspace_bytes()));
  const double seconds = best_of(comm, 5, [&] {
    for (int call = 0; call < 4; ++call) transform.execute(in.data(), out.data(), workspace.data());
  });
  return 4.0 * batch * n * 5 * std::log2(n) / std::max(1e-9, seconds);
}

}  // namespace

NetworkModel measure_network(const Comm& comm) {
  constexpr Index bytes = 1 << 20;
  NetworkModel model;
  Buffer<std::byte> send(8 * bytes), receive(8 * bytes);
  std::memset(send.data(), 1, static_cast<std::size_t>(send.size()));
  std::memset(receive.data(), 2, static_cast<std::size_t>(receive.size()));
  const std::vector<int> nodes = comm.nodes();
  for (bool same_node : {true, false}) {
    const std::vector<int> all = partners(nodes, same_node);
    if (std::ranges::all_of(all, [](int partner) { return partner < 0; })) continue;
    const int mine = all[static_cast<std::size_t>(comm.rank())];
    const double short_s = best_of(comm, 5, [&] { swap_with(comm, mine, send, receive, 8); });
    const double long_s = best_of(comm, 3, [&] { swap_with(comm, mine, send, receive, bytes); });
    (same_node ? model.node_latency_s : model.latency_s) = short_s;
    (same_node ? model.node_bandwidth : model.bandwidth) =
        static_cast<double>(bytes) / std::max(1e-9, long_s - short_s);
  }
  const double copy_s = best_of(comm, 3, [&] {
    std::memcpy(receive.data(), send.data(), static_cast<std::size_t>(send.size()));
  });
  model.memory_bandwidth = 2.0 * static_cast<double>(send.size()) / std::max(1e-9, copy_s);
  model.flops_per_s = kernel_speed(comm);
  return model;
}

}  // namespace weft::global
