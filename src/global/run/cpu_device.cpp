// SPDX-License-Identifier: BSD-3-Clause
#include "global/run/cpu_device.hpp"

#include <algorithm>
#include <chrono>

#include "base/buffer.hpp"
#include "base/machine.hpp"
#include "global/choose/measure_network.hpp"
#include "local/array/array_report.hpp"
#include "local/choose/planner.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {

using reshape::Exchange;

class CpuStage final : public RunnableStage {
 public:
  CpuStage(const StageProblem& problem, const StageOptions& options) : plan_(problem, options) {}
  void run(const reshape::Bases& bases, std::byte* scratch) const override {
    plan_.run(bases, scratch);
  }
  Index scratch_bytes() const override { return plan_.scratch_bytes(); }
  double flops() const override { return plan_.flops(); }

 private:
  StagePlan plan_;
};

class CpuBuffer final : public DeviceBuffer {
 public:
  explicit CpuBuffer(Index bytes) : memory_(bytes) {
    data_ = memory_.data();
    bytes_ = bytes;
  }

 private:
  Buffer<std::byte> memory_;
};

class CpuStopwatch final : public Stopwatch {
 public:
  explicit CpuStopwatch(std::size_t marks) : times_(marks) {}
  void note(std::size_t mark) override { times_[mark] = Clock::now(); }
  double seconds(std::size_t from, std::size_t to) const override {
    return std::chrono::duration<double>(times_[to] - times_[from]).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> times_;
};

class CpuDevice final : public RankDevice {
 public:
  std::string name() const override { return {}; }
  std::vector<ExchangeKind> exchange_kinds(const std::vector<int>& nodes) const override {
    using enum ExchangeKind;
    const bool is_one_node = std::ranges::all_of(nodes, [&](int node) { return node == nodes[0]; });
    if (is_one_node)
      return {shared, point_to_point, all_to_all_v, all_to_all, pipelined, node_aware};
    return {node_aware, all_to_all_v, point_to_point, all_to_all, pipelined};
  }
  std::string objection(const GlobalProblem&, const Recipe&) const override { return {}; }
  NetworkModel measure_speeds(const Comm& comm) const override { return measure_network(comm); }
  double point_flops(Index n, Precision precision) const override {
    try {
      return nominal_point_flops(measured_line, precision) * point_s(n, precision) /
             point_s(measured_line, precision);
    } catch (const Error&) {  // too long for this machine to transform whole
      return nominal_point_flops(n, precision);
    }
  }
  Index memory_bytes() const override { return static_cast<Index>(this_machine().memory_bytes); }

  std::unique_ptr<RunnableStage> make_stage(const StageProblem& problem,
                                            const StageOptions& options) const override {
    return std::make_unique<CpuStage>(problem, options);
  }
  std::vector<std::unique_ptr<Exchange>> make_exchanges(ExchangeKind kind, const Comm& comm,
                                                        const Placement& placement) const override {
    std::vector<std::unique_ptr<Exchange>> exchanges;
    for (std::size_t i = 0; i < placement.exchanges.size(); ++i)
      exchanges.push_back(make_exchange(kind, comm, placement, i));
    return exchanges;
  }
  std::unique_ptr<DeviceBuffer> allocate(Index bytes) const override {
    return std::make_unique<CpuBuffer>(bytes);
  }
  std::unique_ptr<Stopwatch> make_stopwatch(std::size_t marks) const override {
    return std::make_unique<CpuStopwatch>(marks);
  }
  void fill_with_zeros(std::byte* data, Index bytes) const override {
    std::fill_n(data, bytes, std::byte{0});
  }
  void upload(std::byte* data, const std::byte* host, Index bytes) const override {
    std::copy_n(host, bytes, data);
  }
  std::unique_ptr<ChirpSteps> make_chirp_steps(const ChirpLine& line) const override {
    return make_cpu_chirp_steps(line);
  }

 private:
  /// By the local cost model: some lines, as many as caches hold.
  static double point_s(Index n, Precision precision) {
    constexpr Index points = 1 << 14;
    const Index batch = std::max<Index>(1, points / n);
    problem::ArrayProblem lines;
    lines.precision = precision;
    lines.dimensions = {{batch, 2 * n, 2 * n}, {n, 2, 2}};
    lines.axes = {1};
    const auto recipe =
        local::choose_recipe(lines, {.executor = serial_executor(), .use_wisdom = false});
    return local::cost_of(recipe, lines, 1).predicted_s / static_cast<double>(batch * n);
  }
  static std::unique_ptr<Exchange> make_exchange(ExchangeKind kind, const Comm& comm,
                                                 const Placement& placement, std::size_t i) {
    const reshape::ExchangeProblem& p = placement.exchanges[i];
    switch (kind) {
      case ExchangeKind::all_to_all: return make_all_to_all(comm, p);
      case ExchangeKind::all_to_all_v: return make_all_to_all_v(comm, p);
      case ExchangeKind::point_to_point: return make_point_to_point(comm, p);
      case ExchangeKind::pipelined: return make_pipelined(comm, p);
      case ExchangeKind::shared: return make_shared(comm, p, placement.arrays[i]);
      case ExchangeKind::node_aware: return make_node_aware(comm, p, placement.node_memory[i]);
      default: break;
    }
    throw Error(ErrorCode::unsupported, std::string("the exchange ") + to_string(kind) +
                                            " is one between GPUs; plan with a GPU as device");
  }
};

}  // namespace

std::shared_ptr<const RankDevice> cpu_device() noexcept {
  static const CpuDevice device;
  return {std::shared_ptr<const RankDevice>(), &device};  // owns nothing
}

}  // namespace weft::global
