// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_operator.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "spectral/run_tasks.hpp"
#include "weft/error.hpp"

namespace weft::spectral {
namespace {

Index product(const std::vector<Index>& extents) {
  Index count = 1;
  for (Index extent : extents) count = checked_product(count, extent, "the arrays of an operator");
  return count;
}

/// Of the fields between the sweeps: rows of whole cache lines, and an odd number of lines from one
/// point of the axis inside to the next. Columns then use all sets of a cache.
std::vector<Index> padded_strides(const std::vector<Index>& extents, std::size_t inside,
                                  Index line) {
  std::vector<Index> strides(extents.size());
  Index stride = 1;
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (d + 2 == extents.size() || d == inside) stride = round_up(stride, line);
    if (d == inside && stride / line % 2 == 0 && stride > line) stride += line;
    strides[d] = stride;
    stride = checked_product(stride, extents[d], "the arrays of an operator");
  }
  return strides;
}

}  // namespace

template <class Real>
auto FusedOperator<Real>::make_tile(std::vector<Index> extents, const OperatorChoice& choice) const
    -> TilePlans {
  const auto& from = has_middle() ? middle_strides_ : in_strides_;
  const auto& to = has_middle() ? middle_strides_ : out_strides_;
  const std::vector<Index> strides = has_planes() ? middle_strides_ : dense_strides(extents);
  double points = 1;
  for (int axis : problem_.forward.axes)
    points *= static_cast<double>(problem_.forward.shape[at(axis)]);
  const Index modes = product(extents);
  const auto sweep = [&](Direction direction, const auto& in, const auto& out, double scale) {
    const problem::ArrayProblem array =
        array_problem(part_of(problem_, tiling_.inside, extents, direction), in, out, scale);
    return whole_ ? make_tile_sweep<Real>(array, *whole_, Stores::in_cache, choice)
                  : make_sweep<Real>(array, choice);
  };
  return {extents, strides, modes, sweep(Direction::forward, from, strides, 1),
          sweep(Direction::backward, strides, to, 1 / points)};
}

template <class Real>
auto FusedOperator<Real>::make_outer(Direction direction, const OperatorChoice& choice) const
    -> OuterSweep {
  const Transform& forward = problem_.forward;
  const bool is_forward = direction == Direction::forward;
  const PlaneSide middle{middle_strides_},
      outside{is_forward ? in_strides_ : out_strides_, forward.kind == Kind::r2c ? 1 : 2};
  const std::size_t inside = at(tiling_.inside.front());
  std::vector<Index> extents = problem_.spectrum;
  extents[inside] = is_forward ? forward.input_extents[inside] : forward.output_extents[inside];
  const PlaneSide &from = is_forward ? outside : middle, &to = is_forward ? middle : outside;
  OuterSweep outer{array_problem(part_of(problem_, tiling_.outside, extents, direction),
                                 from.strides, to.strides, 1),
                   {},
                   {},
                   {}};
  outer.recipe = choose_recipe(outer.problem, choice);
  if (is_forward || !in_outputs_)
    outer.planes = PlaneSweep<Real>::make(problem_, tiling_.outside, extents, direction, from, to,
                                          outer.recipe, choice);
  if (!outer.planes) outer.plan.emplace(outer.recipe, outer.problem, choice.executor);
  return outer;
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
  if (problem_.is_empty()) return;
  waves_.emplace(problem_.forward, problem_.spectrum, problem_.lengths);
  if (!tiling_.outside.empty()) make_sweeps(choice);
  if (has_columns())
    columns_.emplace(problem_, tiling_.inside.front(), middle_strides_, choice);
  else
    make_tiles(choice);
  std::size_t tile_bytes = 0;
  if (columns_) tile_bytes = columns_->workspace_bytes();
  for (const TilePlans& tile : tiles_)
    tile_bytes =
        std::max(tile_bytes, at(problem_.fields()) * field_bytes() +
                                 up_to_line(std::max(tile.forward.plan.workspace_bytes(),
                                                     tile.backward.plan.workspace_bytes())));
  // An odd number of cache lines between tasks keeps them out of each other's sets.
  task_bytes_ = std::max(task_bytes_, tile_bytes) + 64;
}

/// Whether the columns along the axis inside are transformed in place: all modes have room between
/// the sweeps, and a tile's lines do not crowd each other out of the cache.
template <class Real>
bool FusedOperator<Real>::has_columns() const {
  const std::size_t inside = at(tiling_.inside.front());
  return has_middle() && !has_planes() && inside + 1 < problem_.spectrum.size() &&
         problem_.forward.input_extents[inside] == problem_.spectrum[inside] &&
         stay_in_cache(column_cut(problem_, tiling_.inside.front(), middle_strides_));
}

template <class Real>
void FusedOperator<Real>::make_sweeps(const OperatorChoice& choice) {
  const Transform& forward = problem_.forward;
  const std::size_t inside = at(tiling_.inside.front());
  std::vector<Index> extents = problem_.spectrum;
  extents[inside] = std::max(forward.input_extents[inside], forward.output_extents[inside]);
  // Of complex fields: the last sweep in place costs less than one from an array to another.
  in_outputs_ = forward.kind == Kind::c2c && extents == forward.output_extents;
  middle_strides_ =
      in_outputs_ ? out_strides_ : padded_strides(extents, inside, 64 / Index{sizeof(Complex)});
  for (std::size_t d = 0; d < extents.size(); ++d)
    middle_size_ = std::max(
        middle_size_, checked_product(extents[d], middle_strides_[d], "the arrays of an operator"));
  before_ = make_outer(Direction::forward, choice);
  after_ = make_outer(Direction::backward, choice);
  for (const auto* outer : {&*before_, &*after_}) {
    if (outer->plan) sweep_bytes_ = std::max(sweep_bytes_, outer->plan->workspace_bytes());
    if (outer->planes) task_bytes_ = std::max(task_bytes_, outer->planes->scratch_bytes());
  }
}

