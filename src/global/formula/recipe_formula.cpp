// SPDX-License-Identifier: BSD-3-Clause
#include "global/formula/recipe_formula.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/print.hpp"
#include "global/formula/distribution_order.hpp"
#include "global/line/line.hpp"
#include "global/recipe/placement.hpp"
#include "local/axis/r2r_formula.hpp"
#include "weft/error.hpp"

namespace weft::global {

using formula::Complex;
using formula::Formula;
using FactorKind = RecipeFactor::Kind;
using Point = DistributionOrder::Point;

namespace {

std::string in_latex(const std::string& place) {
  if (place == "input" || place == "output") return "\\text{" + place + "}";
  std::string text;
  for (const char c : place) text += c == 'x' ? std::string(" \\times ") : std::string(1, c);
  return text;
}

RuleName exchange_name(const std::string& from, const std::string& to) {
  return {"P(" + from + " > " + to + ")",
          "\\mathrm{P}_{" + in_latex(from) + " \\to " + in_latex(to) + "}"};
}

/// The transform of a stage along one of its axes.
Formula axis_formula(const StageProblem& stage, std::size_t i) {
  using namespace formula;
  const int axis = stage.axes[i];
  const Index n = stage.dimension(axis).n;
  if (stage.kind == Kind::r2r) return local::real_to_real(stage.r2r[i], n, stage.orthogonalize);
  const bool is_halved = i + 1 == stage.axes.size();  // the last of the axes
  if (stage.kind == Kind::r2c && is_halved) return half_dft(n);
  if (stage.kind == Kind::c2r && is_halved) return inverse_half_dft(n);
  if (stage.direction == Direction::forward) return dft(n);
  return compose({cyclic_reversal(n), dft(n)});
}

/// I x DFT x I on one box; without axes the identity.
Formula box_formula(const StageProblem& stage, const Box& box) {
  std::vector<Formula> factors;
  Index adjacent = 1;  // extents of axes that stay as they are
  const auto close = [&] {
    if (adjacent > 1) factors.push_back(formula::identity(adjacent));
    adjacent = 1;
  };
  for (int d = 0; d < box.ndim; ++d) {
    const auto found = std::ranges::find(stage.axes, d);
    if (found == stage.axes.end()) {
      adjacent *= box.extent(d);
      continue;
    }
    close();
    factors.push_back(axis_formula(stage, static_cast<std::size_t>(found - stage.axes.begin())));
  }
  close();
  if (factors.empty()) return formula::identity(1);
  return factors.size() == 1 ? factors[0] : formula::tensor(std::move(factors));
}

/// The direct sum over ranks; those without a box have no part in it.
Formula stage_formula(const StageProblem& stage, const ArrayDistribution& distribution) {
  std::vector<Formula> ranks;
  for (const auto& boxes : distribution) {
    std::vector<Formula> parts;
    for (const Box& box : boxes)
      if (!box.empty()) parts.push_back(box_formula(stage, box));
    if (!parts.empty()) ranks.push_back(short_direct_sum(parts));
  }
  const Formula sum = short_direct_sum(ranks);
  if (stage.scale == 1.0) return sum;
  return formula::tensor({formula::dense(1, 1, {stage.scale}), sum});
}

/// w^(p q) for every element (p, q) of the distribution, one box after another.
Formula twiddle_formula(const StageProblem& stage, const ArrayDistribution& distribution,
                        const std::string& place) {
  const Index n = stage.line;
  const int axis = stage.twiddled;
  const bool forward = stage.direction == Direction::forward;
  const auto origin = [=](const Point& point) {
    const Complex w = root_of_unity(n, multiply_mod(point[at(axis)], point[at(axis + 1)], n));
    return Origin{point, forward ? w : std::conj(w), false};
  };
  return redistribution(
      distribution, distribution, origin,
      {weft::format("T{}({}; {})", forward ? "" : "*", n, place),
       weft::format("{}^{{{}}}_{{{}}}", forward ? "\\mathrm{T}" : "\\overline{\\mathrm{T}}", n,
                    in_latex(place))});
}

class Builder {
 public:
  explicit Builder(RecipeFormula& result) : result_(result) {}

  /// What comes next stands to the left.
  void add(RecipeFactor factor) {
    result_.factors.insert(result_.factors.begin(), std::move(factor));
  }

