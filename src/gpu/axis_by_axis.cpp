// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/axis_by_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/index.hpp"
#include "gpu/two_pass.hpp"

namespace weft::gpu {
namespace {

class AxisByAxis {
 public:
  AxisByAxis(const Problem& problem, const Limits& limits, const LineOptions& options)
      : problem_(problem),
        limits_(limits),
        options_(options),
        workspace_(workspace_strides(problem)) {}

  std::optional<Recipe> run() {
    const std::vector<int> order = axis_order(problem_);
    Place place = Place::input;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_last = i + 1 == order.size();
      const Place to = problem_.kind == Kind::c2r && !is_last ? Place::workspace : Place::output;
      if (!add(order[i], place, to)) return std::nullopt;
      if (to == Place::workspace) recipe_.workspace_elements = half_count(problem_);
      place = to;
    }
    leave_scale_to_last(recipe_, problem_.scales);
    return recipe_;
  }

 private:
  Index stride(int d, Place place) const {
    if (place == Place::workspace) return workspace_[at(d)];
    return place == Place::input ? problem_.dimensions[at(d)].in : problem_.dimensions[at(d)].out;
  }

  Blocks blocks(int d, Place place) const {
    if (place == Place::input) return problem_.dimensions[at(d)].in_blocks;
    return place == Place::output ? problem_.dimensions[at(d)].out_blocks : Blocks{};
  }

  /// A dimension in blocks is two loops: over the blocks, and within one.
  void add_loops(int d, Place from, Place to, std::vector<Loop>& loops) const {
    const Index n = half_extent(problem_, d), in = stride(d, from), out = stride(d, to);
    const Blocks in_blocks = blocks(d, from), out_blocks = blocks(d, to);
    const Index length = in_blocks ? in_blocks.length : out_blocks.length;
    if (length == 0) {
      loops.push_back({n, in, out});
      return;
    }
    loops.push_back({length, in, out});
    loops.push_back({n / length, in_blocks ? in_blocks.jump : length * in,
                     out_blocks ? out_blocks.jump : length * out});
  }

  LineProblem line(int axis, Place from, Place to) const {
    LineProblem line;
    line.precision = problem_.precision;
    line.direction = problem_.direction;
    line.n = problem_.dimensions[at(axis)].n;
    line.in = stride(axis, from);
    line.out = stride(axis, to);
    if (axis == halved_axis(problem_))
      line.real = problem_.kind == Kind::r2c ? RealSide::input : RealSide::output;
    line.in_blocks = blocks(axis, from);
    line.out_blocks = blocks(axis, to);
    for (int d = 0; d < static_cast<int>(problem_.dimensions.size()); ++d)
      if (d != axis) add_loops(d, from, to, line.loops);
    return line;
  }

  bool add(int axis, Place from, Place to) {
    const LineProblem whole = line(axis, from, to);
    if (auto pass = line_pass(whole, limits_, options_)) {
      recipe_.steps.push_back({*pass, from, to});
      return true;
    }
    if (has_blocks(problem_)) return false;
    if (add_split(axis, whole, from, to)) return true;
    if (whole.real == RealSide::none && add_three_parts(axis, whole, from, to)) return true;
    return add_convolution(axis, whole, from, to);
  }

  /// The scratch array is contiguous, with `n` points of the axis.
  std::vector<Index> scratch_strides(int axis, Index n) {
    std::vector<Index> strides(problem_.dimensions.size());
    Index stride = 1;
    for (std::size_t d = strides.size(); d-- > 0;) {
      strides[d] = stride;
      stride *= static_cast<int>(d) == axis ? n : half_extent(problem_, static_cast<int>(d));
    }
    recipe_.scratch_elements = std::max(recipe_.scratch_elements, stride);
    return strides;
  }
  /// Side of the loops that lies in the scratch array.
  void lead_through(LineProblem& problem, Index Loop::* side, int axis,
                    const std::vector<Index>& scratch) const {
    std::size_t l = 0;
    for (std::size_t d = 0; d < scratch.size(); ++d)
      if (static_cast<int>(d) != axis) problem.loops[l++].*side = scratch[d];
  }

