// SPDX-License-Identifier: BSD-3-Clause
// Transforms of a batch share no arithmetic: a NaN, an infinity or a huge number in one row does
// not change any bit of the other rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "base/buffer.hpp"
#include "codelet/runtime/isa.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_plan.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"
#include "support/half.hpp"
#include "support/oracle.hpp"
#include "support/run_plan.hpp"

namespace weft::local {
namespace {

enum class BatchOrder { rows, columns };

struct Batch {
  Kind kind;
  R2r r2r;
  Direction direction;
  Precision precision;
  Index n, count;
  BatchOrder order;
};

/// Rows lie one after another with a gap; columns are neighbours.
ArrayProblem batch_problem(const Batch& b) {
  ArrayProblem problem;
  problem.kind = b.kind;
  problem.precision = b.precision;
  problem.direction = b.direction;
  problem.scale = 0.25;
  problem.axes = {1};
  if (b.kind == Kind::r2r) problem.r2r = {b.r2r};
  const Index in = problem.in_width(), out = problem.out_width(), row = 2 * (b.n + 2);
  if (b.order == BatchOrder::rows)
    problem.dimensions = {{b.count, row, row}, {b.n, in, out}};
  else
    problem.dimensions = {{b.count, in, out}, {b.n, in * b.count, out * b.count}};
  return problem;
}

Precision computed_in(Precision stored) {
  return stored == Precision::f64 ? Precision::f64 : Precision::f32;
}

/// The recipe on another instruction set.
AxisRecipe moved_to(AxisRecipe recipe, codelet::Isa isa) {
  recipe.isa = isa;
  for (AxisRecipe& inner : recipe.inner) inner = moved_to(inner, isa);
  return recipe;
}

/// Every candidate of the problem on every instruction set that can run it.
std::vector<AxisRecipe> all_recipes(const ArrayProblem& problem) {
  const AxisProblem axis = tiles_of(problem, unfused_cut(problem)).front().axes.front().problem;
  std::vector<AxisRecipe> recipes;
  std::set<std::string> known;
  for (const AxisRecipe& candidate :
       axis_candidates(axis, {.precision = computed_in(problem.precision)}))
    for (codelet::Isa isa : codelet::available_isas()) {
      const AxisRecipe recipe = moved_to(candidate, isa);
      if (known.insert(to_text(recipe)).second &&
          fits(ArrayRecipe{unfused_cut(problem), {recipe}}, problem))
        recipes.push_back(recipe);
    }
  return recipes;
}

template <class Stored>
Stored stored(double value) {
  if constexpr (std::is_same_v<Stored, Half>)
    return test::double_to_half(value);
  else
    return static_cast<Stored>(value);
}

template <class Stored>
double largest() {
  return sizeof(Stored) == 8 ? 1e300 : sizeof(Stored) == 4 ? 1e30 : 6e4;
}

/// A batch and one recipe for it, run again and again with other values in some rows.
template <class Stored>
class IsolatedRows {
  using Real = std::conditional_t<sizeof(Stored) == 8, double, float>;

 public:
  IsolatedRows(const ArrayProblem& problem, const AxisRecipe& recipe)
      : problem_(problem),
        plan_({unfused_cut(problem), {recipe}}, problem, serial_executor()),
        reals_(problem.dimensions[0].n * 2 * (problem.dimensions[1].n + 2)),
        workspace_(static_cast<Index>(plan_.workspace_bytes())) {
    test::Random random(11);
    for (Index i = 0; i < reals_; ++i) input_.push_back(stored<Stored>(random.uniform()));
    clean_ = run(input_);
  }

