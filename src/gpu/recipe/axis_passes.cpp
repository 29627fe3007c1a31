// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/axis_passes.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace weft::gpu {

AxisPasses::AxisPasses(const ArrayProblem& problem)
    : problem_(problem),
      dimensions_(dimensions_in_elements(problem)),
      workspace_(workspace_strides(problem)),
      is_begun_(problem.dimensions.size(), false) {}

Index AxisPasses::stride(int d, Place place) const {
  if (place == Place::workspace) return workspace_[at(d)];
  return place == Place::input ? dimensions_[at(d)].in : dimensions_[at(d)].out;
}

Blocks AxisPasses::blocks(int d, Place place) const {
  if (place == Place::input) return dimensions_[at(d)].in_blocks;
  return place == Place::output ? dimensions_[at(d)].out_blocks : Blocks{};
}

/// Lines of zeros, along axes that are padded later, are not transformed, nor are lines that were
/// cropped before.
Index AxisPasses::points_so_far(int d) const {
  const Dimension& dimension = dimensions_[at(d)];
  const Index kept = is_begun_[at(d)] ? dimension.out_kept : dimension.in_kept;
  return kept > 0 ? kept : problem_.half_extent(d);
}

/// A dimension in blocks is two loops: over the blocks, and within one.
void AxisPasses::add_loops(int d, std::vector<Loop>& loops) const {
  const Index n = points_so_far(d), in = stride(d, from_), out = stride(d, to_);
  const Blocks in_blocks = blocks(d, from_), out_blocks = blocks(d, to_);
  const Index length = in_blocks ? in_blocks.length : out_blocks.length;
  if (length == 0) {
    loops.push_back({n, in, out});
    return;
  }
  loops.push_back({length, in, out});
  loops.push_back({n / length, in_blocks ? in_blocks.jump : length * in,
                   out_blocks ? out_blocks.jump : length * out});
}

void AxisPasses::begin(int axis, Place from, Place to) {
  axis_ = axis;
  from_ = from;
  to_ = to;
  line_ = {};
  line_.precision = problem_.precision;
  line_.direction = problem_.direction;
  line_.n = dimensions_[at(axis)].n;
  line_.in = stride(axis, from);
  line_.out = stride(axis, to);
  line_.in_kept = dimensions_[at(axis)].in_kept;
  line_.out_kept = dimensions_[at(axis)].out_kept;
  is_begun_[at(axis)] = true;
  if (axis == problem_.halved_axis())
    line_.real = problem_.kind == Kind::r2c ? RealSide::input : RealSide::output;
  line_.in_blocks = blocks(axis, from);
  line_.out_blocks = blocks(axis, to);
  for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d)
    if (d != axis) add_loops(d, line_.loops);
  if (to == Place::workspace) recipe_.workspace_elements = half_count(problem_);
}

Recipe AxisPasses::finished() {
  leave_scale_to_last(recipe_, problem_.scale != 1);
  return recipe_;
}

/// The scratch array is contiguous, with `n` points of the axis; the last number is its size.
std::vector<Index> AxisPasses::scratch_strides(Index n) const {
  std::vector<Index> strides(dimensions_.size() + 1);
  Index stride = 1;
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= static_cast<int>(d) == axis_ ? n : problem_.half_extent(static_cast<int>(d));
  }
  strides.back() = stride;
  return strides;
}

/// The side of the loops that lies in the scratch array.
void AxisPasses::lead_through(LineProblem& line, Index Loop::* side,
                              const std::vector<Index>& scratch) const {
  std::size_t l = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (static_cast<int>(d) != axis_) line.loops[l++].*side = scratch[d];
}

Index AxisPasses::wanted_outputs() const {
  return line_.real == RealSide::input ? line_.n / 2 + 1 : line_.n;
}

bool AxisPasses::add(const std::vector<Part>& parts, Index scratch_elements,
                     const PassMaker& make) {
  std::vector<PlacedPass> passes;
  for (const Part& part : parts) {
    const auto pass = make(part.line);
    if (!pass) return false;
    passes.push_back({*pass, part.from, part.to});
  }
  recipe_.passes.insert(recipe_.passes.end(), passes.begin(), passes.end());
  recipe_.scratch_elements = std::max(recipe_.scratch_elements, scratch_elements);
  return true;
}

bool AxisPasses::in_one(const PassMaker& make) {
  // The other half of a half spectrum is read from the points that are there.
  if (line_.real == RealSide::output && line_.in_kept > 0) return false;
  return add({{line_, from_, to_}}, 0, make);
}

