// SPDX-License-Identifier: BSD-3-Clause
// The function of a distributed operator on a GPU: a kernel over the modes of this rank, or within
// the pass that ends the forward transform and begins the backward one.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/index.hpp"
#include "gpu/choose/choose_operator.hpp"
#include "gpu/device/engine.hpp"
#include "gpu/device/mode_kernel.hpp"
#include "gpu/ranks/stage_sides.hpp"
#include "gpu/recipe/problem.hpp"
#include "spectral/fused_fields.hpp"
#include "spectral/fused_on_gpu.hpp"
#include "spectral/gpu_steps.hpp"
#include "spectral/numbers_on_device.hpp"
#include "spectral/rank_modes.hpp"

namespace weft::spectral {
namespace {

using global::RankDevice;
using global::RunnableStage;
using global::StageOptions;
using global::StageProblem;
using reshape::Bases;
using reshape::Memory;
using reshape::Piece;

constexpr Index alignment = 256;

/// What is the same for all boxes of a rank.
struct Work {
  const OperatorProblem& problem;
  const gpu::GpuDevice& gpu;
  std::shared_ptr<const RankDevice> device;  ///< the same, with this rank's stream
  gpu::Stream stream;
  ModeFunctionOnGpu function;
  NumbersOnDevice numbers;  ///< where boxes have none of their own

  Index element_bytes() const { return 2 * real_bytes(problem.forward.precision); }
  /// Whether every rank copies to its GPU what its own modes need.
  bool has_numbers_by_box() const { return function.numbers.on_host != nullptr; }
};

/// The modes of a box, and the numbers that the function reads there.
class ModesOfBox {
 public:
  ModesOfBox(const Work& work, const Box& box) : grid_(part_of(mode_grid(work.problem), box)) {
    data_ = work.numbers.data();
    if (!work.has_numbers_by_box()) return;
    grid_.has_own_numbers = true;
    own_ = NumbersOnDevice(
        numbers_of_box(work.function.numbers, work.problem.spectrum, box, work.element_bytes()),
        work.gpu);
    data_ = own_.data();
  }
  const gpu::ModeGrid& grid() const { return grid_; }
  const void* numbers() const { return data_; }

 private:
  gpu::ModeGrid grid_;
  NumbersOnDevice own_;
  const void* data_ = nullptr;
};

class KernelOfBox {
 public:
  KernelOfBox(const Work& work, const Box& box)
      : modes_(work, box),
        kernel_(modes_.grid(), work.function.text, work.problem.forward.precision, work.gpu),
        fields_(work.problem.fields()) {}
  /// Field f begins `distance` bytes after the one before it.
  void run(std::byte* first, Index distance, gpu::Stream stream) const {
    gpu::ModeKernel::Fields fields{};
    for (int f = 0; f < fields_; ++f) fields[at(f)] = first + f * distance;
    kernel_.run(fields, modes_.numbers(), stream);
  }

 private:
  ModesOfBox modes_;
  gpu::ModeKernel kernel_;
  int fields_;
};

Piece dense(const Box& box, Memory memory) {
  return {.box = box, .memory = memory, .strides = reshape::dense_strides(box)};
}

/// The stage for one box, which it reads from `sources` and writes to `targets`.
StageProblem stage_of(const StageProblem& problem, const Box& box, std::vector<Piece> sources,
                      std::vector<Piece> targets) {
  StageProblem stage = problem;
  stage.in_boxes = {box};
  stage.sources = std::move(sources);
  stage.targets = std::move(targets);
  return stage;
}
/// The same without its transforms.
StageProblem copy_of(StageProblem stage) {
  stage.axes.clear();
  stage.order.clear();
  return stage;
}

bool is_same_place(const gpu::Side& a, const gpu::Side& b, const Box& box) {
  for (int d = 0; d < box.ndim; ++d)
    if (box.extent(d) > 1 && a.first.strides[at(d)] != b.first.strides[at(d)]) return false;
  return a.axis == b.axis && a.blocks == b.blocks;
}

/// Both stages and the function on one box of one field, as one pass that turns around.
class TurnedBox {
 public:
  /// Null where no pass can be turned around.
  static std::unique_ptr<TurnedBox> make(const Work& work, const Box& box, const StageProblem& last,
                                         const StageProblem& next, const StageOptions& options) {
    std::vector<int> there = last.axes, back = next.axes;
    std::ranges::sort(there);
    std::ranges::sort(back);
    if (work.problem.fields() > 1 || there.empty() || there != back) return nullptr;
    const Index bytes = work.element_bytes();
    const auto sources = reshape::pieces_within(last.sources, box, bytes);
    const auto targets = reshape::pieces_within(next.targets, box, bytes);
    const auto in = gpu::side_of(sources, box, bytes), out = gpu::side_of(targets, box, bytes);
    auto turned = std::make_unique<TurnedBox>(work, box);
    turned->scale_ = last.scale * next.scale;
    // Where data arrive and leave in the same order, packing costs no pass.
    if (in && out && is_same_place(*in, *out, box) && turned->build(last, *in)) {
      turned->from_ = in->first;
      turned->to_ = out->first;
      return turned;
    }
    const gpu::Side middle{.first = dense(box, Memory::output)};
    if (!turned->build(last, middle)) return nullptr;
    turned->gather_ =
        work.device->make_stage(copy_of(stage_of(last, box, sources, {middle.first})), options);
    turned->scatter_ = work.device->make_stage(
        copy_of(stage_of(next, box, {dense(box, Memory::input)}, targets)), options);
    return turned;
  }