  /// Stages and exchanges. For recipes of lines `problem` is the matrix.
  void add_stages(const GlobalProblem& problem, const Recipe& recipe, bool is_way_back) {
    for (std::size_t i = 0; i < recipe.stages.size(); ++i) {
      add_stage(problem, recipe, i, is_way_back);
      if (i + 1 < recipe.stages.size()) add_exchange(problem, recipe, i, is_way_back);
    }
  }

 private:
  void add_stage(const GlobalProblem& problem, const Recipe& recipe, std::size_t i,
                 bool is_way_back) {
    const StageProblem stage = stage_problem(problem, recipe, i);
    if (stage.axes.empty()) return;
    const std::string place = place_text(recipe.stages[i]);
    Formula formula =
        stage_formula(stage, distribution_of(problem, recipe.stages[i], stage.in_shape()));
    if (stage.twiddled >= 0)
      formula = formula::compose(
          {twiddle_formula(stage, distribution_of(problem, recipe.stages[i], stage.out_shape()),
                           place),
           formula});
    const std::string axes = joined(recipe.stages[i].axes, " ");
    add({FactorKind::stage,
         weft::format("transform {} {} on {}", stage.axes.size() == 1 ? "axis" : "axes", axes,
                      place),
         i, is_way_back, std::move(formula)});
  }

  void add_exchange(const GlobalProblem& problem, const Recipe& recipe, std::size_t i,
                    bool is_way_back) {
    const auto shape = shape_before(problem, recipe, i + 1);
    const std::string from = place_text(recipe.stages[i]), to = place_text(recipe.stages[i + 1]);
    add({FactorKind::exchange, weft::format("exchange {} > {}", from, to), i, is_way_back,
         exchange_formula(distribution_of(problem, recipe.stages[i + 1], shape),
                          distribution_of(problem, recipe.stages[i], shape), shape,
                          exchange_name(from, to))});
  }

  RecipeFormula& result_;
};

/// Where point k of a line is in its matrix, and back.
struct LineOrder {
  int axis;
  Index rows, columns;

  Index points() const { return rows * columns; }
  /// An element of the matrix from the point with this number.
  Point joined_point(const Point& element, Index number, int ndim) const {
    Point point{};
    for (int d = 0; d < ndim; ++d) point[at(d)] = element[at(d <= axis ? d : d + 1)];
    point[at(axis)] = number;
    return point;
  }
  Point split_point(const Point& point, Index row, Index column, int ndim) const {
    Point element{};
    for (int d = 0; d < ndim; ++d) element[at(d <= axis ? d : d + 1)] = point[at(d)];
    element[at(axis)] = row;
    element[at(axis + 1)] = column;
    return element;
  }
};

/// A box of the line lists its points in the order of the matrix's boxes unless it has several
/// lines, one after another.
bool has_several_lines(const ArrayDistribution& distribution, int axis) {
  return std::ranges::any_of(distribution, [&](const auto& boxes) {
    return std::ranges::any_of(boxes, [&](const Box& box) {
      for (int d = 0; d < axis; ++d)
        if (box.extent(d) > 1) return true;
      return false;
    });
  });
}

/// Point i * columns + j is element (i, j); of a half spectrum, point p + rows * q is (p, q), and
/// what lies beyond the half is the conjugate of the mirrored point.
void add_input_order(Builder& builder, RecipeFormula& result, const GlobalProblem& line,
                     const GlobalProblem& matrix, const LineOrder& order) {
  if (line.input_is_split) return;
  const int ndim = line.ndim();
  if (line.kind == Kind::c2r) {
    result.conjugates = true;
    const Index n = order.points();
    builder.add(
        {FactorKind::order, "half spectrum as a matrix", 0, false,
         redistribution(
             matrix.input, line.input,
             [=](const Point& e) {
               const Index k = e[at(order.axis)] + order.rows * e[at(order.axis + 1)];
               const bool beyond = k > n / 2;
               return Origin{order.joined_point(e, beyond ? n - k : k, ndim), 1, beyond};
             },
             {weft::format("H({}x{})", order.rows, order.columns),
              weft::format("\\mathrm{{H}}_{{{} \\times {}}}", order.rows, order.columns)})});
    return;
  }
  if (!has_several_lines(line.input, order.axis)) return;
  builder.add({FactorKind::order, "lines as matrices", 0, false,
               redistribution(
                   matrix.input, line.input,
                   [=](const Point& e) {
                     return Origin{
                         order.joined_point(
                             e, e[at(order.axis)] * order.columns + e[at(order.axis + 1)], ndim),
                         1, false};
                   },
                   exchange_name("line", "matrix"))});
}

/// Where every rank has whole columns of the matrix, one box each, and nothing else: each
/// transposes its own.
std::optional<Formula> local_transpositions(const ArrayDistribution& line, const LineOrder& order) {
  std::vector<Formula> ranks;
  for (const auto& boxes : line) {
    if (boxes.empty()) continue;
    const Box& box = boxes[0];
    if (boxes.size() != 1 || box.ndim != 1 || box.begin[0] % order.rows != 0 ||
        box.end[0] % order.rows != 0)
      return std::nullopt;
    ranks.push_back(formula::stride_permutation(box.extent(0), box.extent(0) / order.rows));
  }
  return ranks.empty() ? std::nullopt : std::optional(short_direct_sum(ranks));
}

/// The way out: point p + rows * q is element (p, q); after a spectrum as input point
/// i * columns + j is (i, j) again.
void add_output_order(Builder& builder, RecipeFormula& result, const GlobalProblem& line,
                      const GlobalProblem& matrix, const LineOrder& order) {
  if (line.output_is_split || line.output_is_free) return;
  const int ndim = line.ndim();
  const bool is_half = line.kind == Kind::r2c, as_points = matrix.columns_first;
  if (as_points && !has_several_lines(line.output, order.axis)) return;
  result.conjugates = result.conjugates || is_half;
  if (!as_points && !is_half)
    if (const auto local = local_transpositions(line.output, order))
      return builder.add({FactorKind::order, "matrix as a line", 0, false, *local});
  const auto origin = [=](const Point& point) {
    const Index k = point[at(order.axis)];
    if (as_points)
      return Origin{order.split_point(point, k / order.columns, k % order.columns, ndim), 1, false};
    Index p = k % order.rows, q = k / order.rows;
    const bool mirrored = is_half && p > order.rows / 2;
    if (mirrored) {
      p = order.rows - p;
      q = order.columns - 1 - q;
    }
    return Origin{order.split_point(point, p, q, ndim), 1, mirrored};
  };
  builder.add(
      {FactorKind::order, is_half ? "matrix as a half spectrum" : "matrix as a line", 0, false,
       redistribution(line.output, matrix.output, origin, exchange_name("matrix", "line"))});
}

/// A line of n points as a convolution with a chirp (Bluestein): w^(k k / 2) before and after, the
/// chirp's spectrum between.
struct Chirp {
  int axis;
  Index n, points;
  Direction direction;