/// Of a real input the rows k1 and n1 - k1 that the first part makes are conjugate, so it makes
/// half of them; what the second makes of a row beyond the middle of the axis is the conjugate of
/// an output before it. A real output is the same backwards: with the twiddles, which then the
/// first part applies, every row is half of the spectrum of real points.
bool AxisPasses::in_two(Index n1, bool by_columns, const PassMaker& make) {
  const bool real_in = line_.real == RealSide::input, real_out = line_.real == RealSide::output;
  const Index n2 = line_.n / n1;
  const Index rows = real_in ? n1 / 2 + 1 : n1, columns = real_out ? n2 / 2 + 1 : n2;
  const std::vector<Index> scratch = scratch_strides(rows * columns);
  const Index s = scratch[at(axis_)];
  LineProblem first = line_, second = line_;
  lead_through(first, &Loop::out, scratch);
  lead_through(second, &Loop::in, scratch);
  first.n = n1;
  first.in = line_.in * n2;
  first.out = s * columns;
  first.loops.insert(first.loops.begin(), {columns, line_.in, s});
  second.n = n2;
  second.in = s;
  second.out = line_.out * n1;
  second.loops.insert(second.loops.begin(), {rows, s * columns, line_.out});
  LineProblem& with_twiddles = real_out ? first : second;
  with_twiddles.real = RealSide::none;
  with_twiddles.whole = line_.n;
  with_twiddles.split_loop = 0;
  with_twiddles.is_first_part = real_out;
  with_twiddles.folded = real_in ? Folded::output : real_out ? Folded::input : Folded::none;
  if (by_columns && s == 1 && line_.real == RealSide::none)
    return add_by_columns(first, second, scratch.back(), make);
  return add({{first, from_, Place::scratch}, {second, Place::scratch, to_}}, scratch.back(), make);
}

/// The part with the spectrum holds twin rows together, of which the other part is known to make or
/// to take all. Two reals are a point of the other part: it knows of no real line.
bool AxisPasses::in_two_halved(Index n1, const PassMaker& make) {
  const bool real_in = line_.real == RealSide::input;
  const Index h = line_.n / 2, n2 = h / n1;
  const std::vector<Index> scratch = scratch_strides(h);
  const Index s = scratch[at(axis_)];
  LineProblem first = line_, second = line_;
  lead_through(first, &Loop::out, scratch);
  lead_through(second, &Loop::in, scratch);
  const Index point_in = real_in ? 2 * line_.in : line_.in;
  const Index point_out = real_in ? line_.out : 2 * line_.out;
  first.n = n1;
  first.in = point_in * n2;
  first.out = s * n2;
  first.loops.insert(first.loops.begin(), {real_in ? n2 : n2 / 2 + 1, point_in, s});
  second.n = n2;
  second.in = s;
  second.out = point_out * n1;
  second.loops.insert(second.loops.begin(), {real_in ? n1 / 2 + 1 : n1, s * n2, point_out});
  LineProblem &twinned = real_in ? second : first, &plain = real_in ? first : second;
  first.real = second.real = RealSide::none;
  twinned.loops[0].mirror = real_in ? n1 : n2;
  twinned.is_twinned = true;
  twinned.whole = h;
  twinned.split_loop = 0;
  twinned.is_first_part = !real_in;
  plain.direction = real_in ? Direction::forward : Direction::backward;
  (real_in ? plain.pair : plain.out_pair) = real_in ? line_.in : line_.out;
  return add({{first, from_, Place::scratch}, {second, Place::scratch, to_}}, scratch.back(), make);
}

/// The scratch array between two parts of a contiguous axis as [column block][k1][column]: the
/// first writes whole tiles, the second reads a block of every line together.
bool AxisPasses::add_by_columns(const LineProblem& first, LineProblem second,
                                Index scratch_elements, const PassMaker& make) {
  auto pass1 = make(first);
  if (!pass1) return false;
  const auto split = std::ranges::find_if(
      pass1->loops, [&](const Loop& l) { return l.out == 1 && l.count == first.loops[0].count; });
  if (split == pass1->loops.end() || split->tile == 1 || split->count % split->tile != 0)
    return false;
  const Index columns = split->tile, block = first.n * columns;
  split->out_far = block;
  pass1->tile_axes[0].out = columns;
  second.in_blocks = {columns, block};
  second.loops[0].in = columns;
  const auto pass2 = make(second);
  if (!pass2) return false;
  recipe_.passes.push_back({*pass1, from_, Place::scratch});
  recipe_.passes.push_back({*pass2, Place::scratch, to_});
  recipe_.scratch_elements = std::max(recipe_.scratch_elements, scratch_elements);
  return true;
}

