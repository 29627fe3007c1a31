// SPDX-License-Identifier: BSD-3-Clause
// The formula of a recipe is the transform; each factor is what its stage or exchange does.
#include "global/formula/recipe_formula.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <set>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "formula/matrix.hpp"
#include "formula/print.hpp"
#include "global/choose/planner.hpp"
#include "global/line/line.hpp"
#include "global/recipe/placement.hpp"
#include "global/recipe/recipe_text.hpp"
#include "problem/request.hpp"
#include "support/oracle.hpp"
#include "support/transform_of.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {
using formula::Complex;
using Vector = std::vector<Complex>;
using Double = std::complex<double>;
/// All elements of a distribution in its order, as index tuples.
std::vector<std::vector<Index>> elements_of(const ArrayDistribution& distribution) {
  std::vector<std::vector<Index>> all;
  for (const auto& boxes : distribution)
    for (const Box& box : boxes) {
      for (Index i = 0; i < box.count(); ++i) {
        std::vector<Index> element(at(box.ndim));
        Index rest = i;
        for (int d = box.ndim - 1; d >= 0; --d) {
          element[at(d)] = box.begin[at(d)] + rest % box.extent(d);
          rest /= box.extent(d);
        }
        all.push_back(element);
      }
    }
  return all;
}

/// The transform of the array from input order to output order, by definition.
formula::Matrix definition(const GlobalProblem& problem) {
  const auto rows = elements_of(problem.output), columns = elements_of(problem.input);
  formula::Matrix m{std::ssize(rows), std::ssize(columns), {}};
  const bool forward = problem.direction == Direction::forward;
  for (const auto& k : rows)
    for (const auto& l : columns) {
      Complex value = problem.scale;
      for (int d = 0; d < problem.ndim(); ++d) {
        const Index n = problem.dimension(d).n;
        if (!contains(problem.axes, d)) {
          if (k[at(d)] != l[at(d)]) value = 0;
          continue;
        }
        const Complex w = root_of_unity(n, k[at(d)] * l[at(d)]);
        value *= forward ? w : std::conj(w);
      }
      m.values.push_back(value);
    }
  return m;
}

Vector noise(Index count, bool is_real, std::uint64_t seed) {
  test::Random random(seed);
  Vector x;
  for (Index i = 0; i < count; ++i) {
    const double re = random.uniform(), im = random.uniform();
    x.emplace_back(re, is_real ? 0 : im);
  }
  return x;
}

double distance(const Vector& a, const Vector& b, bool only_real_part) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const Complex d = a[i] - b[i];
    largest =
        std::max(largest, static_cast<double>(only_real_part ? std::abs(d.real()) : std::abs(d)));
  }
  return largest;
}

// One rank's part of a vector in memory, in the element type of one side, and back.

std::vector<double> to_memory(const Vector& x, Index begin, Index count, bool is_real) {
  std::vector<double> memory;
  for (Index i = begin; i < begin + count; ++i) {
    memory.push_back(static_cast<double>(x[at(static_cast<int>(i))].real()));
    if (!is_real) memory.push_back(static_cast<double>(x[at(static_cast<int>(i))].imag()));
  }
  memory.resize(memory.size() + 2);
  return memory;
}
void from_memory(const std::vector<double>& memory, Index begin, Index count, bool is_real,
                 Vector& y) {
  for (Index i = 0; i < count; ++i) {
    const auto j = static_cast<std::size_t>(is_real ? i : 2 * i);
    y[static_cast<std::size_t>(begin + i)] = {memory[j], is_real ? 0 : memory[j + 1]};
  }
}

Index count_of(const std::vector<Box>& boxes) {
  Index count = 0;
  for (const Box& box : boxes)
    if (!box.empty()) count += box.count();
  return count;
}
Index begin_of(const ArrayDistribution& distribution, int rank) {
  Index begin = 0;
  for (int r = 0; r < rank; ++r) begin += count_of(distribution[at(r)]);
  return begin;
}

