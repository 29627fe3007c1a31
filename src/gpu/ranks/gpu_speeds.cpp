// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/ranks/gpu_speeds.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "comm/agree.hpp"
#include "global/choose/measure_network.hpp"
#include "gpu/choose/choose.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/device/transform_engine.hpp"
#include "gpu/ranks/transport.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

constexpr Index block_bytes = Index{4} << 20, copied_bytes = Index{64} << 20;

/// Complex lines, one after another.
ArrayProblem lines_of(Index n, Index batch, Precision precision) {
  ArrayProblem lines;
  lines.precision = precision;
  lines.dimensions = {{batch, 2 * n, 2 * n}, {n, 2, 2}};
  lines.axes = {1};
  return lines;
}

/// Memory, a stream and what is timed, of one rank.
class SpeedTest {
 public:
  SpeedTest(const Comm& comm, const GpuDevice& device)
      : comm_(comm),
        use_(device),
        send_(static_cast<std::size_t>(copied_bytes)),
        receive_(static_cast<std::size_t>(copied_bytes)),
        memory_{{send_.address(), send_.bytes()}, {receive_.address(), receive_.bytes()}} {
    require(driver().stream_create(&stream_, 1), "cuStreamCreate");
  }
  ~SpeedTest() { driver().stream_destroy(stream_); }
  SpeedTest(const SpeedTest&) = delete;
  SpeedTest& operator=(const SpeedTest&) = delete;

  const ExchangeMemory& memory() const { return memory_; }

  /// Collective. Every rank sends so much to its partner; -1: it has none.
  double exchange_s(Transport& transport, int partner, Index bytes) {
    std::vector<Block> blocks;
    agree(comm_, [&] {
      for (int peer = 0; peer < comm_.size(); ++peer)
        blocks.push_back({0, peer == partner ? bytes : 0});
    });
    const BlockTransfers transfers = make_block_transfers(blocks, blocks, comm_);
    DeviceFailure failure;
    const double seconds = global::best_of_rounds(comm_, 4, [&] {
      transport.start(transfers, stream_, false, failure);
      while (!transport.test(failure)) std::this_thread::yield();
      failure.attempt(driver().stream_synchronize(stream_), "timing an exchange");
    });
    rethrow(failure);
    return seconds;
  }

  double copy_s() {
    return timed(4, [&] {
      require(driver().copy_on_device(receive_.address(), send_.address(), send_.bytes(), stream_),
              "timing a copy");
    });
  }

  /// Of lines that are done so many times.
  double lines_s(const TransformEngine& engine, int calls) {
    return timed(3, [&] {
      for (int call = 0; call < calls; ++call)
        engine.run(send_.data(), receive_.data(), nullptr, 1.0, stream_);
    });
  }

 private:
  /// Collective.
  double timed(int rounds, WorkRef work) {
    DeviceFailure failure;
    const double seconds = global::best_of_rounds(comm_, rounds, [&] {
      failure.attempt(work);
      failure.attempt(driver().stream_synchronize(stream_), "timing the GPU");
    });
    rethrow(failure);
    return seconds;
  }
  void rethrow(const DeviceFailure& failure) const {
    agree(comm_, [&] {
      if (failure.first()) std::rethrow_exception(failure.first());
    });
  }

  const Comm& comm_;
  UseDevice use_;
  DeviceMemory send_, receive_;
  ExchangeMemory memory_;
  Stream stream_ = nullptr;
};

/// Collective. Latency and bandwidth within nodes and between them, where there are such pairs.
void measure_exchange(const Comm& comm, reshape::ExchangeKind kind, SpeedTest& test,
                      global::NetworkModel& model) {
  const std::unique_ptr<Transport> transport = open_transport(kind, comm, test.memory());
  for (const bool same_node : {true, false}) {
    std::vector<int> pairs;
    agree(comm, [&] { pairs = global::paired_ranks(comm.nodes(), same_node); });
    if (std::ranges::all_of(pairs, [](int partner) { return partner < 0; })) continue;
    const int mine = pairs[static_cast<std::size_t>(comm.rank())];
    const double short_s = test.exchange_s(*transport, mine, 8);
    const double long_s = test.exchange_s(*transport, mine, block_bytes);
    (same_node ? model.node_latency_s : model.latency_s) = std::max(1e-9, short_s);
    (same_node ? model.node_bandwidth : model.bandwidth) =
        static_cast<double>(block_bytes) / std::max(1e-9, long_s - short_s);
  }
  comm.barrier();  // others may still have this rank's memory mapped
}

}  // namespace

global::NetworkModel assumed_gpu_speeds() {
  return {.latency_s = 1e-5,
          .bandwidth = 2e10,
          .node_latency_s = 1e-5,
          .node_bandwidth = 1e11,
          .memory_bandwidth = 4e12,
          .flops_per_s = 1e13};
}

global::NetworkModel measure_gpu_speeds(const Comm& comm, const GpuDevice& device,
                                        reshape::ExchangeKind kind) {
  constexpr int calls = 4;
  constexpr Index batch = (Index{1} << 20) / global::measured_line;
  global::NetworkModel model = assumed_gpu_speeds();
  std::optional<SpeedTest> test;
  std::unique_ptr<TransformEngine> engine;
  agree(comm, [&] {
    test.emplace(comm, device);
    const ArrayProblem lines = lines_of(global::measured_line, batch, Precision::f32);
    const auto recipe = first_recipe(lines, device);
    engine = std::make_unique<TransformEngine>(recipe.value(), lines, device);
    if (engine->workspace_bytes() > 0)
      throw Error(ErrorCode::internal, "short lines need no workspace");
  });
  if (comm.size() > 1) measure_exchange(comm, kind, *test, model);
  model.memory_bandwidth = 2.0 * static_cast<double>(copied_bytes) / std::max(1e-9, test->copy_s());
  model.flops_per_s = calls * static_cast<double>(batch * global::measured_line) *
                      global::nominal_point_flops(global::measured_line, Precision::f32) /
                      std::max(1e-9, test->lines_s(*engine, calls));
  return model;
}

double gpu_point_flops(Index n, Precision precision, const GpuDevice& device) {
  constexpr Index points = Index{1} << 22;
  const auto point_s = [&](Index length) {
    const Index batch = std::max<Index>(1, points / length);
    const ArrayProblem lines = lines_of(length, batch, precision);
    const auto recipe = first_recipe(lines, device);
    if (!recipe) return std::numeric_limits<double>::infinity();
    return cost_of(*recipe, lines, numbers_of(device)).seconds /
           static_cast<double>(batch * length);
  };
  return global::nominal_point_flops(global::measured_line, precision) * point_s(n) /
         point_s(global::measured_line);
}

}  // namespace weft::gpu
