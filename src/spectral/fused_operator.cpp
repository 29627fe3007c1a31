// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_operator.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "local/choose/machine_model.hpp"
#include "spectral/run_tasks.hpp"
#include "weft/error.hpp"

namespace weft::spectral {
namespace {

Index product(const std::vector<Index>& extents) {
  Index count = 1;
  for (Index extent : extents) count = checked_product(count, extent, "the arrays of an operator");
  return count;
}

std::vector<int> axes_inside(const Transform& forward, OperatorWay::Middle middle) {
  if (middle == OperatorWay::Middle::whole) return forward.axes;
  const int slowest = slowest_axis(forward);
  if (middle == OperatorWay::Middle::columns) return {slowest};
  std::vector<int> plane = forward.axes;
  std::erase(plane, slowest);
  return plane;
}

/// Half of the second cache, but of columns at least one tile for every thread.
double bytes_of_tiles(const OperatorProblem& problem, OperatorWay::Middle middle,
                      const Executor& executor) {
  const double most = local::machine_model().l2.bytes / 2;
  if (middle != OperatorWay::Middle::columns) return most;
  const double bytes = static_cast<double>(product(problem.spectrum) * problem.fields() * 2 *
                                           real_bytes(problem.forward.precision));
  return std::min(most, bytes / std::max(1, executor.concurrency()));
}

}  // namespace

template <class Real>
auto FusedOperator<Real>::make_tile(std::vector<Index> extents, const OperatorChoice& choice) const
    -> TilePlans {
  const auto& from = has_middle() ? middle_strides_ : in_strides_;
  const auto& to = has_middle() ? middle_strides_ : out_strides_;
  const std::vector<Index> strides = dense_strides(extents);
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
  return {strides, modes, sweep(Direction::forward, from, strides, 1),
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
  if (is_forward || way_.apart)
    outer.planes = PlaneSweep<Real>::make(problem_, tiling_.outside, extents, direction, {from, to},
                                          outer.recipe, choice);
  if (!outer.planes) outer.plan.emplace(outer.recipe, outer.problem, choice.executor);
  return outer;
}

template <class Real>
FusedOperator<Real>::FusedOperator(const OperatorProblem& problem, const OperatorWay& way,
                                   Function function, const OperatorChoice& choice)
    : problem_(problem),
      way_(way),
      tiling_(tiling_of(problem.forward, problem.spectrum, problem.fields(),
                        axes_inside(problem.forward, way.middle),
                        bytes_of_tiles(problem, way.middle, *choice.executor))),
      function_(std::move(function)),
      executor_(choice.executor),
      tasks_(std::max(1, choice.executor->concurrency())),
      in_strides_(dense_strides(problem.forward.input_extents)),
      out_strides_(dense_strides(problem.forward.output_extents)),
      waves_(problem.forward, problem.spectrum, problem.lengths) {
  if (!tiling_.outside.empty()) make_sweeps(choice);
  std::size_t tile_bytes = 0;
  if (way.middle == OperatorWay::Middle::planes) {
    planes_.emplace(problem_, tiling_.inside, middle_strides_, choice);
    tile_bytes = planes_->workspace_bytes();
  } else if (has_columns()) {
    columns_.emplace(problem_, tiling_.inside.front(), middle_strides_, choice);
    tile_bytes = columns_->workspace_bytes();
  } else {
    make_tiles(choice);
  }
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
  return has_middle() && inside + 1 < problem_.spectrum.size() &&
         problem_.forward.input_extents[inside] == problem_.spectrum[inside] &&
         stay_in_cache(column_cut(problem_, tiling_.inside.front(), middle_strides_));
}

template <class Real>
void FusedOperator<Real>::make_sweeps(const OperatorChoice& choice) {
  const Transform& forward = problem_.forward;
  const std::size_t inside = at(tiling_.inside.front());
  std::vector<Index> extents = problem_.spectrum;
  extents[inside] = std::max(forward.input_extents[inside], forward.output_extents[inside]);
  middle_strides_ =
      way_.apart ? padded_strides(extents, tiling_.inside.front(), 64 / Index{sizeof(Complex)})
                 : out_strides_;
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
  boxes_ = TileBoxes(problem_.spectrum, tiling_);
  tiles_.push_back(make_tile(boxes_.extents(false), within));
  if (boxes_.has_rest()) tiles_.push_back(make_tile(boxes_.extents(true), within));
}

/// Of a tile in the scratch of a task. An odd number of cache lines keeps fields out of each
/// other's sets.
template <class Real>
std::size_t FusedOperator<Real>::field_bytes() const {
  return up_to_line(static_cast<std::size_t>(tiles_.front().modes) * sizeof(Complex)) + 64;
}

template <class Real>
std::size_t FusedOperator<Real>::workspace_bytes() const {
  const int kept = way_.apart ? problem_.fields() : problem_.fields() - problem_.outputs;
  const auto middle = up_to_line(static_cast<std::size_t>(middle_size_) * sizeof(Complex));
  return static_cast<std::size_t>(tasks_) * task_bytes_ +
         static_cast<std::size_t>(has_middle() ? kept : 0) * middle + up_to_line(sweep_bytes_);
}

/// Field number `field` between the sweeps.
template <class Real>
auto FusedOperator<Real>::middle(const Memory& memory, int field) const -> Complex* {
  if (!way_.apart && field < problem_.outputs) return static_cast<Complex*>(memory.out[field]);
  const int kept = way_.apart ? field : field - problem_.outputs;
  constexpr Index line = 64 / Index{sizeof(Complex)};
  return memory.kept + kept * round_up(middle_size_, line);
}

template <class Real>
void FusedOperator<Real>::execute_part(int part, const void* const* in, void* const* out,
                                       void* workspace) const {
  char* base = static_cast<char*>(workspace);
  Memory memory{in, out, base + up_to_line(sweep_bytes_), nullptr, base};
  memory.kept =
      reinterpret_cast<Complex*>(memory.tasks + static_cast<std::size_t>(tasks_) * task_bytes_);
  if (has_middle() && part == 0) {
    for (int f = 0; f < problem_.inputs; ++f) run_outer(*before_, in[f], middle(memory, f), memory);
  } else if (part == 2) {
    for (int f = 0; f < problem_.outputs; ++f)
      run_outer(*after_, middle(memory, f), out[f], memory);
  } else if (planes_) {
    run_in_place(*planes_, memory);
  } else if (columns_) {
    run_in_place(*columns_, memory);
  } else {
    run_tiles(memory);
  }
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
template <class Tiles>
void FusedOperator<Real>::run_in_place(const Tiles& tiles, const Memory& memory) const {
  std::array<Complex*, max_operator_fields> fields{};
  for (int f = 0; f < problem_.fields(); ++f) fields[at(f)] = middle(memory, f);
  const Index count = tiles.count();
  const int tasks = static_cast<int>(std::min<Index>(tasks_, count));
  run_tasks(*executor_, tasks, [&](int task) {
    char* scratch = memory.tasks + static_cast<std::size_t>(task) * task_bytes_;
    for (Index tile = count * task / tasks; tile < count * (task + 1) / tasks; ++tile)
      tiles.run(tile, fields.data(), waves_, function_, scratch);
  });
}

template <class Real>
void FusedOperator<Real>::run_tiles(const Memory& memory) const {
  const Index count = boxes_.count();
  const int tasks = static_cast<int>(std::min<Index>(tasks_, count));
  run_tasks(*executor_, tasks, [&](int task) {
    char* scratch = memory.tasks + static_cast<std::size_t>(task) * task_bytes_;
    for (Index tile = count * task / tasks; tile < count * (task + 1) / tasks; ++tile)
      run_tile(tile, memory, scratch);
  });
}

template <class Real>
void FusedOperator<Real>::run_tile(Index number, const Memory& memory, char* scratch) const {
  const TileBoxes::Place place = boxes_.place(number);
  const TilePlans& tile = tiles_[place.is_rest ? 1 : 0];
  const auto dimensions =
      tile_dimensions(problem_, place.begin, boxes_.extents(place.is_rest), tile.strides, waves_);
  const std::size_t count = problem_.spectrum.size();
  Index from = 0, to = 0;  // of the tile's first element
  for (std::size_t d = 0; d < count; ++d) {
    from += place.begin[d] * (has_middle() ? middle_strides_[d] : in_strides_[d]);
    to += place.begin[d] * (has_middle() ? middle_strides_[d] : out_strides_[d]);
  }

  std::array<Complex*, max_operator_fields> fields{};
  for (int f = 0; f < problem_.fields(); ++f)
    fields[at(f)] = reinterpret_cast<Complex*>(scratch + at(f) * field_bytes());
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
  double passes = 1;
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
  if (planes_) {
    text += planes_->text();
  } else if (columns_) {
    text += columns_->text();
  } else {
    const auto bytes = static_cast<double>(tiles_.front().modes) * sizeof(Complex);
    text += format("{} tiles of {:.0f} KiB per field: forward {}, function, backward\n",
                   boxes_.count(), bytes / 1024, list(tiling_.inside));
    text += "  forward: " + local::to_text(tiles_.front().forward.recipe) + "\n";
    text += "  backward: " + local::to_text(tiles_.front().backward.recipe) + "\n";
  }
  if (after_) text += "backward " + list(tiling_.outside) + ": " + text_of(*after_) + "\n";
  return text;
}

template class FusedOperator<float>;
template class FusedOperator<double>;

}  // namespace weft::spectral
