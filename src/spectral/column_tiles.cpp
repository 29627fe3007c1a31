// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/column_tiles.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "local/array/array_fit.hpp"

namespace weft::spectral {
namespace {

constexpr Index register_bytes = 128;  // of complex numbers, in the widest registers
constexpr Index least_bytes = 512;     // of a row of a tile, if the cache holds it at all
constexpr Index line_bytes = 64;

}  // namespace

ColumnCut column_cut(const OperatorProblem& problem, int axis, const std::vector<Index>& strides) {
  const auto& extents = problem.spectrum;
  ColumnCut cut{.columns = extents[at(axis) + 1] * strides[at(axis) + 1],
                .batches = 1,
                .n = extents[at(axis)],
                .apart = strides[at(axis)],
                .element_bytes = 2 * real_bytes(problem.forward.precision),
                .fields = problem.fields(),
                .tasks = 1,
                .cache = local::machine_model().l2};
  for (std::size_t d = 0; d < at(axis); ++d) cut.batches *= extents[d];
  return cut;
}

/// A quarter of the cache: what is left holds the scratch of lanes and what comes from memory. Half
/// of it for rows of 512 bytes: in shorter pieces memory is slower than the cache is small.
Index tile_columns(const ColumnCut& cut) {
  const Index unit = std::max<Index>(1, register_bytes / cut.element_bytes);
  const double column_bytes =
      static_cast<double>(cut.n) * static_cast<double>(cut.element_bytes) * cut.fields;
  const auto fitting = [&](double bytes) {
    return static_cast<Index>(bytes / column_bytes) / unit * unit;
  };
  const Index least = std::max(unit, least_bytes / cut.element_bytes);
  Index most = fitting(cut.cache.bytes / 4);
  if (most < least) most = std::clamp(fitting(cut.cache.bytes / 2), unit, least);
  Index best = most, least_cost = 0;
  for (Index width = most; width >= unit && 2 * width >= most; width -= unit) {
    const Index tiles = cut.batches * ceil_div(cut.columns, width);
    const Index cost = ceil_div(tiles, Index{cut.tasks}) * std::min(width, cut.columns);
    if (least_cost == 0 || cost < least_cost) {
      best = width;
      least_cost = cost;
    }
  }
  return std::min(best, cut.columns);
}

bool stay_in_cache(const ColumnCut& cut) {
  const auto sets = static_cast<Index>(cut.cache.bytes) / (line_bytes * cut.cache.ways);
  if (sets < 1) return false;
  std::vector<Index> lines(static_cast<std::size_t>(sets));
  const Index row_lines = ceil_div(tile_columns(cut) * cut.element_bytes, line_bytes);
  for (Index i = 0; i < cut.n; ++i) {
    const Index first = i * cut.apart * cut.element_bytes / line_bytes;
    for (Index line = first; line < first + row_lines; ++line)
      lines[static_cast<std::size_t>(line % sets)] += cut.fields;
  }
  // The other half of a set is for scratch and for what comes next.
  return 2 * *std::ranges::max_element(lines) <= cut.cache.ways;
}

template <class Real>
ColumnTiles<Real>::ColumnTiles(const OperatorProblem& problem, int axis,
                               const std::vector<Index>& strides, const OperatorChoice& choice)
    : problem_(problem), axis_(axis), strides_(strides) {
  const auto& extents = problem.spectrum;
  std::vector<local::Loop> before;
  for (std::size_t d = 0; d < at(axis); ++d) before.push_back({extents[d], strides[d], strides[d]});
  batches_ = local::LoopIndex(std::move(before));
  ColumnCut cut = column_cut(problem, axis, strides);
  columns_ = cut.columns;
  modes_of_row_ = extents.back();
  row_ = at(axis) + 2 < extents.size() ? strides[extents.size() - 2] : columns_;
  // The same recipe for all numbers of threads: so the results have the same bits.
  OperatorChoice within = choice;
  within.executor = serial_executor();
  if (!stay_in_cache(cut)) buffer_row_ = tile_columns(cut);
  const local::ArrayRecipe recipe =
      choose_recipe(problem_of(tile_columns(cut), Direction::forward), within);
  cut.tasks = std::max(1, choice.executor->concurrency());
  width_ = tile_columns(cut);
  if (buffer_row_ > 0) {  // whole cache lines, an odd number of them
    constexpr Index line = line_bytes / Index{sizeof(Complex)};
    buffer_row_ = round_up(width_, line);
    if (buffer_row_ / line % 2 == 0) buffer_row_ += line;
  }
  runs_ = ceil_div(columns_, width_);
  plans_.push_back(make_plans(width_, recipe, within));
  if (const Index rest = columns_ % width_; rest > 0)
    plans_.push_back(make_plans(rest, recipe, within));
}

template <class Real>
problem::ArrayProblem ColumnTiles<Real>::problem_of(Index columns, Direction direction) const {
  const Index n = problem_.spectrum[at(axis_)];
  const Transform transform = c2c(
      {n, columns}, {.axes = {0}, .direction = direction, .precision = problem_.forward.precision});
  const std::vector<Index> field{strides_[at(axis_)], 1},
      tile{buffer_row_ > 0 ? buffer_row_ : field[0], 1};
  const bool is_forward = direction == Direction::forward;
  double points = 1;
  if (!is_forward)
    for (int axis : problem_.forward.axes)
      points *= static_cast<double>(problem_.forward.shape[at(axis)]);
  return array_problem(transform, is_forward ? field : tile, is_forward ? tile : field, 1 / points);
}

template <class Real>
auto ColumnTiles<Real>::make_plans(Index columns, const local::ArrayRecipe& recipe,
                                   const OperatorChoice& choice) const -> Plans {
  const auto sweep = [&](Direction direction) {
    const problem::ArrayProblem array = problem_of(columns, direction);
    const local::ArrayRecipe fitting =
        local::fits(recipe, array) ? recipe : choose_recipe(array, choice);
    return Sweep<Real>{array, fitting, local::ArrayPlan<Real>(fitting, array, choice.executor)};
  };
  return {sweep(Direction::forward), sweep(Direction::backward)};
}

template <class Real>
std::size_t ColumnTiles<Real>::workspace_bytes() const {
  std::size_t bytes = 0;
  for (const Plans& plans : plans_)
    bytes = std::max(
        {bytes, plans.forward.plan.workspace_bytes(), plans.backward.plan.workspace_bytes()});
  return up_to_line(bytes) + at(problem_.fields()) * field_bytes();
}

/// Of a tile in the buffer. An odd number of cache lines keeps fields out of each other's sets.
template <class Real>
std::size_t ColumnTiles<Real>::field_bytes() const {
  if (buffer_row_ == 0) return 0;
  const Index modes = problem_.spectrum[at(axis_)] * buffer_row_;
  return up_to_line(static_cast<std::size_t>(modes) * sizeof(Complex)) + 64;
}

/// What is between the rows is transformed with them. Numbers that were left there could be slow or
/// raise exceptions.
template <class Real>
void ColumnTiles<Real>::clear_gaps(Index begin, Index end, Complex* tile, Index apart) const {
  if (row_ == modes_of_row_) return;
  for (Index row = begin / row_ * row_; row < end; row += row_) {
    const Index first = std::max(begin, row + modes_of_row_), last = std::min(end, row + row_);
    for (Index i = 0; first < last && i < problem_.spectrum[at(axis_)]; ++i)
      std::fill_n(tile + i * apart + first - begin, last - first, Complex{});
  }
}

/// Boxes of modes: parts of a row, and as many whole rows as follow each other along one dimension.
template <class Real>
template <class Body>
void ColumnTiles<Real>::for_each_part(Index begin, Index end, const Body& body) const {
  const Index rows_together = at(axis_) + 2 < problem_.spectrum.size()
                                  ? problem_.spectrum[problem_.spectrum.size() - 2]
                                  : 1;
  while (begin < end) {
    const Index row = begin / row_, first = begin % row_;
    const Index whole = std::min((end - begin) / row_, rows_together - row % rows_together);
    if (first == 0 && whole > 0) {
      body(Part{row, whole, 0, modes_of_row_});
      begin += whole * row_;
      continue;
    }
    const Index last = std::min(row_, first + end - begin);
    if (first < modes_of_row_) body(Part{row, 1, first, std::min(last, modes_of_row_)});
    begin += last - first;
  }
}

template <class Real>
void ColumnTiles<Real>::run(Index number, Complex* const* fields, const WaveNumbers<Real>& waves,
                            const Function& function, void* workspace) const {
  const Index begin = number % runs_ * width_, end = std::min(begin + width_, columns_);
  const Plans& plans = end - begin == width_ ? plans_.front() : plans_.back();
  Index batch = number / runs_;
  const Index from = batches_(batch).in + begin;
  auto* const buffers = static_cast<char*>(workspace);
  void* const scratch = buffers + at(problem_.fields()) * field_bytes();
  std::array<Complex*, max_operator_fields> tile{};
  for (int f = 0; f < problem_.fields(); ++f) {
    Complex* const field = fields[f] + from;
    tile[at(f)] =
        buffer_row_ > 0 ? reinterpret_cast<Complex*>(buffers + at(f) * field_bytes()) : field;
    const bool is_input = f < problem_.inputs;
    clear_gaps(begin, end, is_input ? field : tile[at(f)],
               is_input || buffer_row_ == 0 ? strides_[at(axis_)] : buffer_row_);
    if (is_input) plans.forward.plan.execute(field, tile[at(f)], scratch);
  }
  Dimensions dimensions;
  const std::size_t ndim = problem_.spectrum.size();
  for (std::size_t d = 0; d < ndim; ++d) dimensions[d].stride = strides_[d];
  dimensions[at(axis_)].extent = problem_.spectrum[at(axis_)];
  if (buffer_row_ > 0) dimensions[at(axis_)].stride = buffer_row_;
  for (std::size_t d = at(axis_); d-- > 0; batch /= problem_.spectrum[d])
    dimensions[d].begin = batch % problem_.spectrum[d];
  const int axes = static_cast<int>(problem_.forward.axes.size());
  for (int a = 0; a < axes; ++a) dimensions[at(problem_.forward.axes[at(a)])].axis = a;
  for_each_part(begin, end, [&](const Part& part) {
    place(part, dimensions);
    for (auto& dimension : dimensions) {
      if (dimension.axis < 0) continue;
      dimension.k = waves.k[at(dimension.axis)].data() + dimension.begin;
      dimension.odd = waves.odd[at(dimension.axis)].data() + dimension.begin;
    }
    std::array<Complex*, max_operator_fields> modes{};
    for (int f = 0; f < problem_.fields(); ++f)
      modes[at(f)] = tile[at(f)] + part.row * row_ + part.begin - begin;
    function(ModeTile<Real>{{dimensions.data(), ndim}, modes.data(), axes});
  });
  for (int f = 0; f < problem_.outputs; ++f)
    plans.backward.plan.execute(tile[at(f)], fields[f] + from, scratch);
}

/// Where the part lies in the spectrum, of the dimensions after the axis.
template <class Real>
void ColumnTiles<Real>::place(const Part& part, Dimensions& dimensions) const {
  const std::size_t last = problem_.spectrum.size() - 1;
  dimensions[last].begin = part.begin;
  dimensions[last].extent = part.end - part.begin;
  Index row = part.row;
  for (std::size_t d = last; d-- > at(axis_) + 1; row /= problem_.spectrum[d]) {
    dimensions[d].begin = row % problem_.spectrum[d];
    dimensions[d].extent = d + 1 == last ? part.rows : 1;
  }
}

template <class Real>
std::string ColumnTiles<Real>::text() const {
  const double bytes =
      static_cast<double>(width_ * problem_.spectrum[at(axis_)]) * sizeof(Complex) / 1024;
  return format(
      "{} tiles of {} columns, {:.0f} KiB per field, {}: forward axis {}, "
      "function, backward\n  both: {}\n",
      count(), width_, bytes, buffer_row_ > 0 ? "through a buffer" : "in place", axis_,
      local::to_text(plans_.front().forward.recipe));
}

template class ColumnTiles<float>;
template class ColumnTiles<double>;

}  // namespace weft::spectral