std::vector<reshape::Piece> dense(const std::vector<Box>& boxes, reshape::Memory memory,
                                  Index bytes) {
  std::vector<reshape::Piece> pieces;
  Index offset = 0;
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    pieces.push_back({box, memory, offset, reshape::dense_strides(box)});
    offset += box.count() * bytes;
  }
  return pieces;
}

reshape::Bases bases_of(std::vector<double>& in, std::vector<double>& out) {
  reshape::Bases bases{};
  bases[static_cast<std::size_t>(reshape::Memory::input)] = reinterpret_cast<std::byte*>(in.data());
  bases[static_cast<std::size_t>(reshape::Memory::output)] =
      reinterpret_cast<std::byte*>(out.data());
  return bases;
}

void run_stage(const StageProblem& stage, const reshape::Bases& bases) {
  const StagePlan plan(stage, {.executor = serial_executor()});
  Buffer<std::byte> scratch(std::max<Index>(plan.scratch_bytes(), 64));
  plan.run(bases, scratch.data());
}

/// What the stage makes of x, all ranks.
Vector by_stage(const GlobalProblem& problem, const Recipe& recipe, std::size_t index,
                const Vector& x) {
  StageProblem stage = stage_problem(problem, recipe, index);
  const ArrayDistribution from = distribution_of(problem, recipe.stages[index], stage.in_shape());
  const ArrayDistribution to = distribution_of(problem, recipe.stages[index], stage.out_shape());
  const bool real_in = stage.kind == Kind::r2c || stage.kind == Kind::r2r;
  const bool real_out = stage.kind == Kind::c2r || stage.kind == Kind::r2r;
  Vector y(static_cast<std::size_t>(begin_of(to, problem.ranks())));
  for (int rank = 0; rank < problem.ranks(); ++rank) {
    stage.in_boxes = from[at(rank)];
    stage.sources = dense(from[at(rank)], reshape::Memory::input, real_in ? 8 : 16);
    stage.targets = dense(to[at(rank)], reshape::Memory::output, real_out ? 8 : 16);
    auto in = to_memory(x, begin_of(from, rank), count_of(from[at(rank)]), real_in);
    std::vector<double> out(2 * static_cast<std::size_t>(count_of(to[at(rank)])) + 2);
    run_stage(stage, bases_of(in, out));
    from_memory(out, begin_of(to, rank), count_of(to[at(rank)]), real_out, y);
  }
  return y;
}

/// What the exchange after the stage makes of x, on ranks that are threads.
Vector by_exchange(const GlobalProblem& problem, const Recipe& recipe, std::size_t index,
                   const Vector& x) {
  const std::vector<int> nodes(at(problem.ranks()), 0);
  const reshape::ExchangeProblem exchange = place(problem, recipe, nodes, 0).exchanges[index];
  const bool is_real = exchange.element_bytes == 8;
  const auto shape = shape_before(problem, recipe, index + 1);
  Vector y(static_cast<std::size_t>(begin_of(exchange.to, problem.ranks())));
  run_as_threads(problem.ranks(), [&](const Comm& comm) {
    const auto rank = at(comm.rank());
    const auto carrier = make_all_to_all_v(comm, exchange);
    carrier->connect(nullptr, {});
    auto in =
        to_memory(x, begin_of(exchange.from, comm.rank()), count_of(exchange.from[rank]), is_real);
    std::vector<double> out(2 * static_cast<std::size_t>(count_of(exchange.to[rank])) + 2);
    Buffer<std::byte> send(carrier->send_bytes() + 16), receive(carrier->receive_bytes() + 16);
    reshape::Bases bases = bases_of(in, out);
    bases[static_cast<std::size_t>(reshape::Memory::send)] = send.data();
    bases[static_cast<std::size_t>(reshape::Memory::receive)] = receive.data();
    StageProblem copy;
    copy.kind = is_real ? Kind::r2r : Kind::c2c;
    for (const Index n : shape) copy.dimensions.push_back({.n = n});
    copy.in_boxes = exchange.from[rank];
    copy.sources = dense(exchange.from[rank], reshape::Memory::input, exchange.element_bytes);
    copy.targets = carrier->outgoing();
    run_stage(copy, bases);
    carrier->complete(bases);
    copy.in_boxes = exchange.to[rank];
    copy.sources = carrier->incoming();
    copy.targets = dense(exchange.to[rank], reshape::Memory::output, exchange.element_bytes);
    run_stage(copy, bases);
    from_memory(out, begin_of(exchange.to, comm.rank()), count_of(exchange.to[rank]), is_real, y);
  });
  return y;
}

