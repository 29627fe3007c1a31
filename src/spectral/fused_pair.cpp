// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_pair.hpp"

#include <algorithm>

#include "api/boxes.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/choose/local_tuner.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"

namespace weft::spectral {
namespace {

/// A plan once more, over a device of ours.
struct PlanAgain {
  global::GlobalProblem problem;
  global::Recipe recipe;
  std::vector<reshape::Piece> input, output;

  /// Collective.
  PlanAgain(const Transform& transform, const DistributedPlan& plan, bool output_is_free,
            const Comm& comm) {
    agree(comm, [&] {
      static_cast<problem::ArrayProblem&>(problem) =
          problem::check_request(transform, {}, {}).problem;
      recipe = global::parse_recipe(plan.recipe());
    });
    problem.output_is_free = output_is_free;
    const auto check = [&](const LocalBoxes& boxes, reshape::Memory memory, Index bytes,
                           std::vector<reshape::Piece>& pieces,
                           reshape::ArrayDistribution& distribution) {
      api::CheckedBoxes checked = api::check_boxes(comm, boxes, memory, bytes);
      pieces = std::move(checked.pieces);
      distribution = std::move(checked.distribution);
    };
    check(plan.input_boxes(), reshape::Memory::input,
          in_element_bytes(problem.kind, problem.precision), input, problem.input);
    check(plan.output_boxes(), reshape::Memory::output,
          out_element_bytes(problem.kind, problem.precision), output, problem.output);
  }
  /// `middle` is its stage next to the function, which must begin and end with complex numbers.
  bool can_be_fused(const global::Stage& middle) const {
    return recipe.stages.size() > 1 && !recipe.is_matrix() &&
           !contains(middle.axes, problem.halved_axis());
  }

  /// Collective.
  std::unique_ptr<global::GlobalPlan> build(
      const Comm& comm, const DistributedOptions& options,
      std::shared_ptr<const global::RankDevice> device) const {
    global::BuildOptions build;
    agree(comm, [&] {
      build.stage.reproducible = options.reproducible;
      build.stage.tuner =
          std::make_shared<global::LocalTuner>(Effort::estimate, options.use_wisdom);
      build.stage.tuner->begin_plan();
      build.stage.executor = options.executor       ? options.executor
                             : options.threads == 1 ? serial_executor()
                                                    : openmp_executor(options.threads);
      build.device = std::move(device);
    });
    return global::make_plan(problem, recipe, input, output, comm, build);
  }
};

/// Whether the chunks of the first stage backward have whole lines along the axes of the last stage
/// forward: a pipelined exchange cuts any axis that its own stage does not transform.
bool chunks_are_whole(const global::Recipe& forward, const global::Recipe& backward) {
  return backward.chunks == 1 || std::ranges::all_of(forward.stages.back().axes, [&](int axis) {
           return contains(backward.stages.front().axes, axis);
         });
}

}  // namespace

std::unique_ptr<FusedPair> FusedPair::make(const Transform& forward, const Transform& backward,
                                           const DistributedPlan& there,
                                           const DistributedPlan& back, const Comm& comm,
                                           const DistributedOptions& options,
                                           BoxFunction function) {
  if (options.input_memory || options.output_memory || there.split()) return nullptr;
  const PlanAgain first(forward, there, true, comm), second(backward, back, false, comm);
  if (!first.can_be_fused(first.recipe.stages.back()) ||
      !second.can_be_fused(second.recipe.stages.front()) ||
      !chunks_are_whole(first.recipe, second.recipe))
    return nullptr;
  std::unique_ptr<FusedPair> pair;
  std::shared_ptr<UndoneStage> undone;
  std::shared_ptr<const global::RankDevice> undoing, fusing;
  agree(comm, [&] {
    pair = std::make_unique<FusedPair>();
    undone = std::make_shared<UndoneStage>();
    undoing = undoing_device(undone);
    fusing = fusing_device(undone, std::move(function));
  });
  pair->comm_ = comm.duplicate();
  // Each has a workspace of its own: the second reads what the first has received.
  pair->there_ = first.build(*pair->comm_, options, undoing);
  pair->back_ = second.build(*pair->comm_, options, fusing);
  return pair;
}

void FusedPair::execute(const void* in, void* modes, void* out, std::exception_ptr failure) {
  back_->workspace()->may_write(true);  // until then ranks may still read what the first shares
  there_->execute({in, modes, std::move(failure)});
  back_->execute({modes, out, nullptr});
}

Index FusedPair::workspace_bytes() const {
  return there_->workspace()->bytes() + back_->workspace()->bytes();
}

}  // namespace weft::spectral
