// SPDX-License-Identifier: BSD-3-Clause
// The speeds of the model on the ranks at hand: messages between two ranks of a node and of two
// nodes, copies and small transforms by all ranks at once.
#include "global/choose/measure_network.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "base/buffer.hpp"
#include "comm/agree.hpp"
#include "comm/transfers.hpp"
#include "global/run/local_transform.hpp"

namespace weft::global {
namespace {

using Clock = std::chrono::steady_clock;

/// Every rank sends to and receives from the partner at once.
class Swap {
 public:
  /// Without a partner, -1, nothing is done.
  Swap(const Comm& comm, int partner, Index bytes) {
    if (partner < 0) return;
    messages_.add(comm.prepare_receive(bytes, partner, 1), 0);
    messages_.add(comm.prepare_send(bytes, partner, 1), 0);
  }
  void run(const Buffer<std::byte>& send, Buffer<std::byte>& receive) {
    messages_.run(send.data(), receive.data());
  }

 private:
  Transfers messages_;
};

/// Transforms that stay in cache.
struct TimedKernel {
  static constexpr Index n = measured_line, batch = 64;
  LocalTransform transform;
  Buffer<double> in, out;
  Buffer<std::byte> workspace;

  TimedKernel()
      : transform(problem(), {.executor = serial_executor()}, serial_executor()),
        in(2 * n * batch),
        out(2 * n * batch),
        workspace(std::max<Index>(1, transform.workspace_bytes())) {
    std::ranges::fill(in.span(), 0.0);
  }
  static problem::ArrayProblem problem() {
    problem::ArrayProblem problem;
    problem.dimensions = {{batch, 2 * n, 2 * n}, {n, 2, 2}};
    problem.axes = {1};
    return problem;
  }
  /// Operations per second, counted as the model counts them.
  double speed(const Comm& comm) {
    const double seconds = best_of_rounds(comm, 5, [&] {
      for (int call = 0; call < 4; ++call)
        transform.execute(in.data(), out.data(), workspace.data());
    });
    return 4.0 * batch * n * 5 * std::log2(n) / std::max(1e-9, seconds);
  }
};

}  // namespace

double best_of_rounds(const Comm& comm, int rounds, WorkRef work) {
  Index best_ns = std::numeric_limits<Index>::max();
  for (int round = 0; round < rounds; ++round) {
    comm.barrier();
    const auto begin = Clock::now();
    work();
    const Index mine = std::chrono::nanoseconds(Clock::now() - begin).count();
    best_ns = std::min(best_ns, -comm.minimum(-mine));
  }
  return 1e-9 * static_cast<double>(best_ns);
}

std::vector<int> paired_ranks(const std::vector<int>& nodes, bool same_node) {
  std::vector<int> partner(nodes.size(), -1);
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size() && partner[a] < 0; ++b)
      if (partner[b] < 0 && (nodes[a] == nodes[b]) == same_node) {
        partner[a] = static_cast<int>(b);
        partner[b] = static_cast<int>(a);
      }
  return partner;
}

NetworkModel measure_network(const Comm& comm) {
  constexpr Index bytes = 1 << 20;
  NetworkModel model;
  Buffer<std::byte> send, receive;
  std::optional<TimedKernel> kernel;
  std::vector<int> all[2];  // partners on the same node, on another
  agree(comm, [&] {
    send = Buffer<std::byte>(8 * bytes);
    receive = Buffer<std::byte>(8 * bytes);
    std::ranges::fill(send.span(), std::byte{1});
    std::ranges::fill(receive.span(), std::byte{2});
    kernel.emplace();
    for (bool same_node : {true, false})
      all[same_node ? 0 : 1] = paired_ranks(comm.nodes(), same_node);
  });
  for (bool same_node : {true, false}) {
    const std::vector<int>& pairs = all[same_node ? 0 : 1];
    if (std::ranges::all_of(pairs, [](int partner) { return partner < 0; })) continue;
    const int mine = pairs[static_cast<std::size_t>(comm.rank())];
    std::optional<Swap> short_one, long_one;
    agree(comm, [&] {
      short_one.emplace(comm, mine, 8);
      long_one.emplace(comm, mine, bytes);
    });
    const double short_s = best_of_rounds(comm, 5, [&] { short_one->run(send, receive); });
    const double long_s = best_of_rounds(comm, 3, [&] { long_one->run(send, receive); });
    (same_node ? model.node_latency_s : model.latency_s) = short_s;
    (same_node ? model.node_bandwidth : model.bandwidth) =
        static_cast<double>(bytes) / std::max(1e-9, long_s - short_s);
  }
  const double copy_s = best_of_rounds(comm, 3, [&] {
    std::memcpy(receive.data(), send.data(), static_cast<std::size_t>(send.size()));
  });
  model.memory_bandwidth = 2.0 * static_cast<double>(send.size()) / std::max(1e-9, copy_s);
  model.flops_per_s = kernel->speed(comm);
  return model;
}

}  // namespace weft::global