LocalBoxes local(const std::vector<Box>& boxes) {
  LocalBoxes result;
  for (const Box& box : boxes)
    if (!box.empty()) result.push_back({.box = box});
  return result;
}

/// What the whole plan makes of x.
Vector by_plan(const GlobalProblem& problem, const Recipe& recipe, const Vector& x) {
  const Kind kind = problem.kind;
  const bool real_in = kind == Kind::r2c || kind == Kind::r2r;
  const bool real_out = kind == Kind::c2r || kind == Kind::r2r;
  Vector y(static_cast<std::size_t>(begin_of(problem.output, problem.ranks())));
  run_as_threads(problem.ranks(), [&](const Comm& comm) {
    const auto rank = at(comm.rank());
    DistributedPlan plan(test::transform_of(problem), local(problem.input[rank]),
                         local(problem.output[rank]), comm, {.recipe = to_text(recipe)});
    auto in =
        to_memory(x, begin_of(problem.input, comm.rank()), count_of(problem.input[rank]), real_in);
    std::vector<double> out(2 * static_cast<std::size_t>(count_of(problem.output[rank])) + 2);
    auto* complex_in = reinterpret_cast<Double*>(in.data());
    auto* complex_out = reinterpret_cast<Double*>(out.data());
    if (kind == Kind::c2c) plan.execute(complex_in, complex_out);
    if (kind == Kind::r2c) plan.execute(in.data(), complex_out);
    if (kind == Kind::c2r) plan.execute(complex_in, out.data());
    if (kind == Kind::r2r) plan.execute(in.data(), out.data());
    from_memory(out, begin_of(problem.output, comm.rank()), count_of(problem.output[rank]),
                real_out, y);
  });
  return y;
}

/// The problems that the stages of a recipe speak of, on the way there and on a chirp's way back.
struct Ways {
  GlobalProblem there, back;
  Recipe recipe, recipe_back;
};
Ways ways_of(const GlobalProblem& problem, const Recipe& recipe) {
  Ways ways{staged_problem(problem, recipe), {}, recipe, {}};
  if (recipe.strategy != Recipe::Strategy::chirp) return ways;
  const LineSplit split{problem.axes[0], recipe.rows, recipe.columns};
  const ArrayDistribution scrambled =
      distribution_of(ways.there, recipe.stages.back(), ways.there.output_shape());
  ways.back = matrix_problem(unpadded_problem(problem, split, scrambled), split);
  ways.recipe_back = way_back(recipe);
  return ways;
}

/// Recipes share many exchanges: each is run on threads once.
bool is_new(const reshape::ExchangeProblem& exchange) {
  static std::set<std::string> seen;
  std::string text;
  for (const ArrayDistribution* distribution : {&exchange.from, &exchange.to})
    for (const auto& boxes : *distribution) {
      for (const Box& box : boxes) text += to_text(box);
      text += ";";
    }
  return seen.insert(text + std::to_string(exchange.element_bytes)).second;
}

