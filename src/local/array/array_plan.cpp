// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/array_plan.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/memory.hpp"
#include "local/array/plan_memory.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

/// w^(k1 j2): a row of n1 for each j2.
template <class Real>
Buffer<Real> make_factors(const SplitTwiddles& twiddles, Direction direction) {
  Buffer<Real> factors(2 * twiddles.rows * twiddles.columns);
  const RootPowers<long double> roots(twiddles.rows * twiddles.columns, direction);
  Real* to = factors.data();
  for (Index column = 0; column < twiddles.columns; ++column)
    for (Index row = 0; row < twiddles.rows; ++row, to += 2) {
      const auto w = roots(row * column);
      to[0] = static_cast<Real>(w.real());
      to[1] = static_cast<Real>(w.imag());
    }
  return factors;
}

}  // namespace

template <class Real>
ArrayPlan<Real>::ArrayPlan(const ArrayRecipe& recipe, const ArrayProblem& problem,
                           std::shared_ptr<const Executor> executor)
    : stored_bytes_(problem.precision == Precision::f16 ? 2 : Index{sizeof(Real)}),
      tasks_(std::max(1, executor->concurrency())),
      executor_(std::move(executor)),
      temporary_reals_(temporary_reals(problem, recipe.cut)),
      copy_reals_(copy_reals(problem, recipe.cut)) {
  require_memory(recipe, sizeof(Real) == 8 ? Precision::f64 : Precision::f32,
                 memory_of_this_machine());
  if (const std::string why = misfit(recipe.cut, problem); !why.empty())
    throw Error(ErrorCode::internal, "recipe '" + to_text(recipe) + "' does not fit: " + why);
  for (CopyTask& task : copies_of(problem, recipe.cut)) {
    for (Loop& loop : task.loops) {
      loop.in *= stored_bytes_;
      loop.out *= stored_bytes_;
    }
    const bool in_halves = is_split(problem, task.from) || is_split(problem, task.to);
    const Index width = in_halves ? 1 : in_width(problem.kind);
    copies_.push_back({task.from, task.to, in_halves, {task.loops, width * stored_bytes_}});
  }
  if (problem.kind == Kind::r2c && problem.extras.spectrum == Spectrum::full)
    fill_.emplace(problem);
  std::size_t next = 0;
  for (const TileTask& tile : tiles_of(problem, recipe.cut)) {
    Step step{LoopIndex(tile.outer),
              LoopIndex(tile.outer_middle),
              tile.threads_outside,
              tile.twiddles.value_or(SplitTwiddles{}),
              {}};
    for (const AxisTask& task : tile.axes) {
      step.axes.push_back(
          {task.from, task.to, shared_axis_engine<Real>(recipe.axes[next++], task.problem),
           task.problem.twiddled ? make_factors<Real>(step.twiddles, task.problem.direction)
                                 : Buffer<Real>()});
      task_reals_ = std::max(task_reals_, step.axes.back().engine->task_reals());
      shared_reals_ = std::max(shared_reals_, step.axes.back().engine->shared_reals());
    }
    steps_.push_back(std::move(step));
  }
  alone_ = find_alone();
  constexpr Index line = 64 / Index{sizeof(Real)}, page = 64 * line;
  // An odd number of cache lines between tasks keeps their scratch out of each other's cache sets.
  if (task_reals_ > 0)
    task_reals_ = tasks_ > 1 ? round_up(task_reals_, page) + line : round_up(task_reals_, line);
  shared_reals_ = round_up(shared_reals_, page);
}

template <class Real>
auto ArrayPlan<Real>::find_alone() const -> const Axis* {
  if (!copies_.empty() || fill_ || steps_.size() != 1 || steps_[0].axes.size() != 1) return nullptr;
  const Axis& axis = steps_[0].axes[0];
  const bool is_direct = axis.from == Place::input && axis.to == Place::output;
  return is_direct && steps_[0].outer.count() == 1 && axis.factors.size() == 0 ? &axis : nullptr;
}

template <class Real>
std::size_t ArrayPlan<Real>::workspace_bytes() const {
  const Index stored = round_up(temporary_reals_ * stored_bytes_, 4096) +
                       round_up(copy_reals_ * stored_bytes_, 4096);
  return static_cast<std::size_t>(stored +
                                  (tasks_ * task_reals_ + shared_reals_) * Index{sizeof(Real)});
}

template <class Real>
const char* ArrayPlan<Real>::source(const Memory& memory, const Axis& axis,
                                    LoopIndex::Offsets outer, LoopIndex::Offsets middle) const {
  const bool is_first = axis.from == Place::input || axis.from == Place::copy;
  return at(memory, axis.from) + (is_first ? outer.in : middle.in) * stored_bytes_;
}

template <class Real>
char* ArrayPlan<Real>::target(const Memory& memory, const Axis& axis, LoopIndex::Offsets outer,
                              LoopIndex::Offsets middle) const {
  if (axis.to == Place::output) return memory.out + outer.out * stored_bytes_;
  return memory.temporary + middle.out * stored_bytes_;
}

/// body(begin, end, task) on parts of the units, by all threads.
template <class Real>
template <class Body>
void ArrayPlan<Real>::share_out(Index units, const Body& body) const {
  const int tasks = static_cast<int>(std::min<Index>(tasks_, units));
  const auto part = [&](int task) { body(units * task / tasks, units * (task + 1) / tasks, task); };
  if (tasks == 1)
    part(0);
  else if (tasks > 1)
    executor_->run(tasks, part);
}