  /// n = n1 n2: the first part over n1 at distance n2, then the second with its twiddles. Of a real
  /// input the rows k1 and n1 - k1 that the first part makes are conjugate, so it makes half of
  /// them; what the second makes of a row beyond the middle of the axis is the conjugate of an
  /// output before it. A real output is the same backwards: with the twiddles, which then the first
  /// part applies, every row is half of the spectrum of real points.
  bool add_split(int axis, const LineProblem& whole, Place from, Place to) {
    const bool real_in = whole.real == RealSide::input, real_out = whole.real == RealSide::output;
    const Index scratch_before = recipe_.scratch_elements;
    for (int segment = options_.segment_bytes; segment >= 16; segment /= 2) {
      LineOptions options = options_;
      options.segment_bytes = segment;
      for (const Index n1 : divisors_near_root(whole.n)) {
        const Index n2 = whole.n / n1;
        const Index rows = real_in ? n1 / 2 + 1 : n1, columns = real_out ? n2 / 2 + 1 : n2;
        recipe_.scratch_elements = scratch_before;
        const std::vector<Index> scratch = scratch_strides(axis, rows * columns);
        const Index s = scratch[at(axis)];
        LineProblem first = whole, second = whole;
        lead_through(first, &Loop::out, axis, scratch);
        lead_through(second, &Loop::in, axis, scratch);
        first.n = n1;
        first.in = whole.in * n2;
        first.out = s * columns;
        first.loops.insert(first.loops.begin(), {columns, whole.in, s});
        second.n = n2;
        second.in = s;
        second.out = whole.out * n1;
        second.loops.insert(second.loops.begin(), {rows, s * columns, whole.out});
        LineProblem& with_twiddles = real_out ? first : second;
        with_twiddles.real = RealSide::none;
        with_twiddles.whole = whole.n;
        with_twiddles.split_loop = 0;
        with_twiddles.is_first_part = real_out;
        with_twiddles.folded = real_in ? Folded::output : real_out ? Folded::input : Folded::none;
        const bool by_columns = options_.by_columns && s == 1 && whole.real == RealSide::none;
        if (by_columns ? add_by_columns(first, second, options, from, to)
                       : add_pair(first, second, options, from, to))
          return true;
      }
    }
    recipe_.scratch_elements = scratch_before;
    return false;
  }

  /// n = n1 n2 n3, all of them short: the first part applies the twiddles to what it writes, then
  /// the rest is split as above, within the scratch array.
  bool add_three_parts(int axis, const LineProblem& whole, Place from, Place to) {
    const Index n = whole.n;
    const Index wanted = options_.first_part > 0
                             ? options_.first_part
                             : static_cast<Index>(std::cbrt(static_cast<double>(n)));
    const std::vector<Index> scratch = scratch_strides(axis, n);
    const Index s = scratch[at(axis)];
    std::vector<Index> divisors = divisors_near_root(n);
    std::ranges::stable_sort(divisors, {}, [&](Index d) { return std::abs(d - wanted); });
    for (const Index n1 : divisors)
      for (const Index n2 : divisors_near_root(n / n1)) {
        const Index rest = n / n1, n3 = rest / n2;
        LineProblem first = whole, second = whole, third = whole;
        lead_through(first, &Loop::out, axis, scratch);
        lead_through(second, &Loop::in, axis, scratch);
        lead_through(second, &Loop::out, axis, scratch);
        lead_through(third, &Loop::in, axis, scratch);
        first.n = n1;
        first.in = whole.in * rest;
        first.out = s * rest;
        first.loops.insert(first.loops.begin(), {rest, whole.in, s});
        first.whole = n;
        first.split_loop = 0;
        first.is_first_part = true;
        second.n = n2;
        second.in = second.out = s * n3;
        second.loops.insert(second.loops.begin(), {{n3, s, s}, {n1, s * rest, s * rest}});
        third.n = n3;
        third.in = s;
        third.out = whole.out * n1 * n2;
        third.loops.insert(third.loops.begin(),
                           {{n2, s * n3, whole.out * n1}, {n1, s * rest, whole.out}});
        third.whole = rest;
        third.split_loop = 0;
        const auto pass1 = line_pass(first, limits_, options_);
        const auto pass2 = line_pass(second, limits_, options_);
        const auto pass3 = line_pass(third, limits_, options_);
        if (!pass1 || !pass2 || !pass3) continue;
        recipe_.steps.push_back({*pass1, from, Place::scratch});
        recipe_.steps.push_back({*pass2, Place::scratch, Place::scratch});
        recipe_.steps.push_back({*pass3, Place::scratch, to});
        return true;
      }
    return false;
  }