/// Every factor against the stage or exchange; x is what reaches it.
void check_factors(const GlobalProblem& problem, const Recipe& recipe,
                   const RecipeFormula& formula) {
  const Ways ways = ways_of(problem, recipe);
  for (const RecipeFactor& factor : formula.factors) {
    SCOPED_TRACE(factor.what + ": " + print(factor.formula));
    const GlobalProblem& staged = factor.is_way_back ? ways.back : ways.there;
    const Recipe& steps = factor.is_way_back ? ways.recipe_back : ways.recipe;
    if (factor.kind == RecipeFactor::Kind::stage) {
      const StageProblem stage = stage_problem(staged, steps, factor.index);
      const bool real_in = stage.kind == Kind::r2c || stage.kind == Kind::r2r;
      const Vector x = noise(factor.formula.columns(), real_in, 5);
      EXPECT_LT(distance(by_stage(staged, steps, factor.index, x), multiply(factor.formula, x),
                         stage.kind == Kind::c2r),
                1e-12);
    }
    if (factor.kind == RecipeFactor::Kind::exchange) {
      const std::vector<int> nodes(at(staged.ranks()), 0);
      const auto exchange = place(staged, steps, nodes, 0).exchanges[factor.index];
      if (!is_new(exchange)) continue;
      const Index bytes = exchange.element_bytes;
      const Vector x = noise(factor.formula.columns(), bytes == 8, 6);
      EXPECT_EQ(
          distance(by_exchange(staged, steps, factor.index, x), multiply(factor.formula, x), false),
          0);
    }
  }
}

GlobalProblem make(const Transform& transform, const std::function<LocalBoxes(int)>& input,
                   const std::function<LocalBoxes(int)>& output, int ranks) {
  GlobalProblem problem{problem::check_request(transform, {}, {}).problem};
  const auto distribution_of = [&](const std::function<LocalBoxes(int)>& boxes) {
    reshape::ArrayDistribution::List list(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      for (const LocalBox& box : boxes(rank))
        list[static_cast<std::size_t>(rank)].push_back(box.box);
    return reshape::ArrayDistribution(std::move(list));
  };
  problem.input = distribution_of(input);
  problem.output = distribution_of(output);
  return problem;
}

/// Recipes of all strategies, each list of stages once.
std::vector<Recipe> recipes_of(const GlobalProblem& problem) {
  std::vector<Recipe> all;
  using enum weft::Strategy;
  for (const weft::Strategy strategy : {slab, pencil, brick, mixed, line}) {
    Wishes wishes;
    wishes.strategy = strategy;
    wishes.exchange = ExchangeKind::all_to_all_v;
    try {
      for (Recipe& recipe :
           candidates(problem, wishes, std::vector<int>(at(problem.ranks()), 0), {}))
        all.push_back(std::move(recipe));
    } catch (const Error&) {  // none of this strategy
    }
  }
  return all;
}

/// Bricks of a balanced grid, slabs, and boxes dealt out in turn, several per rank.
std::vector<std::function<LocalBoxes(int)>> distributions(const std::vector<Index>& shape,
                                                          int ranks) {
  const Grid grid = balanced_grid(shape, ranks);
  return {[=](int rank) { return bricks(shape, grid, rank); },
          [=](int rank) { return slabs(shape, 0, ranks, rank); },
          [=](int rank) {
            Grid row(shape.size(), 1);
            row.back() = ranks;
            return block_cyclic(shape, row, std::vector<Index>(shape.size(), 2), rank);
          }};
}

std::vector<Index> half_of(std::vector<Index> shape, int axis) {
  shape[at(axis)] = shape[at(axis)] / 2 + 1;
  return shape;
}

struct Seen {
  int recipes = 0, slabs = 0, pencils = 0, bricks = 0, mixed = 0, lines = 0, chirps = 0;
  void count(const Recipe& recipe) {
    using Strategy = Recipe::Strategy;
    ++recipes;
    slabs += recipe.strategy == Strategy::slab;
    pencils += recipe.strategy == Strategy::pencil;
    chirps += recipe.strategy == Strategy::chirp;
    lines += recipe.strategy == Strategy::line;
    mixed += recipe.strategy == Strategy::mixed;
    bricks += recipe.strategy == Strategy::brick;
  }
};

void check_c2c(const Transform& transform, int ranks, Seen& seen) {
  const auto ways = distributions(transform.shape, ranks);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const GlobalProblem problem = make(transform, ways[i], ways[(i + 1) % 2], ranks);
    const formula::Matrix wanted = definition(problem);
    for (const Recipe& recipe : recipes_of(problem)) {
      SCOPED_TRACE(to_text(recipe) + ", distribution " + std::to_string(i));
      const RecipeFormula formula = formula_of(problem, recipe);
      EXPECT_LT(max_difference(matrix_of(formula.product()), wanted), 1e-12L);
      check_factors(problem, recipe, formula);
      seen.count(recipe);
    }
  }
}