  TurnedBox(const Work& work, const Box& box) : work_(work), box_(box), modes_(work, box) {}

  void run(const Bases& from, const Bases& to, std::byte* modes, std::byte* scratch) const {
    if (gather_) gather_->run(from, scratch);
    {
      const gpu::UseDevice use(work_.gpu);
      const void* const in[] = {gather_ ? modes : from_.data(from)};
      void* const out[] = {scatter_ ? modes : to_.data(to)};
      engine_->run({.in = in,
                    .out = out,
                    .workspace = scratch,
                    .numbers = modes_.numbers(),
                    .scale = scale_,
                    .stream = work_.stream});
    }
    if (scatter_) scatter_->run(to, scratch);
  }
  bool is_dense() const { return gather_ != nullptr; }
  Index scratch_bytes() const { return static_cast<Index>(engine_->workspace_bytes()); }
  double flops() const { return flops_; }

 private:
  /// The engine for a box that lies so on both sides.
  bool build(const StageProblem& stage, const gpu::Side& side) {
    gpu::ArrayProblem array = stage;
    const reshape::Strides out = reshape::dense_strides(box_);
    for (int d = 0; d < box_.ndim; ++d)
      array.dimensions[at(d)] = {box_.extent(d), 2 * side.first.strides[at(d)], 2 * out[at(d)]};
    if (side.axis >= 0)
      array.dimensions[at(side.axis)].in_blocks = {side.blocks.length, 2 * side.blocks.jump};
    if (!gpu::has_gpu_form(array)) return false;
    const auto choice =
        gpu::choose_operator({array, modes_.grid(), work_.function.text, modes_.numbers()},
                             work_.gpu, {.device = work_.gpu.number, .use_wisdom = false});
    // Between passes the array lies dense, for which buffers in blocks have no room.
    if (!choice || (side.axis >= 0 && choice->recipe.passes() > 1)) return false;
    engine_ = std::make_unique<gpu::OperatorEngine>(choice->recipe, modes_.grid(),
                                                    work_.function.text, work_.gpu);
    flops_ = 0;
    for (const int axis : stage.axes)
      flops_ += 10 * static_cast<double>(box_.count()) *
                std::log2(std::max(1.0, static_cast<double>(box_.extent(axis))));
    return true;
  }

  const Work& work_;
  Box box_;
  ModesOfBox modes_;
  double scale_ = 1, flops_ = 0;
  Piece from_, to_;
  std::unique_ptr<gpu::OperatorEngine> engine_;
  std::unique_ptr<RunnableStage> gather_, scatter_;  ///< none where the pass does it
};

/// The last stage forward, a kernel, and the first stage backward on one box of all fields.
class StepsOfBox {
 public:
  StepsOfBox(const Work& work, const Box& box, const StageProblem& last, const StageProblem& next,
             const StageOptions& options)
      : work_(work), distance_(box.count() * work.element_bytes()), kernel_(work, box) {
    const Box in = of_all_fields(box, work.problem.inputs),
              out = of_all_fields(box, work.problem.outputs);
    last_ = work.device->make_stage(stage_of(last, in, last.sources, {dense(in, Memory::output)}),
                                    options);
    first_ = work.device->make_stage(stage_of(next, out, {dense(out, Memory::input)}, next.targets),
                                     options);
  }
  void run(const Bases& from, const Bases& to, std::byte* modes, std::byte* scratch) const {
    last_->run(from, scratch);
    {
      const gpu::UseDevice use(work_.gpu);
      kernel_.run(modes, distance_, work_.stream);
    }
    first_->run(to, scratch);
  }
  Index scratch_bytes() const { return std::max(last_->scratch_bytes(), first_->scratch_bytes()); }
  double flops() const { return last_->flops() + first_->flops(); }
  int copied_sides() const { return last_->copied_sides() + first_->copied_sides(); }

