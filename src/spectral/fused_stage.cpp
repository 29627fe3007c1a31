// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_stage.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/machine.hpp"
#include "base/names.hpp"
#include "global/run/cpu_device.hpp"
#include "spectral/run_tasks.hpp"

namespace weft::spectral {
namespace {

using global::RankDevice;
using global::RunnableStage;
using global::StageOptions;
using global::StagePlan;
using global::StageProblem;
using reshape::Bases;
using reshape::Memory;
using reshape::Piece;

/// This CPU, but for the stages.
class CpuWithOtherStages : public RankDevice {
 public:
  std::string name() const override { return cpu_->name(); }
  Index memory_bytes() const override { return cpu_->memory_bytes(); }
  global::NetworkModel measure_speeds(const Comm& comm) const override {
    return cpu_->measure_speeds(comm);
  }
  double point_flops(Index n, Precision precision) const override {
    return cpu_->point_flops(n, precision);
  }
  std::vector<reshape::ExchangeKind> exchange_kinds(const std::vector<int>& nodes) const override {
    return cpu_->exchange_kinds(nodes);
  }
  std::string objection(const global::GlobalProblem& problem,
                        const global::Recipe& recipe) const override {
    return cpu_->objection(problem, recipe);
  }
  std::vector<std::unique_ptr<reshape::Exchange>> make_exchanges(
      reshape::ExchangeKind kind, const Comm& comm,
      const global::Placement& placement) const override {
    return cpu_->make_exchanges(kind, comm, placement);
  }
  std::unique_ptr<global::DeviceBuffer> allocate(Index bytes) const override {
    return cpu_->allocate(bytes);
  }
  std::unique_ptr<global::Stopwatch> make_stopwatch(std::size_t marks) const override {
    return cpu_->make_stopwatch(marks);
  }
  void fill_with_zeros(std::byte* data, Index bytes) const override {
    cpu_->fill_with_zeros(data, bytes);
  }
  void upload(std::byte* data, const std::byte* host, Index bytes) const override {
    cpu_->upload(data, host, bytes);
  }
  std::unique_ptr<global::ChirpSteps> make_chirp_steps(
      const global::ChirpLine& line) const override {
    return cpu_->make_chirp_steps(line);
  }

 protected:
  std::shared_ptr<const RankDevice> cpu_ = global::cpu_device();
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

class UndoingDevice final : public CpuWithOtherStages {
 public:
  explicit UndoingDevice(std::shared_ptr<UndoneStage> undone) : undone_(std::move(undone)) {}

  std::unique_ptr<RunnableStage> make_stage(const StageProblem& problem,
                                            const StageOptions& options) const override {
    if (!all_lie_in(problem.targets, Memory::output)) return cpu_->make_stage(problem, options);
    undone_->problem = problem;
    return std::make_unique<LeftUndone>(undone_);
  }

 private:
  std::shared_ptr<UndoneStage> undone_;
};

/// Both stages and the function on one chunk of the boxes.
class FusedStage final : public RunnableStage {
 public:
  FusedStage(std::shared_ptr<const UndoneStage> undone, const BoxFunction& function,
             const StageProblem& next, const StageOptions& options)
      : undone_(std::move(undone)),
        function_(function),
        executor_(options.executor),
        element_bytes_(2 * real_bytes(next.precision)) {
    StageOptions alone = options;
    alone.executor = serial_executor();
    Index scratch = 0;
    for (const Box& box : next.in_boxes)
      if (!box.empty()) add_tiles(box, next, alone);
    for (const Tile& tile : tiles_) {
      buffer_bytes_ = std::max(buffer_bytes_, tile.box.count() * element_bytes_);
      scratch = std::max({scratch, tile.last.scratch_bytes(), tile.first.scratch_bytes()});
    }
    buffer_bytes_ = round_up(buffer_bytes_, 64) + 64;
    task_bytes_ = buffer_bytes_ + round_up(scratch, 64);
    tasks_ = static_cast<int>(std::clamp<Index>(static_cast<Index>(tiles_.size()), 1,
                                                std::max(1, executor_->concurrency())));
  }

