// SPDX-License-Identifier: BSD-3-Clause
#include "global/line/line.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/index.hpp"
#include "global/run/stage.hpp"
#include "global/strategy/strategy.hpp"

namespace weft::global {

using reshape::Memory;
using reshape::Piece;

namespace {

/// What a side of the line holds.
enum class Side {
  points,         ///< point i * columns + j is element (i, j)
  spectrum,       ///< point p + rows * q is element (p, q)
  half_spectrum,  ///< the same of the first half of the points
  split           ///< elements (p, q), as they are
};

Side input_side(const GlobalProblem& line) {
  if (line.input_is_split) return Side::split;
  return line.kind == Kind::c2r ? Side::half_spectrum : Side::points;
}
Side output_side(const GlobalProblem& line) {
  if (line.output_is_split) return Side::split;
  if (line.kind == Kind::r2c) return Side::half_spectrum;
  // Columns come first where the input is a spectrum; then the output is not.
  return input_side(line) == Side::points ? Side::spectrum : Side::points;
}

/// Rows [first, last) of a matrix, and columns [begin, end) of each.
struct Block {
  Index first, last, begin, end;
};

/// An interval of a matrix that is stored row by row: part of a row, whole rows, part of a row.
std::vector<Block> blocks_of(Index begin, Index end, Index width) {
  std::vector<Block> blocks;
  if (begin % width != 0 && begin < end) {
    const Index row = begin / width, stop = std::min(end, (row + 1) * width);
    blocks.push_back({row, row + 1, begin % width, stop - row * width});
    begin = stop;
  }
  if (end / width > begin / width && begin < end)
    blocks.push_back({begin / width, end / width, 0, width});
  begin = std::max(begin, end / width * width);
  if (begin < end) blocks.push_back({begin / width, begin / width + 1, 0, end - begin});
  return blocks;
}

struct Splitter {
  LineSplit split;
  Index element_bytes;

  /// The part of the piece that is the given rows and columns of the matrix, the first of which is
  /// `first_point` of the line; the strides count points.
  Piece place(const Piece& piece, std::pair<Index, Index> rows, std::pair<Index, Index> columns,
              Index row_stride, Index column_stride, Index first_point) const {
    const int a = split.axis;
    Piece out = piece;
    out.box.ndim = piece.box.ndim + 1;
    for (int d = piece.box.ndim; d > a + 1; --d) {
      out.box.begin[at(d)] = piece.box.begin[at(d - 1)];
      out.box.end[at(d)] = piece.box.end[at(d - 1)];
      out.strides[at(d)] = piece.strides[at(d - 1)];
    }
    const Index stride = piece.strides[at(a)];
    std::tie(out.box.begin[at(a)], out.box.end[at(a)]) = rows;
    std::tie(out.box.begin[at(a + 1)], out.box.end[at(a + 1)]) = columns;
    out.strides[at(a)] = row_stride * stride;
    out.strides[at(a + 1)] = column_stride * stride;
    out.offset += (first_point - piece.box.begin[at(a)]) * stride * element_bytes;
    return out;
  }

  void points(const Piece& piece, std::vector<Piece>& out) const {
    const Index m = split.columns;
    for (const Block& b : blocks_of(begin(piece), end(piece), m))
      out.push_back(place(piece, {b.first, b.last}, {b.begin, b.end}, m, 1, b.first * m + b.begin));
  }

  void spectrum(const Piece& piece, Index rows, std::vector<Piece>& out) const {
    const Index n = split.rows;
    for (Block b : blocks_of(begin(piece), end(piece), n)) {
      b.end = std::min(b.end, rows);
      if (b.begin < b.end)
        out.push_back(
            place(piece, {b.begin, b.end}, {b.first, b.last}, 1, n, b.first * n + b.begin));
    }
  }