TEST(RecipeFormula, IsTheTransformAndItsFactorsAreWhatRuns) {
  Seen seen;
  for (int ranks = 1; ranks <= 6; ++ranks)
    for (const std::vector<Index>& shape : {std::vector<Index>{6, 5}, {4, 4, 3}, {3, 2, 2, 3}}) {
      SCOPED_TRACE(ranks);
      check_c2c(c2c(shape), ranks, seen);
    }
  check_c2c(
      c2c({4, 5, 2}, {.direction = Direction::backward, .normalization = Normalization::backward}),
      4, seen);
  check_c2c(c2c({4, 3, 4}, {.axes = {0, 2}}), 3, seen);
  EXPECT_GT(seen.recipes, 100);
  EXPECT_GT(seen.slabs, 0);
  EXPECT_GT(seen.pencils, 0);
  EXPECT_GT(seen.bricks, 0);
  EXPECT_GT(seen.mixed, 0);
}

TEST(RecipeFormula, OfLinesAndChirpsIsTheTransform) {
  Seen seen;
  for (int ranks = 2; ranks <= 6; ++ranks) {
    SCOPED_TRACE(ranks);
    check_c2c(c2c({24}), ranks, seen);
    check_c2c(c2c({11}), ranks, seen);
  }
  check_c2c(c2c({20}, {.direction = Direction::backward}), 3, seen);
  check_c2c(c2c({7}, {.direction = Direction::backward, .normalization = Normalization::backward}),
            2, seen);
  check_c2c(c2c({3, 12}, {.axes = {1}}), 4, seen);
  check_c2c(c2c({12, 3}, {.axes = {0}}), 4, seen);
  EXPECT_GT(seen.lines, 10);
  EXPECT_GT(seen.chirps, 10);
}

int check_r2c(const GlobalProblem& problem) {
  int lines = 0;
  for (const Recipe& recipe : recipes_of(problem)) {
    SCOPED_TRACE(to_text(recipe) + " of r2c");
    const RecipeFormula formula = formula_of(problem, recipe);
    const Vector x = noise(formula.product().columns(), true, 7);
    EXPECT_LT(distance(multiply(formula.product(), x), by_plan(problem, recipe, x), false), 1e-12);
    if (!formula.conjugates) {
      EXPECT_LT(max_difference(matrix_of(formula.product()), definition(problem)), 1e-12L);
    }
    check_factors(problem, recipe, formula);
    lines += recipe.is_matrix();
  }
  return lines;
}

/// `maker` makes what the problem takes: the spectrum of a real array.
void check_c2r(const GlobalProblem& problem, const GlobalProblem& maker) {
  const Vector x = multiply(formula_of(maker, recipes_of(maker).front()).product(),
                            noise(begin_of(maker.input, maker.ranks()), true, 8));
  for (const Recipe& recipe : recipes_of(problem)) {
    SCOPED_TRACE(to_text(recipe) + " of c2r");
    const RecipeFormula formula = formula_of(problem, recipe);
    EXPECT_TRUE(formula.takes_real_part);
    EXPECT_LT(distance(multiply(formula.product(), x), by_plan(problem, recipe, x), true), 1e-12);
    check_factors(problem, recipe, formula);
  }
}