  Complex root(Index k) const {  ///< w^(k k / 2)
    const Complex w = root_of_unity(2 * n, multiply_mod(k, k, 2 * n));
    return direction == Direction::forward ? w : std::conj(w);
  }
  /// Of the conjugated chirp, scaled for the way there and back; by definition.
  Complex spectrum(Index k) const {
    Complex sum = 0;
    for (Index l = 1 - n; l < n; ++l)
      sum += std::conj(root(std::abs(l))) *
             root_of_unity(points, multiply_mod((l + points) % points, k, points));
    return sum / static_cast<long double>(points);
  }
};

RuleName chirp_name(const char* text, const Chirp& chirp) {
  return {weft::format("{}({})", text, chirp.n),
          weft::format("\\mathrm{{{}}}_{{{}}}", text, chirp.n)};
}

void add_chirp_load(Builder& builder, const GlobalProblem& line, const GlobalProblem& longer,
                    const Chirp& chirp) {
  const bool is_half = line.kind == Kind::c2r;
  const auto origin = [=](Point point) {
    Index& k = point[at(chirp.axis)];
    if (k >= chirp.n) return Origin{point, 0, false};
    const Complex w = chirp.root(k);
    const bool beyond = is_half && k > chirp.n / 2;
    if (beyond) k = chirp.n - k;
    return Origin{point, w, beyond};
  };
  builder.add(
      {FactorKind::chirp, weft::format("times the chirp, zeros up to {} points", chirp.points), 0,
       false,
       redistribution(longer.input, line.input, origin,
                      {weft::format("C({}x{})", chirp.points, chirp.n),
                       weft::format("\\mathrm{{C}}_{{{} \\times {}}}", chirp.points, chirp.n)})});
}

void add_chirp_product(Builder& builder, const ArrayDistribution& scrambled, const LineOrder& order,
                       const Chirp& chirp) {
  // By frequency, found once: the sums are long.
  const auto known = std::make_shared<std::vector<std::optional<Complex>>>();
  const auto origin = [=](const Point& point) {
    const Index k = point[at(order.axis)] + order.rows * point[at(order.axis + 1)];
    if (known->empty()) known->resize(static_cast<std::size_t>(chirp.points));
    auto& value = (*known)[static_cast<std::size_t>(k)];
    if (!value) value = chirp.spectrum(k);
    return Origin{point, *value, false};
  };
  builder.add({FactorKind::chirp, "times the chirp's spectrum", 0, false,
               redistribution(scrambled, scrambled, origin,
                              {weft::format("B({})", chirp.points),
                               weft::format("\\mathrm{{B}}_{{{}}}", chirp.points)})});
}

void add_chirp_store(Builder& builder, const GlobalProblem& line, const Chirp& chirp) {
  const double scale = line.scale;
  builder.add({FactorKind::chirp, "times the chirp", 0, true,
               redistribution(
                   line.output, line.output,
                   [=](const Point& point) {
                     return Origin{
                         point, static_cast<long double>(scale) * chirp.root(point[at(chirp.axis)]),
                         false};
                   },
                   chirp_name("C", chirp))});
}

void add_chirp(Builder& builder, RecipeFormula& result, const GlobalProblem& line,
               const Recipe& recipe) {
  const int axis = line.axes.front();
  const LineSplit split{axis, recipe.rows, recipe.columns};
  const LineOrder order{axis, recipe.rows, recipe.columns};
  const Kind kind = line.kind;
  const Chirp chirp{axis, line.dimension(axis).n, order.points(),
                    kind == Kind::c2r   ? Direction::backward
                    : kind == Kind::r2c ? Direction::forward
                                        : line.direction};
  const GlobalProblem longer = padded_problem(line, split), matrix = matrix_problem(longer, split);
  const ArrayDistribution scrambled =
      distribution_of(matrix, recipe.stages.back(), matrix.output_shape());
  const GlobalProblem shorter = unpadded_problem(line, split, scrambled);
  const GlobalProblem back = matrix_problem(shorter, split);
  result.conjugates = kind == Kind::c2r;
  add_chirp_load(builder, line, longer, chirp);
  add_input_order(builder, result, longer, matrix, order);
  builder.add_stages(matrix, recipe, false);
  add_chirp_product(builder, scrambled, order, chirp);
  builder.add_stages(back, way_back(recipe), true);
  add_output_order(builder, result, shorter, back, order);
  add_chirp_store(builder, line, chirp);
}

}  // namespace

RecipeFormula formula_of(const GlobalProblem& problem, const Recipe& recipe) {
  if (problem.is_padded() || problem.extras.spectrum == Spectrum::full)
    throw Error(ErrorCode::unsupported,
                "the formula of a recipe was asked for whose arrays are padded, cropped or full "
                "spectra of reals; only transforms of whole arrays have one");
  RecipeFormula result;
  result.takes_real_part = problem.kind == Kind::c2r;
  Builder builder(result);
  if (recipe.strategy == Recipe::Strategy::chirp) {
    add_chirp(builder, result, problem, recipe);
    return result;
  }
  if (!recipe.is_matrix()) {
    builder.add_stages(problem, recipe, false);
    return result;
  }
  const LineSplit split{problem.axes.front(), recipe.rows, recipe.columns};
  const LineOrder order{split.axis, split.rows, split.columns};
  const GlobalProblem matrix = matrix_problem(problem, split);
  add_input_order(builder, result, problem, matrix, order);
  builder.add_stages(matrix, recipe, false);
  add_output_order(builder, result, problem, matrix, order);
  return result;
}

Formula RecipeFormula::product() const {
  std::vector<Formula> all;
  for (const RecipeFactor& factor : factors) all.push_back(factor.formula);
  return all.size() == 1 ? all[0] : formula::compose(std::move(all));
}

std::string place_text(const Stage& stage) {
  if (stage.where == Stage::Where::input) return "input";
  if (stage.where == Stage::Where::output) return "output";
  return joined(stage.grid, "x");
}

std::string print_latex(const RecipeFormula& formula) {
  std::string text;
  for (const RecipeFactor& factor : formula.factors) {
    std::string what;
    for (const char c : factor.what) what += c == '>' ? std::string("$\\to$") : std::string(1, c);
    text += (text.empty() ? "" : " ") +
            ("\\underbrace{\\left(" + formula::print_latex(factor.formula)) + "\\right)}_{\\text{" +
            what + "}}";
  }
  return text;
}

}  // namespace weft::global
