// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_pair.hpp"

#include <algorithm>

#include "api/boxes.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/choose/local_tuner.hpp"
#include "global/recipe/placement.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"

namespace weft::spectral {
namespace {

/// Its stage next to the function must begin and end with complex numbers.
bool is_complex_at(const PlanAgain& plan, const global::Stage& middle) {
  return plan.recipe.stages.size() > 1 && !plan.recipe.is_matrix() &&
         (plan.transform.kind == Kind::c2c || !contains(middle.axes, plan.transform.axes.back()));
}

/// Whether the chunks of the first stage backward have whole lines along the axes of the last stage
/// forward, and all fields: a pipelined exchange cuts any axis that its own stage does not
/// transform.
bool chunks_are_whole(const PlanAgain& there, const PlanAgain& back) {
  if (there.fields > 1 || back.fields > 1)
    return there.recipe.chunks == 1 && back.recipe.chunks == 1;
  return back.recipe.chunks == 1 ||
         std::ranges::all_of(there.recipe.stages.back().axes, [&](int axis) {
           return contains(back.recipe.stages.front().axes, axis);
         });
}

/// What a plan is built from, alike on all ranks but for the pieces.
struct Blueprint {
  global::GlobalProblem problem;
  global::Recipe recipe;
  std::vector<reshape::Piece> input, output;
};

/// Collective.
Blueprint blueprint_of(const PlanAgain& plan, const Comm& comm) {
  Blueprint blueprint;
  agree(comm, [&] {
    static_cast<problem::ArrayProblem&>(blueprint.problem) =
        problem::check_request(of_all_fields(plan.transform, plan.fields), {}, {}).problem;
    blueprint.problem.output_is_free = plan.output_is_free;
    blueprint.recipe = of_all_fields(plan.recipe, plan.fields);
  });
  const global::GlobalProblem& problem = blueprint.problem;
  const auto check = [&](const LocalBoxes& boxes, reshape::Memory memory, Index bytes,
                         std::vector<reshape::Piece>& pieces) {
    const api::CheckedBoxes checked = api::check_boxes(comm, boxes, memory, bytes);
    reshape::ArrayDistribution distribution;
    agree(comm, [&] {
      pieces = of_all_fields(checked.pieces, plan.fields);
      distribution = of_all_fields(checked.distribution, plan.fields);
    });
    return distribution;
  };
  blueprint.problem.input =
      check(plan.input, reshape::Memory::input, in_element_bytes(problem.kind, problem.precision),
            blueprint.input);
  blueprint.problem.output =
      check(plan.output, reshape::Memory::output,
            out_element_bytes(problem.kind, problem.precision), blueprint.output);
  return blueprint;
}

/// Whether the array waits before the last stage of one plan where it waits after the first of the
/// other, in memory that all ranks share, and the same rank has each box: the middle may then
/// overwrite what it reads.
bool stay_in_place(const Blueprint& there, const Blueprint& back, const Comm& comm) {
  if (there.recipe.exchange != global::ExchangeKind::shared ||
      back.recipe.exchange != global::ExchangeKind::shared)
    return false;
  const std::vector<int> nodes(static_cast<std::size_t>(comm.size()), 0);
  const global::Placement first = place(there.problem, there.recipe, nodes, comm.rank()),
                          second = place(back.problem, back.recipe, nodes, comm.rank());
  if (first.arrays.back().size() != 1 || first.arrays.back() != second.arrays.front()) return false;
  return global::same_boxes(first.exchanges.back().to, second.exchanges.front().from);
}

/// Collective.
std::unique_ptr<global::GlobalPlan> build(const Blueprint& plan, const Comm& comm,
                                          const DistributedOptions& options,
                                          std::shared_ptr<const global::RankDevice> device,
                                          std::shared_ptr<global::Workspace> workspace) {
  global::BuildOptions build;
  agree(comm, [&] {
    build.stage.reproducible = options.reproducible;
    build.stage.tuner = std::make_shared<global::LocalTuner>(Effort::estimate, options.use_wisdom);
    build.stage.tuner->begin_plan();
    build.stage.executor = options.executor       ? options.executor
                           : options.threads == 1 ? serial_executor()
                                                  : openmp_executor(options.threads);
    build.device = std::move(device);
    build.workspace = std::move(workspace);
  });
  return global::make_plan(plan.problem, plan.recipe, plan.input, plan.output, comm, build);
}

}  // namespace

PlanAgain::PlanAgain(const Transform& of, const DistributedPlan& plan, bool is_free, int count)
    : transform(of),
      recipe(global::parse_recipe(plan.recipe())),
      input(plan.input_boxes()),
      output(plan.output_boxes()),
      output_is_free(is_free),
      fields(count) {}

bool can_be_fused(const PlanAgain& there, const PlanAgain& back) {
  const bool has_room = (there.fields == 1 && back.fields == 1) ||
                        there.transform.shape.size() < static_cast<std::size_t>(max_box_ndim);
  return has_room && is_complex_at(there, there.recipe.stages.back()) &&
         is_complex_at(back, back.recipe.stages.front()) && chunks_are_whole(there, back);
}

TileModes tile_modes(const PlanAgain& there, const PlanAgain& back,
                     const std::vector<Index>& spectrum) {
  TileModes modes;
  const int last = static_cast<int>(spectrum.size()) - 1;
  for (int d = 0; d <= last; ++d)
    if (contains(there.recipe.stages.back().axes, d) ||
        contains(back.recipe.stages.front().axes, d))
      modes.whole *= spectrum[at(d)];
    else if (d == last)
      modes.row = spectrum[at(d)];
  return modes;
}

std::unique_ptr<FusedPair> FusedPair::make(const PlanAgain& there, const PlanAgain& back,
                                           const Comm& comm, const DistributedOptions& options,
                                           const std::shared_ptr<const global::RankDevice>& device,
                                           RankModes& modes) {
  std::unique_ptr<FusedPair> pair;
  std::shared_ptr<const global::RankDevice> undoing, fusing;
  const Blueprint first = blueprint_of(there, comm), second = blueprint_of(back, comm);
  // One for both plans where the array stays in place. Else the second has its own: it reads what
  // the first has received.
  std::shared_ptr<global::Workspace> workspace;
  agree(comm, [&] {
    pair = std::make_unique<FusedPair>();
    pair->in_ = std::make_shared<FieldArrays>();
    pair->out_ = std::make_shared<FieldArrays>();
    const bool is_on_cpu = options.device.type == Device::Type::cpu;
    const PairWork work{.device = device,
                        .inputs = there.fields,
                        .outputs = back.fields,
                        .in = pair->in_,
                        .out = pair->out_,
                        .undone = std::make_shared<UndoneStage>(),
                        .takes_planes = is_on_cpu && there.fields == 1 && back.fields == 1,
                        .use_wisdom = options.use_wisdom};
    if (is_on_cpu && stay_in_place(first, second, comm)) {
      workspace = std::make_shared<global::Workspace>(device, comm.rank(), comm.size());
      work.undone->stays_in_place = true;
    }
    undoing = undoing_device(work);
    fusing = fusing_device(work, modes);
  });
  pair->comm_ = comm.duplicate();
  pair->there_ = build(first, *pair->comm_, options, undoing, workspace);
  pair->back_ = build(second, *pair->comm_, options, fusing, workspace);
  return pair;
}

void FusedPair::execute(std::span<const void* const> in, std::span<void* const> out,
                        std::exception_ptr failure) {
  for (std::size_t f = 0; f < in.size(); ++f)
    (*in_)[f] = static_cast<std::byte*>(const_cast<void*>(in[f]));
  for (std::size_t f = 0; f < out.size(); ++f) (*out_)[f] = static_cast<std::byte*>(out[f]);
  // Ranks may still read what the first shares, until they have ended the second.
  back_->workspace()->may_write(true);
  if (there_->workspace()->node() && !back_->workspace()->node()) comm_->barrier();
  // A rank on which the first fails takes part in the second: others may not have heard of it.
  const auto attempt = [&](global::GlobalPlan& plan, const void* from, void* to) {
    try {
      plan.execute({from, to, failure});
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  attempt(*there_, (*in_)[0], nullptr);
  attempt(*back_, nullptr, (*out_)[0]);
  if (failure) std::rethrow_exception(failure);
}

Index FusedPair::workspace_bytes() const {
  const bool is_one = there_->workspace() == back_->workspace();
  return there_->workspace()->bytes() + (is_one ? 0 : back_->workspace()->bytes());
}

}  // namespace weft::spectral