  void run(const Bases& bases, std::byte* scratch) const override {
    const auto all = static_cast<Index>(tiles_.size());
    run_tasks(*executor_, tasks_, [&](int task) {
      for (Index i = all * task / tasks_; i < all * (task + 1) / tasks_; ++i)
        run_tile(tiles_[static_cast<std::size_t>(i)], bases, scratch + task * task_bytes_);
    });
  }
  Index scratch_bytes() const override { return tasks_ * task_bytes_; }
  double flops() const override {
    double sum = 0;
    for (const Tile& tile : tiles_) sum += tile.last.flops() + tile.first.flops();
    return sum;
  }

 private:
  struct Tile {
    Box box;
    StagePlan last, first;  // of the forward plan, of the backward plan
  };

  void run_tile(const Tile& tile, const Bases& bases, std::byte* scratch) const {
    Bases from = undone_->bases, to = bases;
    from[static_cast<std::size_t>(Memory::output)] = scratch;
    to[static_cast<std::size_t>(Memory::input)] = scratch;
    tile.last.run(from, scratch + buffer_bytes_);
    function_(tile.box, scratch);
    tile.first.run(to, scratch + buffer_bytes_);
  }

  /// Tiles are whole along the axes of both stages; of the others, fastest first, they have as much
  /// as half of the second cache holds.
  void add_tiles(const Box& box, const StageProblem& next, const StageOptions& options) {
    const auto is_whole = [&](int d) {
      return contains(next.axes, d) || contains(undone_->problem.axes, d);
    };
    Index bytes = element_bytes_;
    for (int d = 0; d < box.ndim; ++d)
      if (is_whole(d)) bytes *= box.extent(d);
    const auto most =
        std::max<Index>(static_cast<Index>(this_machine().cache_bytes(2)) / 2, 128 * 1024);
    Box tile = box;
    for (int d = box.ndim - 1; d >= 0; --d) {
      if (is_whole(d)) continue;
      const Index least = d == box.ndim - 1 ? std::min<Index>(16, box.extent(d)) : 1;
      const Index extent = std::clamp<Index>(most / bytes, least, box.extent(d));
      tile.end[at(d)] = tile.begin[at(d)] + extent;
      bytes *= extent;
    }
    Box next_box = tile;
    for (int d = 0; d >= 0;) {
      add_tile(intersect(next_box, box), next, options);
      for (d = box.ndim - 1; d >= 0; --d) {
        next_box.begin[at(d)] += tile.extent(d);
        next_box.end[at(d)] += tile.extent(d);
        if (next_box.begin[at(d)] < box.end[at(d)]) break;
        next_box.begin[at(d)] = tile.begin[at(d)];
        next_box.end[at(d)] = tile.end[at(d)];
      }
    }
  }

  void add_tile(const Box& tile, const StageProblem& next, const StageOptions& options) {
    const auto dense = [&](Memory memory) {
      return Piece{.box = tile, .memory = memory, .strides = reshape::dense_strides(tile)};
    };
    StageProblem last = undone_->problem, first = next;
    last.in_boxes = first.in_boxes = {tile};
    last.targets = {dense(Memory::output)};
    first.sources = {dense(Memory::input)};
    tiles_.push_back({tile, StagePlan(last, options), StagePlan(first, options)});
  }

  std::shared_ptr<const UndoneStage> undone_;
  const BoxFunction& function_;
  std::shared_ptr<const Executor> executor_;
  Index element_bytes_;
  std::vector<Tile> tiles_;
  Index buffer_bytes_ = 0, task_bytes_ = 0;
  int tasks_ = 1;
};

class FusingDevice final : public CpuWithOtherStages {
 public:
  FusingDevice(std::shared_ptr<const UndoneStage> undone, BoxFunction function)
      : undone_(std::move(undone)), function_(std::move(function)) {}

  bool stages_may_throw() const override { return true; }
  std::unique_ptr<RunnableStage> make_stage(const StageProblem& problem,
                                            const StageOptions& options) const override {
    if (!all_lie_in(problem.sources, Memory::input)) return cpu_->make_stage(problem, options);
    return std::make_unique<FusedStage>(undone_, function_, problem, options);
  }

 private:
  std::shared_ptr<const UndoneStage> undone_;
  BoxFunction function_;
};

}  // namespace

std::shared_ptr<const RankDevice> undoing_device(std::shared_ptr<UndoneStage> undone) {
  return std::make_shared<UndoingDevice>(std::move(undone));
}
std::shared_ptr<const RankDevice> fusing_device(std::shared_ptr<const UndoneStage> undone,
                                                BoxFunction function) {
  return std::make_shared<FusingDevice>(std::move(undone), std::move(function));
}

}  // namespace weft::spectral