  /// Bluestein: any n, as a convolution of m >= 2 n - 1 points.
  bool add_convolution(int axis, const LineProblem& whole, Place from, Place to) {
    constexpr int attempts = 64;
    const Index n = whole.n, scratch_before = recipe_.scratch_elements;
    const Index largest_tile = options_.block_points * limits_.largest_cluster;
    Index m = 2 * n - 2;
    for (int attempt = 0; attempt < attempts && m < largest_tile; ++attempt) {
      m = next_smooth(m + 1);
      const std::vector<Index> scratch = scratch_strides(axis, m);
      LineProblem first = whole, second = whole;
      lead_through(first, &Loop::out, axis, scratch);
      lead_through(second, &Loop::in, axis, scratch);
      first.n = second.n = m;
      first.out = second.in = scratch[at(axis)];
      first.direction = Direction::forward;
      second.direction = Direction::backward;
      const Index outputs = whole.real == RealSide::input ? n / 2 + 1 : n;
      first.chirp = {Chirp::Role::first, n, outputs, whole.direction};
      second.chirp = {Chirp::Role::second, n, outputs, whole.direction};
      if (add_pair(first, second, options_, from, to)) return true;
    }
    recipe_.scratch_elements = scratch_before;
    return add_long_convolution(axis, whole, from, to);
  }

  /// The same with m = m1 m2 points in the scratch array: columns, rows, rows back, columns back.
  /// Between the rows' passes k1 + m1 k2 lies at k1 m2 + k2, so that nothing is transposed. The
  /// table of the spectrum is made on the host, in long double: it would take minutes and tens of
  /// gigabytes for longer axes.
  bool add_long_convolution(int axis, const LineProblem& whole, Place from, Place to) {
    constexpr int attempts = 16;
    constexpr Index longest_convolution = Index(1) << 26;
    const Index scratch_before = recipe_.scratch_elements;
    Index m = 2 * whole.n - 2;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      m = next_smooth(m + 1);
      if (m > longest_convolution) break;
      recipe_.scratch_elements = scratch_before;
      const std::vector<Index> scratch = scratch_strides(axis, m);
      for (int segment = options_.segment_bytes; segment >= 16; segment /= 2) {
        LineOptions options = options_;
        options.segment_bytes = segment;
        for (const Index m1 : divisors_near_root(m))
          if (add_convolution_of(m1, m / m1, axis, whole, scratch, options, from, to)) return true;
      }
    }
    recipe_.scratch_elements = scratch_before;
    return false;
  }
  bool add_convolution_of(Index m1, Index m2, int axis, const LineProblem& whole,
                          const std::vector<Index>& scratch, const LineOptions& options, Place from,
                          Place to) {
    const Index s = scratch[at(axis)], n = whole.n;
    const Index outputs = whole.real == RealSide::input ? n / 2 + 1 : n;
    LineProblem columns = whole, rows = whole;
    columns.direction = rows.direction = Direction::forward;
    columns.split_loop = rows.split_loop = 0;
    LineProblem columns_back = columns;
    lead_through(columns, &Loop::out, axis, scratch);
    lead_through(columns_back, &Loop::in, axis, scratch);
    columns.n = columns_back.n = m1;
    columns.in = whole.in * m2;
    columns.out = columns_back.in = s * m2;
    columns_back.out = whole.out * m2;
    columns.loops.insert(columns.loops.begin(), {m2, whole.in, s});
    columns_back.loops.insert(columns_back.loops.begin(), {m2, s, whole.out});
    columns.chirp = {Chirp::Role::entry, n, outputs, whole.direction, m2};
    columns_back.chirp = {Chirp::Role::second, n, outputs, whole.direction, m2};
    lead_through(rows, &Loop::in, axis, scratch);
    lead_through(rows, &Loop::out, axis, scratch);
    rows.real = RealSide::none;
    rows.n = m2;
    rows.in = rows.out = s;
    rows.loops.insert(rows.loops.begin(), {m1, s * m2, s * m2});
    rows.whole = m1 * m2;
    LineProblem rows_back = rows;
    rows.chirp = {Chirp::Role::spectrum, n, outputs, whole.direction, m1};
    rows_back.is_first_part = true;
    rows_back.direction = columns_back.direction = Direction::backward;
    std::vector<Step> steps;
    for (const LineProblem* part : {&columns, &rows, &rows_back, &columns_back}) {
      const auto pass = line_pass(*part, limits_, options);
      if (!pass) return false;
      steps.push_back({*pass, part == &columns ? from : Place::scratch,
                       part == &columns_back ? to : Place::scratch});
    }
    recipe_.steps.insert(recipe_.steps.end(), steps.begin(), steps.end());
    return true;
  }

