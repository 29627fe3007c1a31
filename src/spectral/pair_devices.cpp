// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/pair_devices.hpp"

#include <algorithm>

#include "spectral/plane_stage.hpp"

namespace weft::spectral {
namespace {

using global::RankDevice;
using global::RunnableStage;
using global::StageOptions;
using global::StageProblem;
using reshape::Bases;
using reshape::Memory;
using reshape::Piece;

/// Another device, but for some stages.
class OtherStages : public RankDevice {
 public:
  explicit OtherStages(PairWork work) : work_(std::move(work)) {}

  std::string name() const override { return device().name(); }
  Index memory_bytes() const override { return device().memory_bytes(); }
  global::NetworkModel assumed_speeds() const override { return device().assumed_speeds(); }
  global::NetworkModel measure_speeds(const Comm& comm) const override {
    return device().measure_speeds(comm);
  }
  double point_flops(Index n, Precision precision) const override {
    return device().point_flops(n, precision);
  }
  std::vector<reshape::ExchangeKind> exchange_kinds(const std::vector<int>& nodes) const override {
    return device().exchange_kinds(nodes);
  }
  std::string objection(const global::GlobalProblem& problem,
                        const global::Recipe& recipe) const override {
    return device().objection(problem, recipe);
  }
  std::vector<std::unique_ptr<reshape::Exchange>> make_exchanges(
      reshape::ExchangeKind kind, const Comm& comm,
      const global::Placement& placement) const override {
    return device().make_exchanges(kind, comm, placement);
  }
  std::unique_ptr<global::DeviceBuffer> allocate(Index bytes) const override {
    return device().allocate(bytes);
  }
  std::unique_ptr<global::Stopwatch> make_stopwatch(std::size_t marks) const override {
    return device().make_stopwatch(marks);
  }
  void fill_with_zeros(std::byte* data, Index bytes) const override {
    device().fill_with_zeros(data, bytes);
  }
  void upload(std::byte* data, const std::byte* host, Index bytes) const override {
    device().upload(data, host, bytes);
  }
  std::unique_ptr<global::ChirpSteps> make_chirp_steps(
      const global::ChirpLine& line) const override {
    return device().make_chirp_steps(line);
  }
  void check_array(const void* data, Index element_bytes, const char* side) const override {
    device().check_array(data, element_bytes, side);
  }
  void check_request(const problem::ArrayProblem& problem, bool reproducible) const override {
    device().check_request(problem, reproducible);
  }
  void synchronize() const override { device().synchronize(); }
  bool is_asynchronous() const override { return device().is_asynchronous(); }

 protected:
  const RankDevice& device() const { return *work_.device; }
  /// Plane by plane where that is possible.
  std::unique_ptr<RunnableStage> make_own(const StageProblem& problem,
                                          const StageOptions& options) const {
    if (work_.takes_planes)
      if (auto stage = make_plane_stage(problem, options, work_.use_wisdom)) return stage;
    return device().make_stage(problem, options);
  }

  PairWork work_;
};

bool all_lie_in(const std::vector<Piece>& pieces, Memory memory) {
  return !pieces.empty() &&
         std::ranges::all_of(pieces, [&](const Piece& piece) { return piece.memory == memory; });
}

/// Keeps what a stage would have worked on.
class LeftUndone final : public RunnableStage {
 public:
  explicit LeftUndone(std::shared_ptr<UndoneStage> undone) : undone_(std::move(undone)) {}
  void run(const Bases& bases, std::byte*) const override { undone_->bases = bases; }
  Index scratch_bytes() const override { return 0; }
  double flops() const override { return 0; }

 private:
  std::shared_ptr<UndoneStage> undone_;
};

class UndoingDevice final : public OtherStages {
 public:
  using OtherStages::OtherStages;

  std::unique_ptr<RunnableStage> make_stage(const StageProblem& problem,
                                            const StageOptions& options) const override {
    if (all_lie_in(problem.targets, Memory::output)) {
      work_.undone->problem = problem;
      return std::make_unique<LeftUndone>(work_.undone);
    }
    if (work_.inputs > 1 && all_lie_in(problem.sources, Memory::input))
      return make_field_stages(device(), problem, options, Memory::input, work_.in);
    // Complex planes from the input: 18.5 ms through the buffer of planes, 15 by a plan of the box
    // (256^3 f32 on 2 ranks of a Zen 5).
    if (problem.kind == Kind::c2c) return device().make_stage(problem, options);
    return make_own(problem, options);
  }
  bool may_move_buffers() const override { return false; }  // it has no output
};

class FusingDevice final : public OtherStages {
 public:
  FusingDevice(PairWork work, RankModes& modes) : OtherStages(std::move(work)), modes_(modes) {}

  bool stages_may_throw() const override { return true; }
  std::unique_ptr<RunnableStage> make_stage(const StageProblem& problem,
                                            const StageOptions& options) const override {
    if (all_lie_in(problem.sources, Memory::input))
      return modes_.fused_stage(work_.undone, problem, options);
    if (work_.outputs > 1 && all_lie_in(problem.targets, Memory::output))
      return make_field_stages(device(), problem, options, Memory::output, work_.out);
    return make_own(problem, options);
  }
  /// Several outputs are no one array to send from.
  bool may_move_buffers() const override {
    return work_.outputs == 1 && device().may_move_buffers();
  }

 private:
  RankModes& modes_;
};

}  // namespace

std::shared_ptr<const RankDevice> undoing_device(const PairWork& work) {
  return std::make_shared<UndoingDevice>(work);
}
std::shared_ptr<const RankDevice> fusing_device(const PairWork& work, RankModes& modes) {
  return std::make_shared<FusingDevice>(work, modes);
}

}  // namespace weft::spectral