bool AxisPasses::in_three(Index n1, Index n2, const PassMaker& make) {
  const Index n = line_.n, rest = n / n1, n3 = rest / n2;
  const std::vector<Index> scratch = scratch_strides(n);
  const Index s = scratch[at(axis_)];
  LineProblem first = line_, second = line_, third = line_;
  lead_through(first, &Loop::out, scratch);
  lead_through(second, &Loop::in, scratch);
  lead_through(second, &Loop::out, scratch);
  lead_through(third, &Loop::in, scratch);
  first.n = n1;
  first.in = line_.in * rest;
  first.out = s * rest;
  first.loops.insert(first.loops.begin(), {rest, line_.in, s});
  first.whole = n;
  first.split_loop = 0;
  first.is_first_part = true;
  second.n = n2;
  second.in = second.out = s * n3;
  second.loops.insert(second.loops.begin(), {{n3, s, s}, {n1, s * rest, s * rest}});
  third.n = n3;
  third.in = s;
  third.out = line_.out * n1 * n2;
  third.loops.insert(third.loops.begin(),
                     {{n2, s * n3, line_.out * n1}, {n1, s * rest, line_.out}});
  third.whole = rest;
  third.split_loop = 0;
  return add({{first, from_, Place::scratch},
              {second, Place::scratch, Place::scratch},
              {third, Place::scratch, to_}},
             scratch.back(), make);
}

bool AxisPasses::as_convolution(Index m, const PassMaker& make) {
  const std::vector<Index> scratch = scratch_strides(m);
  LineProblem first = line_, second = line_;
  lead_through(first, &Loop::out, scratch);
  lead_through(second, &Loop::in, scratch);
  first.n = second.n = m;
  first.out = second.in = scratch[at(axis_)];
  first.direction = Direction::forward;
  second.direction = Direction::backward;
  first.chirp = {Chirp::Role::first, line_.n, wanted_outputs(), line_.direction};
  second.chirp = {Chirp::Role::second, line_.n, wanted_outputs(), line_.direction};
  return add({{first, from_, Place::scratch}, {second, Place::scratch, to_}}, scratch.back(), make);
}

/// Between the rows' passes k1 + m1 k2 lies at k1 m2 + k2, so that nothing is transposed.
bool AxisPasses::as_long_convolution(Index m1, Index m2, const PassMaker& make) {
  const std::vector<Index> scratch = scratch_strides(m1 * m2);
  const Index s = scratch[at(axis_)];
  LineProblem columns = line_, rows = line_;
  columns.direction = rows.direction = Direction::forward;
  columns.split_loop = rows.split_loop = 0;
  LineProblem columns_back = columns;
  lead_through(columns, &Loop::out, scratch);
  lead_through(columns_back, &Loop::in, scratch);
  columns.n = columns_back.n = m1;
  columns.in = line_.in * m2;
  columns.out = columns_back.in = s * m2;
  columns_back.out = line_.out * m2;
  columns.loops.insert(columns.loops.begin(), {m2, line_.in, s});
  columns_back.loops.insert(columns_back.loops.begin(), {m2, s, line_.out});
  columns.chirp = {Chirp::Role::entry, line_.n, wanted_outputs(), line_.direction, m2};
  columns_back.chirp = {Chirp::Role::second, line_.n, wanted_outputs(), line_.direction, m2};
  lead_through(rows, &Loop::in, scratch);
  lead_through(rows, &Loop::out, scratch);
  rows.real = RealSide::none;
  rows.n = m2;
  rows.in = rows.out = s;
  rows.loops.insert(rows.loops.begin(), {m1, s * m2, s * m2});
  rows.whole = m1 * m2;
  LineProblem rows_back = rows;
  rows.chirp = {Chirp::Role::spectrum, line_.n, wanted_outputs(), line_.direction, m1};
  rows_back.is_first_part = true;
  rows_back.direction = columns_back.direction = Direction::backward;
  return add({{columns, from_, Place::scratch},
              {rows, Place::scratch, Place::scratch},
              {rows_back, Place::scratch, Place::scratch},
              {columns_back, Place::scratch, to_}},
             scratch.back(), make);
}

}  // namespace weft::gpu