  /// Rows whose index has bit `bit` equal to `set` get the value at one of their points. True if
  /// all others stay as they are.
  bool others_stay(int bit, Index set, double value, Index point, Index part) {
    const auto is_planted = [&](Index row) { return (row >> bit & 1) == set; };
    const Dimension &across = problem_.dimensions[0], &along = problem_.dimensions[1];
    std::vector<Stored> input = input_;
    for (Index row = 0; row < across.n; ++row)
      if (is_planted(row))
        input[static_cast<std::size_t>(row * across.in + point * along.in + part)] =
            stored<Stored>(value);
    const std::vector<Stored> output = run(input);
    // Points that are neighbours are compared at once.
    const Index width = problem_.out_width(), points = problem_.out_extent(1);
    const Index together = along.out == width ? points : 1;
    const auto bytes = static_cast<std::size_t>(together * width) * sizeof(Stored);
    for (Index row = 0; row < across.n; ++row) {
      if (is_planted(row)) continue;
      const Stored *got = output.data() + row * across.out,
                   *wanted = clean_.data() + row * across.out;
      for (Index k = 0; k < points; k += together)
        if (std::memcmp(got + k * along.out, wanted + k * along.out, bytes) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<Stored> run(const std::vector<Stored>& input) {
    std::vector<Stored> output(static_cast<std::size_t>(reals_));
    std::fill_n(workspace_.data(), plan_.workspace_bytes(), char(0xff));  // NaN where nobody wrote
    plan_.execute(input.data(), output.data(), workspace_.data());
    return output;
  }

  ArrayProblem problem_;
  ArrayPlan<Real> plan_;
  Index reals_;
  Buffer<char> workspace_;
  std::vector<Stored> input_, clean_;
};

/// Any two rows differ in a bit of their index, so each is once planted while the other is not.
template <class Stored>
void expect_isolated(const ArrayProblem& problem, const AxisRecipe& recipe) {
  IsolatedRows<Stored> rows(problem, recipe);
  const double values[] = {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), -largest<Stored>()};
  const Index last = problem.in_extent(1) - 1;
  const Index points[] = {0, last, last / 2};
  const int bits = std::bit_width(static_cast<std::uint64_t>(problem.dimensions[0].n - 1));
  int turn = 0;
  for (int bit = 0; bit < bits; ++bit)
    for (Index set : {0, 1})
      for (double value : values) {
        const Index point = points[turn % 3], part = turn / 3 % problem.in_width();
        turn += bit == 0 ? 1 : 4;
        ASSERT_TRUE(rows.others_stay(bit, set, value, point, part))
            << to_text(problem) << ": " << to_text(recipe) << ", " << value << " at point " << point
            << ", part " << part << " of rows with bit " << bit << " = " << set;
      }
}

/// The recipes that were checked.
std::string expect_isolated(const Batch& batch) {
  const ArrayProblem problem = batch_problem(batch);
  std::string seen;
  for (const AxisRecipe& recipe : all_recipes(problem)) {
    seen += to_text(recipe) + " ";
    switch (batch.precision) {
      case Precision::f16: expect_isolated<Half>(problem, recipe); break;
      case Precision::f32: expect_isolated<float>(problem, recipe); break;
      case Precision::f64: expect_isolated<double>(problem, recipe); break;
    }
    if (::testing::Test::HasFatalFailure()) break;
  }
  return seen;
}

class Isolation : public ::testing::TestWithParam<Precision> {};

/// 37 rows are groups of every register length, and a rest.
TEST_P(Isolation, OfComplexAndRealRows) {
  std::string seen;
  for (Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
    for (BatchOrder order : {BatchOrder::rows, BatchOrder::columns}) {
      const Direction direction = kind == Kind::c2r ? Direction::backward : Direction::forward;
      for (Index n : {1, 2, 3, 5, 8, 9, 11, 15, 16, 17, 21, 32, 41, 45, 51, 64, 77, 90, 128, 135})
        seen += expect_isolated({kind, {}, direction, GetParam(), n, 37, order});
      for (Index n : {127, 254, 256, 257, 509, 729, 1001, 1018, 1155, 4096})
        seen += expect_isolated({kind, {}, direction, GetParam(), n, 3, order});
      if (HasFatalFailure()) return;
    }
  std::vector<std::string> types{":lanes(",     ":four_step(", ":large(",     "(rader(",
                                 "(bluestein(", "(split(",     "line_rader(", "line_bluestein("};
  if (GetParam() != Precision::f16) {
    types.push_back(":real_kernel(");
    types.push_back("real_split(");
    types.push_back("real_rader(");
  }
  if (codelet::best_isa() != codelet::Isa::scalar) types.push_back(":lines(");
  for (const std::string& type : types) EXPECT_NE(seen.find(type), std::string::npos) << type;
}

TEST_P(Isolation, OfRealToRealRows) {
  for (R2r r2r : {R2r::dct1, R2r::dct2, R2r::dct3, R2r::dct4, R2r::dst1, R2r::dst2, R2r::dst3,
                  R2r::dst4, R2r::dht, R2r::r2hc, R2r::hc2r})
    for (BatchOrder order : {BatchOrder::rows, BatchOrder::columns}) {
      for (Index n : {2, 3, 8, 9, 17, 21, 40, 41})
        expect_isolated({Kind::r2r, r2r, Direction::forward, GetParam(), n, 37, order});
      for (Index n : {64, 127, 130})
        expect_isolated({Kind::r2r, r2r, Direction::forward, GetParam(), n, 3, order});
    }
}

INSTANTIATE_TEST_SUITE_P(Precisions, Isolation,
                         ::testing::Values(Precision::f16, Precision::f32, Precision::f64),
                         [](const auto& p) {
                           return p.param == Precision::f16   ? "f16"
                                  : p.param == Precision::f32 ? "f32"
                                                              : "f64";
                         });

/// A batch of five arrays, along the one axis of five points.
class ArrayBatch {
  using C = std::complex<double>;

 public:
  explicit ArrayBatch(const Transform& transform)
      : plan_(transform),
        axis_(static_cast<std::size_t>(std::ranges::find(transform.shape, 5) -
                                       transform.shape.begin())) {
    test::Random random(3);
    input_.resize(size(plan_.input_shape()));
    for (C& v : input_) v = {random.uniform(), random.uniform()};
    clean_ = run(input_);
  }

  std::string recipe() const { return plan_.recipe(); }

  /// One array is nothing but NaN.
  bool others_stay(Index planted) const {
    std::vector<C> input = input_;
    for (std::size_t i = 0; i < input.size(); ++i)
      if (member(plan_.input_shape(), i) == planted)
        input[i] = std::numeric_limits<double>::quiet_NaN();
    const std::vector<C> output = run(input);
    for (std::size_t i = 0; i < output.size(); ++i)
      if (member(plan_.output_shape(), i) != planted && output[i] != clean_[i]) return false;
    return true;
  }

 private:
  static std::size_t size(const std::vector<Index>& shape) {
    Index product = 1;
    for (Index n : shape) product *= n;
    return static_cast<std::size_t>(product);
  }
  /// Which of the five a place belongs to.
  Index member(const std::vector<Index>& shape, std::size_t place) const {
    auto at = static_cast<Index>(place);
    for (std::size_t d = shape.size() - 1; d > axis_; --d) at /= shape[d];
    return at % 5;
  }
  std::vector<C> run(const std::vector<C>& x) const {
    std::vector<C> y(size(plan_.output_shape()));
    std::vector<double> real_in, real_out(y.size());
    for (const C& v : x) real_in.push_back(v.real());
    switch (plan_.transform().kind) {
      case Kind::r2c: plan_.execute(real_in.data(), y.data()); break;
      case Kind::c2r:
        plan_.execute(x.data(), real_out.data());
        std::copy(real_out.begin(), real_out.end(), y.begin());
        break;
      default: plan_.execute(x.data(), y.data());
    }
    return y;
  }

  Plan plan_;
  std::size_t axis_;
  std::vector<C> input_, clean_;
};

/// The batch lies outside the axes, between them and inside.
TEST(ArrayIsolation, OfTransformsOfSeveralAxes) {
  for (const auto& [shape, axes] :
       std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{5, 9, 21}, {1, 2}},
                                                                    {{9, 5, 21}, {0, 2}},
                                                                    {{9, 21, 5}, {0, 1}},
                                                                    {{5, 16, 12}, {1, 2}},
                                                                    {{5, 6, 7, 33}, {1, 2, 3}}})
    for (const Transform& transform :
         {c2c(shape, {.axes = axes}), r2c(shape, {.axes = axes}), c2r(shape, {.axes = axes})}) {
      const ArrayBatch batch(transform);
      for (Index planted = 0; planted < 5; ++planted)
        EXPECT_TRUE(batch.others_stay(planted)) << batch.recipe() << " member " << planted;
    }
}

/// Rows of very different sizes, each as exact as if it were alone.
TEST(RowAccuracy, DoesNotDependOnOtherRows) {
  for (Index n : {9, 40, 41, 45, 77, 1001}) {
    const Index rows = 33;
    const test::Field x = test::random_field({rows, n}, false, 5);
    const test::Field wanted = test::expected(r2c({rows, n}, {.axes = {1}}), x);
    const auto size = [](Index row) { return row % 3 == 0 ? 1e20 : row % 3 == 1 ? 1.0 : 1e-20; };
    std::vector<double> in, back(static_cast<std::size_t>(rows * n));
    for (Index i = 0; i < rows * n; ++i)
      in.push_back(static_cast<double>(x.values[static_cast<std::size_t>(i)].real()) * size(i / n));
    const Index half = n / 2 + 1;
    std::vector<std::complex<double>> out(static_cast<std::size_t>(rows * half));
    Plan(r2c({rows, n}, {.axes = {1}})).execute(in.data(), out.data());
    Plan(c2r({rows, n}, {.axes = {1}, .normalization = Normalization::backward}))
        .execute(out.data(), back.data());
    for (Index row = 0; row < rows; ++row) {
      test::Field got({half}), expected({half}), returned({n}), given({n});
      for (Index k = 0; k < half; ++k) {
        const auto at = static_cast<std::size_t>(row * half + k);
        got.values[static_cast<std::size_t>(k)] = out[at] / size(row);
        expected.values[static_cast<std::size_t>(k)] = wanted.values[at];
      }
      for (Index j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(row * n + j);
        returned.values[static_cast<std::size_t>(j)] = back[at] / size(row);
        given.values[static_cast<std::size_t>(j)] = x.values[at];
      }
      EXPECT_LT(test::relative_error(got, expected), test::tolerance(Precision::f64, n))
          << "row " << row << " of " << n;
      EXPECT_LT(test::relative_error(returned, given), 2 * test::tolerance(Precision::f64, n))
          << "row " << row << " of " << n;
    }
  }
}

}  // namespace
}  // namespace weft::local