/// Of real transforms: half spectra, some filled up with conjugates.
TEST(RecipeFormula, OfRealTransformsIsWhatThePlanComputes) {
  int lines = 0;
  for (const std::vector<Index>& shape : {std::vector<Index>{4, 5}, {3, 4, 6}, {24}, {15}, {7}})
    for (int ranks = 1; ranks <= 4; ++ranks) {
      SCOPED_TRACE(ranks);
      const std::vector<Index> half = half_of(shape, static_cast<int>(shape.size()) - 1);
      const auto real = distributions(shape, ranks), spectrum = distributions(half, ranks);
      const std::size_t i = at(ranks) % real.size(), other = (i + 1) % 2;
      lines += check_r2c(make(r2c(shape), real[i], spectrum[other], ranks));
      check_c2r(make(c2r(shape), spectrum[i], real[other], ranks),
                make(r2c(shape), real[i], spectrum[i], ranks));
    }
  EXPECT_GT(lines, 0);
}

TEST(RecipeFormula, KnowsSinesAndCosines) {
  const std::vector<Index> shape{5, 4, 3};
  const auto where = distributions(shape, 4);
  const GlobalProblem problem =
      make(r2r(shape, {R2r::dct2, R2r::dst1, R2r::dht}), where[0], where[1], 4);
  for (const Recipe& recipe : recipes_of(problem)) {
    SCOPED_TRACE(to_text(recipe));
    const RecipeFormula formula = formula_of(problem, recipe);
    const Vector x = noise(formula.product().columns(), true, 9);
    EXPECT_LT(distance(multiply(formula.product(), x), by_plan(problem, recipe, x), false), 1e-12);
    check_factors(problem, recipe, formula);
  }
}

/// Equal blocks: stride permutations, in the manner of the Global FFT's equation (19).
TEST(RecipeFormula, OfEqualBlocksIsWrittenWithStridePermutations) {
  const std::vector<Index> shape{24};
  const auto blocks = [&](int rank) { return slabs(shape, 0, 2, rank); };
  const GlobalProblem problem = make(c2c(shape), blocks, blocks, 2);
  const RecipeFormula formula = formula_of(
      problem, parse_recipe("line 4x6: input[] > 1x2[0] > 2x1[1] > output[] by all_to_all_v"));
  std::vector<std::string> texts;
  for (const RecipeFactor& factor : formula.factors) texts.push_back(print(factor.formula));
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "I(2) x L(12,3)",                                 // matrix as a line
                       "(L(4,2) x I(6)) . (I(2) x (L(4,2) x I(3)))",     // rows to output
                       "I(2) x (I(2) x DFT(6))",                         // along rows
                       "(I(2) x (L(4,2) x I(3))) . (L(4,2) x I(6))",     // columns to rows
                       "T(24; 1x2) . (I(2) x (DFT(4) x I(3)))",          // along columns
                       "(L(4,2) x I(6)) . (I(2) x (L(4,2) x I(3)))"}));  // input to columns
}

TEST(RecipeFormula, OfALargeArrayIsShortAndWrittenAtOnce) {
  const std::vector<Index> shape{1024, 1024, 1024};
  for (const int ranks : {1000, 1024}) {
    const Grid grid = balanced_grid(shape, ranks);
    const auto blocks = [&](int rank) { return bricks(shape, grid, rank); };
    const GlobalProblem problem = make(c2c(shape), blocks, blocks, ranks);
    for (const Recipe& recipe : recipes_of(problem)) {
      const std::string text = print(formula_of(problem, recipe).product());
      EXPECT_LT(text.size(), 2000U) << to_text(recipe) << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace weft::global
