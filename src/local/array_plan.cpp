// SPDX-License-Identifier: BSD-3-Clause
#include "local/array_plan.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::local {

template <class Real>
ArrayPlan<Real>::ArrayPlan(const ArrayRecipe& recipe, const ArrayProblem& problem,
                           std::shared_ptr<const Executor> executor)
    : stored_bytes_(problem.precision == Precision::f16 ? 2 : Index{sizeof(Real)}),
      tasks_(std::max(1, executor->concurrency())),
      executor_(std::move(executor)),
      temporary_reals_(temporary_reals(problem)) {
  std::size_t next = 0;
  for (const TileTask& tile : cut_into_tiles(problem, recipe.tile_bytes)) {
    const LoopIndex outer(tile.outer);
    // With too few tiles for all threads, the threads share the work within each tile instead.
    const bool fused = !tile.outer.empty() && outer.count() >= tasks_;
    Step step{tile.outer, outer, LoopIndex(tile.outer_middle), fused, {}};
    for (const AxisTask& task : tile.axes) {
      if (next >= recipe.axes.size())
        throw Error(ErrorCode::internal, "recipe '" + to_text(recipe) + "' has too few axes");
      step.axes.push_back(
          {task.from, task.to,
           make_axis_engine<Real>(recipe.axes[next++], task.problem, fused ? 1 : tasks_)});
      task_reals_ = std::max(task_reals_, step.axes.back().engine->task_reals());
      shared_reals_ = std::max(shared_reals_, step.axes.back().engine->shared_reals());
    }
    steps_.push_back(std::move(step));
  }
  constexpr Index page = 4096 / Index{sizeof(Real)};
  // An odd number of cache lines between tasks keeps their scratch out of each other's cache sets.
  task_reals_ = round_up(task_reals_, page) + 64 / Index{sizeof(Real)};
  shared_reals_ = round_up(shared_reals_, page);
}

template <class Real>
std::size_t ArrayPlan<Real>::workspace_bytes() const {
  const Index stored = round_up(temporary_reals_ * stored_bytes_, 4096);
  return static_cast<std::size_t>(stored +
                                  (tasks_ * task_reals_ + shared_reals_) * Index{sizeof(Real)});
}

template <class Real>
const char* ArrayPlan<Real>::source(const Memory& memory, const Axis& axis,
                                    LoopIndex::Offsets outer, LoopIndex::Offsets middle) const {
  if (axis.from == Place::input) return memory.in + outer.in * stored_bytes_;
  return (axis.from == Place::output ? memory.out : memory.temporary) + middle.in * stored_bytes_;
}

template <class Real>
char* ArrayPlan<Real>::target(const Memory& memory, const Axis& axis, LoopIndex::Offsets outer,
                              LoopIndex::Offsets middle) const {
  if (axis.to == Place::output) return memory.out + outer.out * stored_bytes_;
  return memory.temporary + middle.out * stored_bytes_;
}

/// Every task takes its share of the tiles through all axes.
template <class Real>
void ArrayPlan<Real>::run_tiles(const Step& step, const Memory& memory) const {
  const Index count = step.outer.count();
  const int tasks = static_cast<int>(std::min<Index>(tasks_, count));
  const auto body = [&](int task) {
    const Scratch<Real> scratch{memory.scratch + task * task_reals_, nullptr};
    for (Index tile = count * task / tasks; tile < count * (task + 1) / tasks; ++tile)
      for (const Axis& axis : step.axes)
        axis.engine->run_all(source(memory, axis, step.outer(tile), step.outer_middle(tile)),
                             target(memory, axis, step.outer(tile), step.outer_middle(tile)),
                             scratch);
  };
  if (tasks == 1)
    body(0);
  else
    executor_->run(tasks, body);
}

template <class Real>
void ArrayPlan<Real>::execute(const void* in, void* out, void* workspace) const {
  char* base = static_cast<char*>(workspace);
  Real* scratch = reinterpret_cast<Real*>(base + round_up(temporary_reals_ * stored_bytes_, 4096));
  const Memory memory{static_cast<const char*>(in), static_cast<char*>(out), base,
                      scratch + shared_reals_, scratch};
  for (const Step& step : steps_) {
    if (step.fused) {
      run_tiles(step, memory);
      continue;
    }
    for (Index tile = 0; tile < step.outer.count(); ++tile)
      for (const Axis& axis : step.axes)
        run_axis(axis, memory, step.outer(tile), step.outer_middle(tile));
  }
}

/// All threads work on one axis of one tile together, phase by phase.
template <class Real>
void ArrayPlan<Real>::run_axis(const Axis& axis, const Memory& memory, LoopIndex::Offsets outer,
                               LoopIndex::Offsets middle) const {
  const void* in = source(memory, axis, outer, middle);
  void* out = target(memory, axis, outer, middle);
  for (int phase = 0; phase < axis.engine->phases(); ++phase) {
    const Index units = axis.engine->units(phase);
    const int tasks = static_cast<int>(std::min<Index>(tasks_, units));
    const auto body = [&](int task) {
      axis.engine->run(phase, units * task / tasks, units * (task + 1) / tasks, in, out,
                       {memory.scratch + task * task_reals_, memory.shared});
    };
    if (tasks == 1)
      body(0);
    else if (tasks > 1)
      executor_->run(tasks, body);
  }
}

template class ArrayPlan<float>;
template class ArrayPlan<double>;

}  // namespace weft::local
