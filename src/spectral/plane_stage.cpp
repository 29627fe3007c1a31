// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/plane_stage.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/names.hpp"
#include "local/array/array_report.hpp"
#include "spectral/plane_sweep.hpp"
#include "spectral/run_tasks.hpp"

namespace weft::spectral {
namespace {

using global::StageOptions;
using global::StageProblem;
using reshape::Bases;
using reshape::Piece;

template <class Real>
class PlaneStage final : public global::RunnableStage {
 public:
  PlaneStage(PlaneSweep<Real> planes, const Piece& from, const Piece& to, double flops,
             std::shared_ptr<const Executor> executor)
      : planes_(std::move(planes)),
        from_(from),
        to_(to),
        flops_(flops),
        executor_(std::move(executor)),
        tasks_(static_cast<int>(
            std::min<Index>(std::max(1, executor_->concurrency()), planes_.planes()))),
        task_bytes_(static_cast<Index>(up_to_line(planes_.scratch_bytes()) + 64)) {}

  void run(const Bases& bases, std::byte* scratch) const override {
    const std::byte* in = from_.data(bases);
    std::byte* out = to_.data(bases);
    const Index all = planes_.planes();
    run_tasks(*executor_, tasks_, [&](int task) {
      auto* own = reinterpret_cast<char*>(scratch + task * task_bytes_);
      for (Index plane = all * task / tasks_; plane < all * (task + 1) / tasks_; ++plane)
        planes_.run(plane, in, out, own);
    });
  }
  Index scratch_bytes() const override { return tasks_ * task_bytes_; }
  double flops() const override { return flops_; }

 private:
  PlaneSweep<Real> planes_;
  Piece from_, to_;
  double flops_;
  std::shared_ptr<const Executor> executor_;
  int tasks_;
  Index task_bytes_;
};

/// The operator whose planes these are: of the box of this rank.
OperatorProblem problem_of(const StageProblem& stage, const Box& box) {
  OperatorProblem problem;
  const bool is_real = stage.kind != Kind::c2c;
  std::vector<Index> points = box.extents();
  for (int axis : stage.axes) points[at(axis)] = stage.dimension(axis).n;
  problem.forward = is_real ? r2c(points) : c2c(points);
  problem.forward.axes = stage.axes;
  problem.forward.precision = stage.precision;
  problem.forward.input_extents = problem.forward.output_extents = points;
  problem.spectrum = points;
  if (is_real) {
    Index& halved = problem.spectrum[at(stage.axes.back())];
    halved = halved / 2 + 1;
  }
  return problem;
}

template <class Real>
std::unique_ptr<global::RunnableStage> make(const StageProblem& stage, const Piece& from,
                                            const Piece& to, const OperatorChoice& choice) {
  const OperatorProblem problem = problem_of(stage, from.box);
  const auto ndim = static_cast<std::size_t>(from.box.ndim);
  const PlaneSide source{{from.strides.begin(), from.strides.begin() + ndim},
                         stage.kind == Kind::r2c ? 1 : 2},
      target{{to.strides.begin(), to.strides.begin() + ndim}, stage.kind == Kind::c2r ? 1 : 2};
  const problem::ArrayProblem array =
      array_problem(part_of(problem, stage.axes, from.box.extents(), stage.direction),
                    source.strides, target.strides, stage.scale);
  const local::ArrayRecipe recipe = choose_recipe(array, choice);
  auto planes = PlaneSweep<Real>::make(problem, stage.axes, from.box.extents(), stage.direction,
                                       {source, target, stage.scale}, recipe, choice);
  if (!planes) return nullptr;
  const double flops = local::cost_of(recipe, array, 1).flops;
  return std::make_unique<PlaneStage<Real>>(*std::move(planes), from, to, flops, choice.executor);
}

}  // namespace

std::unique_ptr<global::RunnableStage> make_plane_stage(const StageProblem& stage,
                                                        const StageOptions& options,
                                                        bool use_wisdom) {
  const bool is_plain =
      (stage.kind == Kind::c2c || stage.kind == Kind::r2c || stage.kind == Kind::c2r) &&
      stage.twiddled < 0 && !options.reproducible && stage.axes.size() > 1 &&
      stage.in_boxes.size() == 1 && !stage.in_boxes[0].empty();
  if (!is_plain) return nullptr;
  const Box& box = stage.in_boxes[0];
  Box out = box;
  for (int axis : stage.axes) out.end[at(axis)] = out.begin[at(axis)] + stage.out_extent(axis);
  const auto sources =
      reshape::pieces_within(stage.sources, box, in_element_bytes(stage.kind, stage.precision));
  const auto targets =
      reshape::pieces_within(stage.targets, out, out_element_bytes(stage.kind, stage.precision));
  const auto is_one = [](const std::vector<Piece>& pieces, const Box& whole) {
    return pieces.size() == 1 && pieces[0].box == whole && !pieces[0].conjugate;
  };
  if (!is_one(sources, box) || !is_one(targets, out)) return nullptr;
  const OperatorChoice choice{.use_wisdom = use_wisdom, .executor = options.executor};
  return stage.precision == Precision::f64 ? make<double>(stage, sources[0], targets[0], choice)
                                           : make<float>(stage, sources[0], targets[0], choice);
}

}  // namespace weft::spectral
