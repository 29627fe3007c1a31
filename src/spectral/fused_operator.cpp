// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_operator.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "local/array/array_fit.hpp"
#include "local/choose/cuts.hpp"
#include "local/choose/planner.hpp"
#include "problem/request.hpp"
#include "spectral/run_tasks.hpp"
#include "weft/error.hpp"

namespace weft::spectral {
namespace {

Index product(const std::vector<Index>& extents) {
  Index count = 1;
  for (Index extent : extents) count = checked_product(count, extent, "the arrays of an operator");
  return count;
}

std::size_t up_to_line(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

/// The given axes of the transform, forward or backward, on arrays that have `shape` along all
/// other dimensions.
template <class Real>
Transform FusedOperator<Real>::part(const std::vector<int>& axes, const std::vector<Index>& shape,
                                    bool is_forward, bool has_lines) const {
  const Transform& whole = problem_.forward;
  Transform part = c2c(shape, {.axes = axes,
                               .direction = is_forward ? Direction::forward : Direction::backward,
                               .precision = whole.precision});
  if (has_lines && whole.kind == Kind::r2c) part.kind = is_forward ? Kind::r2c : Kind::c2r;
  std::vector<Index> ends = shape;
  for (int axis : axes) {
    part.shape[at(axis)] = whole.shape[at(axis)];
    ends[at(axis)] = is_forward ? whole.input_extents[at(axis)] : whole.output_extents[at(axis)];
  }
  if (ends != part.shape) (is_forward ? part.input_extents : part.output_extents) = ends;
  return part;
}

template <class Real>
auto FusedOperator<Real>::make_sweep(const Transform& transform,
                                     const std::vector<Index>& in_strides,
                                     const std::vector<Index>& out_strides, double scale,
                                     const OperatorChoice& choice) const -> Sweep {
  problem::ArrayProblem array =
      problem::check_request(transform, {.strides = in_strides}, {.strides = out_strides}).problem;
  array.scale = scale;
  local::ArrayRecipe recipe = local::choose_recipe(array, {.effort = choice.effort,
                                                           .time_limit_s = choice.time_limit_s,
                                                           .executor = choice.executor,
                                                           .use_wisdom = choice.use_wisdom});
  local::ArrayPlan<Real> plan(recipe, array, choice.executor);
  return {std::move(array), std::move(recipe), std::move(plan)};
}

template <class Real>
auto FusedOperator<Real>::make_tile(std::vector<Index> extents, const OperatorChoice& choice) const
    -> TilePlans {
  const bool has_halved = problem_.forward.kind == Kind::r2c && !has_middle();
  const auto& from = has_middle() ? middle_strides_ : in_strides_;
  const auto& to = has_middle() ? middle_strides_ : out_strides_;
  const std::vector<Index> strides = dense_strides(extents);
  double points = 1;
  for (int axis : problem_.forward.axes)
    points *= static_cast<double>(problem_.forward.shape[at(axis)]);
  const Index modes = product(extents);
  Sweep forward =
      make_sweep(part(tiling_.inside, extents, true, has_halved), from, strides, 1, choice);
  Sweep backward =
      make_sweep(part(tiling_.inside, extents, false, has_halved), strides, to, 1 / points, choice);
  if (whole_) {
    take_columns(forward, choice);
    take_columns(backward, choice);
  }
  return {extents, strides, modes, std::move(forward), std::move(backward)};
}

/// Gives a tile the recipe of the whole sweep. On its own a tile would be taken for an array that
/// is in cache, and its columns would be fetched from memory in pieces that are too narrow.
template <class Real>
void FusedOperator<Real>::take_columns(Sweep& tile, const OperatorChoice& choice) const {
  local::ArrayRecipe recipe{local::unfused_cut(tile.problem), whole_->axes};
  for (local::AxisRecipe& axis : recipe.axes) axis.stream = false;  // the tile stays in cache
  if (!local::fits(recipe, tile.problem) || recipe == tile.recipe) return;
  tile.plan = local::ArrayPlan<Real>(recipe, tile.problem, choice.executor);
  tile.recipe = std::move(recipe);
}

template <class Real>
FusedOperator<Real>::FusedOperator(const OperatorProblem& problem, const Tiling& tiling,
                                   Function function, const OperatorChoice& choice)
    : problem_(problem),
      tiling_(tiling),
      function_(std::move(function)),
      executor_(choice.executor),
      tasks_(std::max(1, choice.executor->concurrency())),
      in_strides_(dense_strides(problem.forward.input_extents)),
      out_strides_(dense_strides(problem.forward.output_extents)) {
  const Transform& forward = problem_.forward;
  if (problem_.is_empty()) return;
  waves_.emplace(forward, problem_.spectrum, problem_.lengths);
  if (!tiling_.outside.empty()) {
    const int inside = tiling_.inside.front();
    const bool has_halved = forward.kind == Kind::r2c;
    std::vector<Index> extents = problem_.spectrum, first = problem_.spectrum;
    extents[at(inside)] =
        std::max(forward.input_extents[at(inside)], forward.output_extents[at(inside)]);
    middle_strides_ = dense_strides(extents);
    middle_size_ = product(extents);
    in_outputs_ = !has_halved && extents == forward.output_extents;
    first[at(inside)] = forward.input_extents[at(inside)];
    before_ = make_sweep(part(tiling_.outside, first, true, has_halved), in_strides_,
                         middle_strides_, 1, choice);
    first[at(inside)] = forward.output_extents[at(inside)];
    after_ = make_sweep(part(tiling_.outside, first, false, has_halved), middle_strides_,
                        out_strides_, 1, choice);
    sweep_bytes_ = std::max(before_->plan.workspace_bytes(), after_->plan.workspace_bytes());
  }
  if (has_middle()) {
    const Transform columns = part(tiling_.inside, problem_.spectrum, true, false);
    problem::ArrayProblem array =
        problem::check_request(columns, {.strides = middle_strides_}, {.strides = middle_strides_})
            .problem;
    if (!array.is_padded())
      whole_ = local::choose_recipe(array, {.effort = choice.effort,
                                            .time_limit_s = choice.time_limit_s,
                                            .executor = choice.executor,
                                            .use_wisdom = choice.use_wisdom});
  }
  OperatorChoice within = choice;
  within.executor = serial_executor();
  tiles_.push_back(make_tile(tiling_.extents, within));
  if (tiling_.cut >= 0) {
    const Index all = problem_.spectrum[at(tiling_.cut)], some = tiling_.extents[at(tiling_.cut)];
    whole_along_cut_ = all / some;
    along_cut_ = (all + some - 1) / some;
    if (along_cut_ > whole_along_cut_) {
      std::vector<Index> last = tiling_.extents;
      last[at(tiling_.cut)] = all % some;
      tiles_.push_back(make_tile(last, within));
    }
  }
  for (std::size_t d = 0; d < problem_.spectrum.size(); ++d)
    tile_count_ *=
        static_cast<int>(d) == tiling_.cut ? along_cut_ : problem_.spectrum[d] / tiling_.extents[d];
  std::size_t plan_bytes = 0;
  for (const TilePlans& tile : tiles_)
    plan_bytes = std::max(
        {plan_bytes, tile.forward.plan.workspace_bytes(), tile.backward.plan.workspace_bytes()});
  const auto tile_bytes = static_cast<std::size_t>(tiles_.front().modes) * sizeof(Complex);
  // An odd number of cache lines between fields and tasks keeps them out of each other's sets.
  task_bytes_ = static_cast<std::size_t>(problem_.fields()) * (up_to_line(tile_bytes) + 64) +
                up_to_line(plan_bytes) + 64;
}

template <class Real>
std::size_t FusedOperator<Real>::workspace_bytes() const {
  const int kept = in_outputs_ ? problem_.fields() - problem_.outputs : problem_.fields();
  const auto middle = up_to_line(static_cast<std::size_t>(middle_size_) * sizeof(Complex));
  return static_cast<std::size_t>(tasks_) * task_bytes_ +
         static_cast<std::size_t>(has_middle() ? kept : 0) * middle + up_to_line(sweep_bytes_);
}

/// Field number `field` between the sweeps.
template <class Real>
auto FusedOperator<Real>::middle(const Memory& memory, int field) const -> Complex* {
  if (in_outputs_ && field < problem_.outputs) return static_cast<Complex*>(memory.out[field]);
  const int kept = in_outputs_ ? field - problem_.outputs : field;
  constexpr Index line = 64 / Index{sizeof(Complex)};
  return memory.kept + kept * round_up(middle_size_, line);
}

template <class Real>
void FusedOperator<Real>::execute(const void* const* in, void* const* out, void* workspace) const {
  if (problem_.is_empty()) return;
  char* base = static_cast<char*>(workspace);
  Memory memory{in, out, base + up_to_line(sweep_bytes_), nullptr, base};
  memory.kept =
      reinterpret_cast<Complex*>(memory.tasks + static_cast<std::size_t>(tasks_) * task_bytes_);
  if (before_)
    for (int f = 0; f < problem_.inputs; ++f)
      before_->plan.execute(in[f], middle(memory, f), memory.sweeps);
  run_tiles(memory);
  if (after_)
    for (int f = 0; f < problem_.outputs; ++f)
      after_->plan.execute(middle(memory, f), out[f], memory.sweeps);
}

template <class Real>
void FusedOperator<Real>::run_tiles(const Memory& memory) const {
  const int tasks = static_cast<int>(std::min<Index>(tasks_, tile_count_));
  run_tasks(*executor_, tasks, [&](int task) {
    char* scratch = memory.tasks + static_cast<std::size_t>(task) * task_bytes_;
    for (Index tile = tile_count_ * task / tasks; tile < tile_count_ * (task + 1) / tasks; ++tile)
      run_tile(tile, memory, scratch);
  });
}

template <class Real>
void FusedOperator<Real>::run_tile(Index number, const Memory& memory, char* scratch) const {
  std::array<typename ModeTile<Real>::Dimension, max_operator_dimensions> dimensions;
  const std::size_t count = problem_.spectrum.size();
  Index from = 0, to = 0;  // of the tile's first element
  std::size_t variant = 0;
  for (std::size_t d = count; d-- > 0;) {
    const bool is_cut = static_cast<int>(d) == tiling_.cut;
    const Index tiles = is_cut ? along_cut_ : problem_.spectrum[d] / tiling_.extents[d];
    const Index i = number % tiles;
    number /= tiles;
    if (is_cut && i >= whole_along_cut_) variant = 1;
    dimensions[d].begin = i * tiling_.extents[d];
    from += dimensions[d].begin * (has_middle() ? middle_strides_[d] : in_strides_[d]);
    to += dimensions[d].begin * (has_middle() ? middle_strides_[d] : out_strides_[d]);
  }
  const TilePlans& tile = tiles_[variant];
  for (std::size_t d = 0; d < count; ++d) {
    dimensions[d].extent = tile.extents[d];
    dimensions[d].stride = tile.strides[d];
  }
  for (std::size_t a = 0; a < problem_.forward.axes.size(); ++a) {
    auto& dimension = dimensions[at(problem_.forward.axes[a])];
    dimension.axis = static_cast<int>(a);
    dimension.k = waves_->k[a].data() + dimension.begin;
    dimension.odd = waves_->odd[a].data() + dimension.begin;
  }

  const std::size_t field_bytes =
      up_to_line(static_cast<std::size_t>(tiles_.front().modes) * sizeof(Complex)) + 64;
  std::array<Complex*, max_operator_fields> fields{};
  for (int f = 0; f < problem_.fields(); ++f)
    fields[at(f)] = reinterpret_cast<Complex*>(scratch + at(f) * field_bytes);
  void* work = scratch + at(problem_.fields()) * field_bytes;
  const Index width = problem_.forward.kind == Kind::r2c && !has_middle() ? 1 : 2;
  for (int f = 0; f < problem_.inputs; ++f) {
    const void* array = has_middle() ? middle(memory, f) : memory.in[f];
    tile.forward.plan.execute(static_cast<const Real*>(array) + from * width, fields[at(f)], work);
  }
  function_(ModeTile<Real>{
      {dimensions.data(), count}, fields.data(), static_cast<int>(problem_.forward.axes.size())});
  for (int f = 0; f < problem_.outputs; ++f) {
    void* array = has_middle() ? middle(memory, f) : memory.out[f];
    tile.backward.plan.execute(fields[at(f)], static_cast<Real*>(array) + to * width, work);
  }
}

template <class Real>
double FusedOperator<Real>::passes() const {
  double passes = problem_.is_empty() ? 0 : 1;
  for (const auto& sweep : {std::cref(before_), std::cref(after_)})
    if (sweep.get())
      passes += local::cost_of(sweep.get()->recipe, sweep.get()->problem, tasks_).passes;
  return passes;
}

template <class Real>
std::string FusedOperator<Real>::explain() const {
  if (problem_.is_empty()) return "no elements: nothing to do\n";
  const auto list = [](const std::vector<int>& axes) {
    std::string text;
    for (int axis : axes) text += (text.empty() ? "" : ", ") + std::to_string(axis);
    return (axes.size() == 1 ? "axis " : "axes ") + text;
  };
  std::string text = format("{:.0f} passes over memory, {} fields in, {} out\n", passes(),
                            problem_.inputs, problem_.outputs);
  if (before_)
    text += "forward " + list(tiling_.outside) + ": " + local::to_text(before_->recipe) + "\n";
  const auto bytes = static_cast<double>(tiles_.front().modes) * sizeof(Complex);
  text += format("{} tiles of {:.0f} KiB per field: forward {}, function, backward\n", tile_count_,
                 bytes / 1024, list(tiling_.inside));
  text += "  forward: " + local::to_text(tiles_.front().forward.recipe) + "\n";
  text += "  backward: " + local::to_text(tiles_.front().backward.recipe) + "\n";
  if (after_)
    text += "backward " + list(tiling_.outside) + ": " + local::to_text(after_->recipe) + "\n";
  return text;
}

template class FusedOperator<float>;
template class FusedOperator<double>;

}  // namespace weft::spectral