 private:
  const Work& work_;
  Index distance_;
  KernelOfBox kernel_;
  std::unique_ptr<RunnableStage> last_, first_;
};

class MiddleOnGpu final : public RunnableStage {
 public:
  MiddleOnGpu(const Work& work, std::shared_ptr<const UndoneStage> undone, const StageProblem& next,
              const StageOptions& options)
      : undone_(std::move(undone)) {
    for (const Box& each : next.in_boxes) {
      if (each.empty()) continue;
      const Box box = of_one_field(each, work.problem.outputs);
      Part part;
      part.turned = TurnedBox::make(work, box, undone_->problem, next, options);
      if (!part.turned)
        part.steps = std::make_unique<StepsOfBox>(work, box, undone_->problem, next, options);
      if (!part.turned || part.turned->is_dense())
        part.modes_bytes =
            round_up(box.count() * work.element_bytes() * work.problem.fields(), alignment);
      parts_.push_back(std::move(part));
    }
  }

  void run(const Bases& bases, std::byte* scratch) const override {
    Bases from = undone_->bases, to = bases;
    from[static_cast<std::size_t>(Memory::output)] = scratch;
    to[static_cast<std::size_t>(Memory::input)] = scratch;
    for (const Part& part : parts_)
      part.visit(
          [&](const auto& each) { each.run(from, to, scratch, scratch + part.modes_bytes); });
  }
  Index scratch_bytes() const override {
    Index most = 0;
    for (const Part& part : parts_)
      part.visit([&](const auto& each) {
        most = std::max(most, part.modes_bytes + each.scratch_bytes());
      });
    return most;
  }
  double flops() const override {
    double sum = 0;
    for (const Part& part : parts_) part.visit([&](const auto& each) { sum += each.flops(); });
    return sum;
  }
  int copied_sides() const override {
    int sum = 0;
    for (const Part& part : parts_)
      sum += part.steps ? part.steps->copied_sides() : part.turned->is_dense() ? 2 : 0;
    return sum;
  }
  bool is_turned() const {
    return std::ranges::all_of(parts_, [](const Part& part) { return part.turned != nullptr; });
  }

 private:
  struct Part {
    std::unique_ptr<TurnedBox> turned;  ///< one of both
    std::unique_ptr<StepsOfBox> steps;
    Index modes_bytes = 0;

    template <class Visit>
    void visit(const Visit& visitor) const {
      if (turned)
        visitor(*turned);
      else
        visitor(*steps);
    }
  };

  std::shared_ptr<const UndoneStage> undone_;
  std::vector<Part> parts_;
};

/// The one piece of a rank, if it lies without gaps where the pointer points.
std::optional<Box> whole_box(const LocalBoxes& boxes, Memory memory, Index element_bytes) {
  const auto pieces = reshape::pieces_of(boxes, memory, element_bytes);
  if (pieces.size() != 1 || pieces[0].offset != 0) return std::nullopt;
  const Box& box = pieces[0].box;
  for (int d = 0; d < box.ndim; ++d)
    if (box.extent(d) > 1 && pieces[0].strides[at(d)] != reshape::dense_strides(box)[at(d)])
      return std::nullopt;
  return box;
}

/// An operator on a box that is whole along all axes: as on one GPU.
class WholeOnGpu {
 public:
  /// Null where no pass can be turned around.
  static std::unique_ptr<WholeOnGpu> make(const Work& work, const Box& box) {
    OperatorProblem problem = work.problem;
    problem.forward.shape = box.extents();
    const problem::ArrayProblem forward = forward_problem(problem);
    Box modes = box;
    for (int d = 0; d < box.ndim; ++d)
      if (forward.halved_axis() == d) modes.end[at(d)] = forward.out_extent(d);
    auto whole = std::make_unique<WholeOnGpu>(work, modes);
    const auto choice = gpu::choose_operator(
        {forward, whole->modes_.grid(), work.function.text, whole->modes_.numbers()}, work.gpu,
        {.device = work.gpu.number, .use_wisdom = false});
    if (!choice) return nullptr;
    whole->operator_ = std::make_unique<FusedOnGpu>(
        choice->forward, choice->recipe, whole->modes_.grid(), work.function.text, work.gpu);
    const gpu::UseDevice use(work.gpu);
    if (whole->operator_->workspace_bytes() > 0)
      whole->workspace_ = gpu::DeviceMemory(whole->operator_->workspace_bytes());
    return whole;
  }
  WholeOnGpu(const Work& work, const Box& modes) : work_(work), modes_(work, modes) {}