  bool add_pair(const LineProblem& first, const LineProblem& second, const LineOptions& options,
                Place from, Place to) {
    const auto pass1 = line_pass(first, limits_, options);
    const auto pass2 = line_pass(second, limits_, options);
    if (!pass1 || !pass2) return false;
    recipe_.steps.push_back({*pass1, from, Place::scratch});
    recipe_.steps.push_back({*pass2, Place::scratch, to});
    return true;
  }

  /// The scratch array between two parts of a contiguous axis as [column block][k1][column]: the
  /// first writes whole tiles, the second reads a block of every line together.
  bool add_by_columns(const LineProblem& first, LineProblem second, const LineOptions& options,
                      Place from, Place to) {
    auto pass1 = line_pass(first, limits_, options);
    if (!pass1) return false;
    const auto split = std::ranges::find_if(
        pass1->loops, [&](const Loop& l) { return l.out == 1 && l.count == first.loops[0].count; });
    if (split == pass1->loops.end() || split->tile == 1 || split->count % split->tile != 0)
      return false;
    const Index columns = split->tile, block = first.n * columns;
    split->out_far = block;
    pass1->pieces[0].out = columns;
    second.in_blocks = {columns, block};
    second.loops[0].in = columns;
    const auto pass2 = line_pass(second, limits_, options);
    if (!pass2) return false;
    recipe_.steps.push_back({*pass1, from, Place::scratch});
    recipe_.steps.push_back({*pass2, Place::scratch, to});
    return true;
  }

  static std::vector<Index> divisors_near_root(Index n) {
    std::vector<Index> divisors;
    for (Index r = 2; r * r <= n; ++r)
      if (n % r == 0) {
        divisors.push_back(r);
        if (r * r != n) divisors.push_back(n / r);
      }
    std::ranges::stable_sort(divisors, {}, [n](Index r) { return std::max(r, n / r); });
    return divisors;
  }

  const Problem& problem_;
  const Limits& limits_;
  LineOptions options_;
  std::vector<Index> workspace_;
  Recipe recipe_;
};

}  // namespace

std::optional<Recipe> axis_by_axis(const Problem& problem, const Limits& limits,
                                   const LineOptions& options) {
  return AxisByAxis(problem, limits, options).run();
}

}  // namespace weft::gpu