  /// Point k = k2 + n k1 as the conjugate of element (n - k2, m - 1 - k1), or (0, m - k1) for
  /// k2 = 0. `least` is the smallest k2 that is wanted beside 0.
  void mirrored(const Piece& piece, Index stop, Index least, bool with_zero,
                std::vector<Piece>& out) const {
    const Index n = split.rows, m = split.columns;
    const auto add = [&](std::pair<Index, Index> rows, std::pair<Index, Index> columns,
                         Index first_point) {
      out.push_back(place(piece, rows, columns, -1, -n, first_point));
      out.back().conjugate = true;
    };
    for (const Block& b :
         blocks_of(std::max<Index>(begin(piece), 1), std::min(end(piece), stop), n)) {
      const Index from = std::max(b.begin, least);
      if (from < b.end)
        add({n - b.end + 1, n - from + 1}, {m - b.last, m - b.first}, (b.last - 1) * n + b.end - 1);
      if (with_zero && b.begin == 0 && b.last > 0) {
        const Index first = std::max<Index>(b.first, 1);
        if (first < b.last) add({0, 1}, {m - b.last + 1, m - first + 1}, (b.last - 1) * n);
      }
    }
  }

  Index begin(const Piece& piece) const { return piece.box.begin[at(split.axis)]; }
  Index end(const Piece& piece) const { return piece.box.end[at(split.axis)]; }
};

std::vector<Piece> split_pieces(const std::vector<Piece>& pieces, Side side, bool is_input,
                                const LineSplit& split, Index element_bytes) {
  if (side == Side::split) return pieces;
  const Splitter splitter{split, element_bytes};
  const Index n = split.rows, points = n * split.columns;
  std::vector<Piece> result;
  for (const Piece& piece : pieces) {
    if (piece.box.empty()) continue;
    if (side == Side::points) splitter.points(piece, result);
    if (side == Side::spectrum) splitter.spectrum(piece, n, result);
    if (side == Side::half_spectrum) {
      splitter.spectrum(piece, n / 2 + 1, result);
      // As input, every element of the matrix comes from somewhere, once. As output, every point
      // that has no element of its own takes the mirrored one's.
      if (is_input)
        splitter.mirrored(piece, points - points / 2, n - n / 2, true, result);
      else
        splitter.mirrored(piece, points, n / 2 + 1, false, result);
    }
  }
  return result;
}

ArrayDistribution split_distribution(const ArrayDistribution& distribution, Side side,
                                     bool is_input, const LineSplit& split) {
  ArrayDistribution::List result;
  for (const auto& boxes : distribution) {
    std::vector<Piece> pieces;
    for (const Box& box : boxes) pieces.push_back({.box = box});
    result.emplace_back();
    for (const Piece& piece : split_pieces(pieces, side, is_input, split, 1))
      result.back().push_back(piece.box);
  }
  return result;
}

LineSplit split_of(const GlobalProblem& problem, const Recipe& recipe) {
  return {problem.axes.front(), recipe.rows, recipe.columns};
}

Index length(const GlobalProblem& line) { return line.dimension(line.axes[0]).n; }

bool is_chirp(const Recipe& recipe) { return recipe.strategy == Recipe::Strategy::chirp; }

}  // namespace

bool is_line(const GlobalProblem& problem) {
  return problem.axes.size() == 1 && problem.kind != Kind::r2r && !problem.is_padded() &&
         problem.extras.spectrum == Spectrum::half && problem.precision != Precision::f16 &&
         problem.ndim() < max_box_ndim && problem.twiddled < 0;
}

GlobalProblem matrix_problem(const GlobalProblem& line, const LineSplit& split) {
  GlobalProblem matrix = line;
  matrix.reach = {};
  matrix.dimensions[at(split.axis)].n = split.rows;
  matrix.dimensions.insert(matrix.dimensions.begin() + split.axis + 1, {.n = split.columns});
  matrix.axes = {split.axis + 1, split.axis};
  matrix.input = split_distribution(line.input, input_side(line), true, split);
  if (!line.output_is_free)
    matrix.output = split_distribution(line.output, output_side(line), false, split);
  matrix.split.reset();
  matrix.input_is_split = matrix.output_is_split = false;
  matrix.twiddled = split.axis;
  matrix.columns_first = input_side(line) != Side::points;
  return matrix;
}

std::vector<Piece> matrix_input(const GlobalProblem& line, const LineSplit& split,
                                const std::vector<Piece>& pieces) {
  return split_pieces(pieces, input_side(line), true, split,
                      in_element_bytes(line.kind, line.precision));
}
std::vector<Piece> matrix_output(const GlobalProblem& line, const LineSplit& split,
                                 const std::vector<Piece>& pieces) {
  return split_pieces(pieces, output_side(line), false, split,
                      out_element_bytes(line.kind, line.precision));
}

std::vector<Piece> mirrored_half(const Piece& piece, int axis, Index n, Index element_bytes) {
  // The points 1 to (n-1)/2 have partners of their own.
  const Index begin = std::max<Index>(piece.box.begin[at(axis)], 1);
  const Index end = std::min(piece.box.end[at(axis)], n - n / 2);
  if (begin >= end) return {};
  Piece mirror = piece;
  mirror.box.begin[at(axis)] = n - end + 1;
  mirror.box.end[at(axis)] = n - begin + 1;
  mirror.offset += (end - 1 - piece.box.begin[at(axis)]) * piece.strides[at(axis)] * element_bytes;
  mirror.strides[at(axis)] = -piece.strides[at(axis)];
  mirror.conjugate = true;
  return {mirror};
}

GlobalProblem padded_problem(const GlobalProblem& line, const LineSplit& padded) {
  GlobalProblem longer = line;
  longer.reach = {};
  const int a = padded.axis;
  const Index n = length(line), points = padded.rows * padded.columns;
  longer.kind = Kind::c2c;
  longer.direction = Direction::forward;
  longer.dimensions[at(a)].n = points;
  longer.scale = 1.0;
  longer.output = {};
  longer.output_is_free = true;
  const int ranks = line.ranks();
  ArrayDistribution::List input = line.input.list();
  for (int rank = 0; rank < ranks; ++rank) {
    auto& boxes = input[at(rank)];
    if (line.kind == Kind::c2r)
      for (const Box& box : line.input[at(rank)])
        for (const Piece& mirror : mirrored_half({.box = box}, a, n, 1))
          boxes.push_back(mirror.box);
    Box zeros = Box::of_shape(longer.shape());
    const auto [begin, end] = split_evenly(points - n, ranks, rank);
    zeros.begin[at(a)] = n + begin;
    zeros.end[at(a)] = n + end;
    boxes.push_back(zeros);
  }
  longer.input = std::move(input);
  return longer;
}

GlobalProblem unpadded_problem(const GlobalProblem& line, const LineSplit& padded,
                               const ArrayDistribution& scrambled) {
  GlobalProblem longer = line;
  longer.reach = {};
  longer.kind = Kind::c2c;
  longer.direction = Direction::backward;
  longer.dimensions[at(padded.axis)].n = padded.rows * padded.columns;
  longer.scale = 1.0;
  longer.input = scrambled;
  longer.split = padded;
  longer.input_is_split = true;
  return longer;
}

GlobalProblem staged_problem(const GlobalProblem& problem, const Recipe& recipe) {
  if (!recipe.is_matrix()) return problem;
  const LineSplit split = split_of(problem, recipe);
  return matrix_problem(is_chirp(recipe) ? padded_problem(problem, split) : problem, split);
}

Recipe way_back(const Recipe& recipe) {
  Recipe back = reversed(recipe);
  back.stages.front().where = Stage::Where::input;
  if (back.stages.back().where != Stage::Where::output || !back.stages.back().axes.empty())
    back.stages.push_back({.where = Stage::Where::output});
  return back;
}

namespace {

/// There, to scrambled order, and back from it; on a line that is long enough, and not much longer.
bool chirp_fits(const Recipe& recipe, const GlobalProblem& problem) {
  const Index n = length(problem);
  if (problem.input_is_split || problem.output_is_split || problem.output_is_free) return false;
  if (recipe.columns > 8 * n / recipe.rows || recipe.rows * recipe.columns < 2 * n - 1)
    return false;
  const GlobalProblem matrix = staged_problem(problem, recipe);
  if (!stages_fit(recipe, matrix)) return false;
  const LineSplit split = split_of(problem, recipe);
  const ArrayDistribution scrambled =
      distribution_of(matrix, recipe.stages.back(), matrix.output_shape());
  return stages_fit(way_back(recipe),
                    matrix_problem(unpadded_problem(problem, split, scrambled), split));
}

}  // namespace

bool fits(const Recipe& recipe, const GlobalProblem& problem) {
  const bool splits = problem.input_is_split || problem.output_is_split;
  if (!recipe.is_matrix()) return !splits && stages_fit(recipe, problem);
  if (!is_line(problem)) return false;
  if (is_chirp(recipe)) return chirp_fits(recipe, problem);
  const LineSplit split = split_of(problem, recipe);
  if (splits && *problem.split != split) return false;
  const Index n = length(problem);
  if (recipe.rows > n || n % recipe.rows != 0 || n / recipe.rows != recipe.columns) return false;
  return stages_fit(recipe, staged_problem(problem, recipe));
}

namespace {

/// How many rows are best, ranks aside. Columns are read across all rows, a page of memory each:
/// few rows are kind to the translation of addresses. Rows are taken one by one: 2^16 points still
/// fit caches. Never more rows than columns.
double best_rows(double points) {
  const double square = std::sqrt(points);
  return std::clamp(points / 65536, std::min(256.0, square), square);
}

/// How far a split is from an easy one: rows and columns for every rank, lengths that kernels take,
/// whole cache lines for every rank.
double awkwardness(Index rows, Index columns, Index ranks) {
  const double r = static_cast<double>(rows), c = static_cast<double>(columns);
  double sum = std::abs(std::log2(r / best_rows(r * c)));
  for (Index n : {rows, columns}) {
    if (n % ranks != 0) sum += n / ranks >= 16 ? 0.5 : 2;
    if (n < ranks) sum += 8;
    if (const Index prime = largest_prime_factor(n); prime > 13) sum += prime > 100 ? 4 : 2;
  }
  return columns % (8 * ranks) == 0 ? sum : sum + 0.5;
}

/// The best few splits of a line of n points.
std::vector<LineSplit> splits_of(Index n, int axis, Index ranks) {
  std::vector<LineSplit> splits;
  for (const auto& [rows, columns] : factor_pairs(n)) splits.push_back({axis, rows, columns});
  std::ranges::stable_sort(
      splits, {}, [&](const LineSplit& s) { return awkwardness(s.rows, s.columns, ranks); });
  if (splits.size() > 3) splits.resize(3);
  return splits;
}

Recipe staged(const GlobalProblem& matrix, Recipe::Strategy strategy, const LineSplit& split) {
  const int a = split.axis;
  const int first = matrix.columns_first ? a + 1 : a, second = 2 * a + 1 - first;
  const auto build = [&](const GlobalProblem& forward, int one, int other) {
    const int intact[] = {one};
    return recipe_of_groups(forward, strategy, {{one}, {other}},
                            balanced_grid(forward.half_shape(), forward.ranks(), intact));
  };
  // The halved axis is the first of r2c; c2r reverses that.
  Recipe recipe = matrix.kind == Kind::c2r ? reversed(build(mirrored(matrix), second, first))
                                           : build(matrix, first, second);
  recipe.rows = split.rows;
  recipe.columns = split.columns;
  return recipe;
}

}  // namespace

std::vector<Recipe> line_recipes(const GlobalProblem& problem) {
  std::vector<Recipe> recipes;
  if (!is_line(problem) || (problem.ranks() == 1 && !problem.split)) return recipes;
  const int axis = problem.axes[0];
  const Index n = length(problem), ranks = problem.ranks();
  const auto splits =
      problem.split ? std::vector<LineSplit>{*problem.split} : splits_of(n, axis, ranks);
  for (const LineSplit& split : splits)
    recipes.push_back(staged(matrix_problem(problem, split), Recipe::Strategy::line, split));
  const bool easy = !splits.empty() && awkwardness(splits[0].rows, splits[0].columns, ranks) < 8;
  if (easy || problem.split || problem.output_is_free || n > (Index{1} << 56)) return recipes;
  Index points = 1;
  while (points < 2 * n - 1) points *= 2;
  for (const Index times : {3, 5, 9})  // three quarters, five eighths, nine sixteenths of it
    for (Index p = times; p <= points; p *= 2)
      if (p >= 2 * n - 1) points = p;
  for (const LineSplit& split : splits_of(points, axis, ranks))
    recipes.push_back(staged(matrix_problem(padded_problem(problem, split), split),
                             Recipe::Strategy::chirp, split));
  return recipes;
}

}  // namespace weft::global