template <class Real>
void FusedOperator<Real>::make_tiles(const OperatorChoice& choice) {
  const Transform columns =
      part_of(problem_, tiling_.inside, problem_.spectrum, Direction::forward);
  // Padded ones have more modes than the array between the sweeps has room for.
  if (has_middle() && columns.input_extents.empty())
    whole_ = choose_recipe(array_problem(columns, middle_strides_, middle_strides_, 1), choice);
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
}

/// Of a tile in the scratch of a task. An odd number of cache lines keeps fields out of each
/// other's sets.
template <class Real>
std::size_t FusedOperator<Real>::field_bytes() const {
  if (has_planes()) return 0;
  return up_to_line(static_cast<std::size_t>(tiles_.front().modes) * sizeof(Complex)) + 64;
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
    for (int f = 0; f < problem_.inputs; ++f) run_outer(*before_, in[f], middle(memory, f), memory);
  columns_ ? run_columns(memory) : run_tiles(memory);
  if (after_)
    for (int f = 0; f < problem_.outputs; ++f)
      run_outer(*after_, middle(memory, f), out[f], memory);
}

template <class Real>
void FusedOperator<Real>::run_outer(const OuterSweep& sweep, const void* from, void* to,
                                    const Memory& memory) const {
  if (sweep.plan) return sweep.plan->execute(from, to, memory.sweeps);
  const Index planes = sweep.planes->planes();
  run_tasks(*executor_, tasks_, [&](int task) {
    char* scratch = memory.tasks + static_cast<std::size_t>(task) * task_bytes_;
    for (Index plane = planes * task / tasks_; plane < planes * (task + 1) / tasks_; ++plane)
      sweep.planes->run(plane, from, to, scratch);
  });
}

template <class Real>
void FusedOperator<Real>::run_columns(const Memory& memory) const {
  std::array<Complex*, max_operator_fields> fields{};
  for (int f = 0; f < problem_.fields(); ++f) fields[at(f)] = middle(memory, f);
  const Index tiles = columns_->count();
  const int tasks = static_cast<int>(std::min<Index>(tasks_, tiles));
  run_tasks(*executor_, tasks, [&](int task) {
    char* scratch = memory.tasks + static_cast<std::size_t>(task) * task_bytes_;
    for (Index tile = tiles * task / tasks; tile < tiles * (task + 1) / tasks; ++tile)
      columns_->run(tile, fields.data(), *waves_, function_, scratch);
  });
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

  std::array<Complex*, max_operator_fields> fields{};
  for (int f = 0; f < problem_.fields(); ++f)
    fields[at(f)] = has_planes() ? middle(memory, f) + from
                                 : reinterpret_cast<Complex*>(scratch + at(f) * field_bytes());
  void* work = scratch + at(problem_.fields()) * field_bytes();
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
      passes += sweep.get()->planes
                    ? 1
                    : local::cost_of(sweep.get()->recipe, sweep.get()->problem, tasks_).passes;
  return passes;
}

template <class Real>
double FusedOperator<Real>::bytes() const {
  const auto count = [](const std::vector<Index>& extents) {
    return static_cast<double>(product(extents));
  };
  const Transform& forward = problem_.forward;
  const double point = sizeof(Real) * (forward.kind == Kind::c2c ? 2.0 : 1.0);
  const double in = problem_.inputs, out = problem_.outputs;
  double sum = point * (in * count(forward.input_extents) + out * count(forward.output_extents));
  if (!has_middle()) return sum;
  // Every pass beyond the tiles' reads and writes the fields between the sweeps as often again.
  const double modes = static_cast<double>(middle_size_) * sizeof(Complex);
  const auto between = [&](const OuterSweep& sweep) {
    const double passes =
        sweep.planes ? 1 : local::cost_of(sweep.recipe, sweep.problem, tasks_).passes;
    return modes * (1 + 2 * (std::max(1.0, passes) - 1));
  };
  return sum + in * between(*before_) + out * between(*after_) + modes * (in + out);
}

template <class Real>
std::string FusedOperator<Real>::explain() const {
  if (problem_.is_empty()) return "no elements: nothing to do\n";
  const auto list = [](const std::vector<int>& axes) {
    std::string text;
    for (int axis : axes) text += (text.empty() ? "" : ", ") + std::to_string(axis);
    return (axes.size() == 1 ? "axis " : "axes ") + text;
  };
  const auto text_of = [](const OuterSweep& sweep) {
    return sweep.planes ? sweep.planes->text() : local::to_text(sweep.recipe);
  };
  std::string text = format("{:.0f} passes over memory, {:.2f} MB, {} fields in, {} out\n",
                            passes(), bytes() / 1e6, problem_.inputs, problem_.outputs);
  if (before_) text += "forward " + list(tiling_.outside) + ": " + text_of(*before_) + "\n";
  if (columns_) {
    text += columns_->text();
  } else {
    const auto bytes = static_cast<double>(tiles_.front().modes) * sizeof(Complex);
    text +=
        format("{} tiles of {:.0f} KiB per field{}: forward {}, function, backward\n", tile_count_,
               bytes / 1024, has_planes() ? ", in place" : "", list(tiling_.inside));
    text += "  forward: " + local::to_text(tiles_.front().forward.recipe) + "\n";
    text += "  backward: " + local::to_text(tiles_.front().backward.recipe) + "\n";
  }
  if (after_) text += "backward " + list(tiling_.outside) + ": " + text_of(*after_) + "\n";
  return text;
}

template class FusedOperator<float>;
template class FusedOperator<double>;

}  // namespace weft::spectral