  void run(const void* in, void* out) const {
    const gpu::UseDevice use(work_.gpu);
    const void* const inputs[] = {in};
    void* const outputs[] = {out};
    operator_->run(inputs, outputs, modes_.numbers(), workspace_.data(), work_.stream);
  }
  Index bytes() const { return static_cast<Index>(workspace_.bytes()); }

 private:
  const Work& work_;
  ModesOfBox modes_;
  std::unique_ptr<FusedOnGpu> operator_;
  gpu::DeviceMemory workspace_;
};

class ModesOnGpu final : public RankModes {
 public:
  ModesOnGpu(const OperatorProblem& problem, const ModeFunction& function, const Device& choice,
             std::shared_ptr<const RankDevice> device)
      : work_{problem,
              gpu::device(choice.number),
              std::move(device),
              choice.stream,
              mode_function_on_gpu(function, problem),
              {}} {
    if (!work_.has_numbers_by_box())
      work_.numbers = NumbersOnDevice(work_.function.numbers, work_.gpu);
  }

  void store(const LocalBoxes& boxes, Index count) override {
    boxes_.clear();
    for (const Piece& piece : reshape::pieces_of(boxes, Memory::input, work_.element_bytes()))
      boxes_.push_back({piece.offset, std::make_unique<KernelOfBox>(work_, piece.box)});
    distance_ = round_up(count * work_.element_bytes(), alignment);
    const gpu::UseDevice use(work_.gpu);
    memory_ = gpu::DeviceMemory(static_cast<std::size_t>(distance_ * work_.problem.fields()));
  }
  void* field(int f) const override {
    return static_cast<std::byte*>(memory_.data()) + f * distance_;
  }
  Index bytes() const override {
    return static_cast<Index>(memory_.bytes()) + (whole_ ? whole_->bytes() : 0);
  }
  void run() const override {
    const gpu::UseDevice use(work_.gpu);
    for (const auto& [offset, kernel] : boxes_)
      kernel->run(static_cast<std::byte*>(memory_.data()) + offset, distance_, work_.stream);
  }

  std::unique_ptr<RunnableStage> fused_stage(std::shared_ptr<const UndoneStage> undone,
                                             const StageProblem& next,
                                             const StageOptions& options) override {
    auto stage = std::make_unique<MiddleOnGpu>(work_, std::move(undone), next, options);
    is_turned_ = stage->is_turned();
    return stage;
  }
  bool is_one_pass() const override { return is_turned_; }
  bool take_whole(const LocalBoxes& input, const LocalBoxes& output) override {
    if (work_.problem.fields() > 1) return false;
    const Index bytes =
        in_element_bytes(work_.problem.forward.kind, work_.problem.forward.precision);
    if (input.empty() && output.empty()) return true;
    const auto in = whole_box(input, Memory::input, bytes),
               out = whole_box(output, Memory::output, bytes);
    if (!in || in != out) return false;
    try {
      whole_ = WholeOnGpu::make(work_, *in);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
    }
    return whole_ != nullptr;
  }
  void run_whole(const void* in, void* out) const override {
    if (whole_) whole_->run(in, out);
  }
  bool fit(Index, Index) const override { return true; }

 private:
  Work work_;
  struct StoredBox {
    Index offset;  ///< bytes from the beginning of a field
    std::unique_ptr<KernelOfBox> kernel;
  };
  std::vector<StoredBox> boxes_;
  std::unique_ptr<WholeOnGpu> whole_;
  Index distance_ = 0;
  gpu::DeviceMemory memory_;
  bool is_turned_ = true;
};

}  // namespace

std::unique_ptr<RankModes> modes_on_gpu(const OperatorProblem& problem,
                                        const ModeFunction& function, const Device& choice,
                                        std::shared_ptr<const RankDevice> device) {
  return std::make_unique<ModesOnGpu>(problem, function, choice, std::move(device));
}

}  // namespace weft::spectral