template <class Real>
char* ArrayPlan<Real>::at(const Memory& memory, Place place) const {
  switch (place) {
    case Place::input: return const_cast<char*>(memory.in);  // only read
    case Place::output: return memory.out;
    case Place::temporary: return memory.temporary;
    default: return memory.copy;
  }
}

template <class Real>
Index ArrayPlan<Real>::imag(const Memory& memory, Place place) const {
  if (place == Place::input) return memory.in_imag;
  return place == Place::output ? memory.out_imag : 1;
}

template <class Real>
Scratch<Real> ArrayPlan<Real>::scratch_of(const Memory& memory, const Axis& axis, int task) const {
  return {.task = memory.scratch + task * task_reals_,
          .shared = memory.shared,
          .in_imag = imag(memory, axis.from),
          .out_imag = imag(memory, axis.to)};
}

template <class Real>
void ArrayPlan<Real>::run_copy(const Copy& copy, const Memory& memory) const {
  const char* from = at(memory, copy.from);
  char* to = at(memory, copy.to);
  const Index from_imag = imag(memory, copy.from), to_imag = imag(memory, copy.to);
  if (from == to && (!copy.in_halves || from_imag == to_imag)) return;  // there already
  share_out(copy.copy.units(), [&](Index begin, Index end, int) {
    copy.copy.run(begin, end, from, to);
    if (copy.in_halves)
      copy.copy.run(begin, end, from + from_imag * stored_bytes_, to + to_imag * stored_bytes_);
  });
}

/// Every task takes its share of the tiles through all axes.
template <class Real>
void ArrayPlan<Real>::run_tiles(const Step& step, const Memory& memory) const {
  const Index count = step.outer.count();
  const int tasks = static_cast<int>(std::min<Index>(tasks_, count));
  const auto body = [&](int task) {
    for (Index tile = count * task / tasks; tile < count * (task + 1) / tasks; ++tile)
      for (const Axis& axis : step.axes) {
        Scratch<Real> scratch = scratch_of(memory, axis, task);
        scratch.factors = step.factors(axis, tile);
        axis.engine->run_all(source(memory, axis, step.outer(tile), step.outer_middle(tile)),
                             target(memory, axis, step.outer(tile), step.outer_middle(tile)),
                             scratch);
      }
  };
  if (tasks == 1)
    body(0);
  else
    executor_->run(tasks, body);
}

template <class Real>
void ArrayPlan<Real>::run_step(const Step& step, const Memory& memory) const {
  if (step.threads_outside) return run_tiles(step, memory);
  for (Index tile = 0; tile < step.outer.count(); ++tile)
    for (const Axis& axis : step.axes) run_axis(step, axis, tile, memory);
}

template <class Real>
auto ArrayPlan<Real>::memory_of(const void* in, void* out, void* workspace, Index in_imag,
                                Index out_imag) const -> Memory {
  char* temporary = static_cast<char*>(workspace);
  char* copy = temporary + round_up(temporary_reals_ * stored_bytes_, 4096);
  Real* scratch = reinterpret_cast<Real*>(copy + round_up(copy_reals_ * stored_bytes_, 4096));
  return {static_cast<const char*>(in),
          static_cast<char*>(out),
          temporary,
          copy,
          in_imag,
          out_imag,
          scratch + shared_reals_,
          scratch};
}

template <class Real>
int ArrayPlan<Real>::parts() const {
  return static_cast<int>(copies_.size() + steps_.size()) + (fill_ ? 1 : 0);
}

template <class Real>
void ArrayPlan<Real>::run_part(int part, const Memory& memory) const {
  const auto copies = static_cast<int>(copies_.size()), steps = static_cast<int>(steps_.size());
  if (part < copies) return run_copy(copies_[static_cast<std::size_t>(part)], memory);
  if (part < copies + steps)
    return run_step(steps_[static_cast<std::size_t>(part - copies)], memory);
  share_out(fill_->units(), [&](Index begin, Index end, int) {
    fill_->run(begin, end, memory.out, memory.out_imag);
  });
}

template <class Real>
void ArrayPlan<Real>::execute_part(int part, const void* in, void* out, void* workspace,
                                   Index in_imag, Index out_imag) const {
  run_part(part, memory_of(in, out, workspace, in_imag, out_imag));
}

template <class Real>
void ArrayPlan<Real>::execute(const void* in, void* out, void* workspace, Index in_imag,
                              Index out_imag) const {
  const Memory memory = memory_of(in, out, workspace, in_imag, out_imag);
  if (alone_ != nullptr && tasks_ == 1)
    return alone_->engine->run_all(in, out, scratch_of(memory, *alone_, 0));
  for (int part = 0; part < parts(); ++part) run_part(part, memory);
}

/// All threads work on one axis of one tile together, phase by phase.
template <class Real>
void ArrayPlan<Real>::run_axis(const Step& step, const Axis& axis, Index tile,
                               const Memory& memory) const {
  const void* in = source(memory, axis, step.outer(tile), step.outer_middle(tile));
  void* out = target(memory, axis, step.outer(tile), step.outer_middle(tile));
  const Real* factors = step.factors(axis, tile);
  for (int phase = 0; phase < axis.engine->phases(); ++phase) {
    share_out(axis.engine->units(phase), [&](Index begin, Index end, int task) {
      Scratch<Real> scratch = scratch_of(memory, axis, task);
      scratch.factors = factors;
      axis.engine->run(phase, begin, end, in, out, scratch);
    });
  }
}

template class ArrayPlan<float>;
template class ArrayPlan<double>;

}  // namespace weft::local
