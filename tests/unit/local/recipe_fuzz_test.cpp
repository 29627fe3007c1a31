// SPDX-License-Identifier: BSD-3-Clause
// Recipes are text that may come from a damaged file. Thousands of random and mutated recipes: each
// is refused, or it computes the transform.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_plan.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cuts.hpp"
#include "support/half.hpp"
#include "support/oracle.hpp"
#include "support/run_plan.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

/// Transforms along one axis of a matrix, with the result they should have.
class FuzzProblem {
 public:
  explicit FuzzProblem(std::uint64_t seed) : random_(seed), input_({1}), wanted_({1}) {
    constexpr Kind kinds[] = {Kind::c2c, Kind::c2c, Kind::r2c, Kind::c2r, Kind::r2r};
    constexpr Precision precisions[] = {Precision::f16, Precision::f32, Precision::f64};
    constexpr Index lengths[] = {1,  2,  3,  5,  8,  9,  12,  16,  17,  20,  31,  32,  36,
                                 41, 45, 48, 64, 77, 96, 101, 120, 128, 134, 144, 200, 256};
    Transform t;
    t.kind = kinds[pick(std::size(kinds))];
    t.precision = precisions[pick(std::size(precisions))];
    t.shape = {random_.between(1, 3) == 1 ? random_.between(17, 40) : random_.between(1, 6),
               lengths[pick(std::size(lengths))]};
    t.axes = {1};
    t.direction = t.kind == Kind::c2r || (t.kind == Kind::c2c && pick(2) == 0) ? Direction::backward
                                                                               : Direction::forward;
    if (t.kind == Kind::r2r) {
      t.r2r = {static_cast<R2r>(pick(9))};
      t.shape[1] = std::max<Index>(t.shape[1], 2);
    }
    problem_.kind = t.kind;
    problem_.precision = t.precision;
    problem_.direction = t.direction;
    problem_.axes = t.axes;
    problem_.r2r = t.r2r;
    problem_.scale = pick(2) == 0 ? 1.0 : 0.125;
    choose_strides(t.shape);
    input_ = test::rounded(
        test::random_field({t.shape[0], problem_.in_extent(1)}, problem_.in_width() == 2, seed),
        t.precision);
    wanted_ = test::expected(t, input_);
    for (auto& value : wanted_.values) value *= problem_.scale;
  }

  const ArrayProblem& problem() const { return problem_; }
  ArrayCut cut() const { return unfused_cut(problem_); }
  AxisProblem axis() const { return tiles_of(problem_, cut()).front().axes.front().problem; }
  Precision arithmetic() const {
    return problem_.precision == Precision::f64 ? Precision::f64 : Precision::f32;
  }
  test::Random& random() { return random_; }
  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(random_.between(0, static_cast<Index>(count) - 1));
  }

  double error_of(const ArrayRecipe& recipe) const {
    switch (problem_.precision) {
      case Precision::f16: return error_of<Half, float>(recipe);
      case Precision::f32: return error_of<float, float>(recipe);
      default: return error_of<double, double>(recipe);
    }
  }
  double tolerance() const { return test::tolerance(problem_.precision, problem_.dimensions[1].n); }

 private:
  /// Rows with a gap, columns, or points that lie apart in both directions.
  void choose_strides(const std::vector<Index>& shape) {
    const Index in = problem_.in_width(), out = problem_.out_width();
    const Index count = shape[0], row = 2 * (shape[1] + 2);
    switch (pick(4)) {
      case 0: problem_.dimensions = {{count, in, out}, {shape[1], in * count, out * count}}; break;
      case 1: problem_.dimensions = {{count, 3 * row, out}, {shape[1], 3 * in, out * count}}; break;
      default: problem_.dimensions = {{count, row, row}, {shape[1], in, out}};
    }
  }

  static double widened(Half value) { return test::half_to_double(value); }
  static double widened(double value) { return value; }
  template <class Stored>
  static Stored narrowed(long double value) {
    if constexpr (std::is_same_v<Stored, Half>)
      return test::double_to_half(static_cast<double>(value));
    else
      return static_cast<Stored>(value);
  }

  template <class Stored, class Real>
  double error_of(const ArrayRecipe& recipe) const {
    const ArrayPlan<Real> plan(recipe, problem_, serial_executor());
    const Dimension &across = problem_.dimensions[0], &along = problem_.dimensions[1];
    const auto reals = [](Index count, Index step, Index points, Index row) {
      return (count - 1) * step + (points - 1) * row + 2;
    };
    std::vector<Stored> in(
        static_cast<std::size_t>(reals(across.n, across.in, problem_.in_extent(1), along.in)));
    std::vector<Stored> out(
        static_cast<std::size_t>(reals(across.n, across.out, problem_.out_extent(1), along.out)));
    const Index in_points = problem_.in_extent(1), out_points = problem_.out_extent(1);
    for (Index i = 0; i < std::ssize(input_.values); ++i) {
      const auto& value = input_.values[static_cast<std::size_t>(i)];
      Stored* at = in.data() + i / in_points * across.in + i % in_points * along.in;
      at[0] = narrowed<Stored>(value.real());
      if (problem_.in_width() == 2) at[1] = narrowed<Stored>(value.imag());
    }
    Buffer<char> workspace(static_cast<Index>(plan.workspace_bytes()));
    std::fill_n(workspace.data(), plan.workspace_bytes(), char(0xff));
    plan.execute(in.data(), out.data(), workspace.data());
    test::Field got = wanted_;
    for (Index i = 0; i < std::ssize(got.values); ++i) {
      const Stored* at = out.data() + i / out_points * across.out + i % out_points * along.out;
      got.values[static_cast<std::size_t>(i)] = {widened(at[0]),
                                                 problem_.out_width() == 2 ? widened(at[1]) : 0.0};
    }
    return test::relative_error(got, wanted_);
  }

  test::Random random_;
  ArrayProblem problem_;
  test::Field input_, wanted_;
};

/// Recipes out of the grammar, mostly of the length that is asked for.
class RecipeWriter {
 public:
  RecipeWriter(FuzzProblem& problem) : fuzz_(problem) {}

  std::string array(Index n) { return "axes 1" + tiles() + ": " + axis(n, 3); }

 private:
  std::string tiles() {
    if (!chance(3)) return "";
    const Index rows = fuzz_.problem().dimensions[0].n;
    const std::string width =
        chance(2) ? "/" + std::to_string(fuzz_.random().between(1, rows)) : "";
    return " tiles " + std::string(chance(8) ? "1" : "0") + width +
           (chance(2) ? " threads inside" : " threads outside");
  }
  bool chance(int of) { return fuzz_.pick(static_cast<std::size_t>(of)) == 0; }
  Index near(Index n) { return chance(8) ? fuzz_.random().between(1, 2 * n + 3) : n; }

  std::string isa() {
    const auto isas = codelet::available_isas();
    if (chance(12)) return "neon:";
    return std::string(codelet::to_string(isas[fuzz_.pick(isas.size())])) + ":";
  }
  std::string groups() {
    constexpr const char* texts[] = {"1", "1", "1", "2", "4", "9", "16", "64", "1000"};
    return std::string(",") + texts[fuzz_.pick(std::size(texts))] + (chance(4) ? ",stream" : "") +
           (chance(8) ? ",together)" : ")");
  }

  std::string ahead() { return chance(4) ? ",ahead)" : chance(4) ? ",stream)" : ")"; }

  std::string passes(Index n) {
    std::string text;
    for (Index rest = n; rest > 1;) {
      std::vector<Index> divisors;
      for (Index r :
           {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20, 25, 32, 41, 64, 67, 101})
        if (rest % r == 0) divisors.push_back(r);
      const Index radix = divisors.empty() ? rest : divisors[fuzz_.pick(divisors.size())];
      text += (text.empty() ? "" : ".") + std::to_string(radix);
      rest /= radix;
    }
    return text.empty() ? "1" : text;
  }
  std::string lane(Index n, int depth) {
    if (depth == 0 || n < 2 || !chance(2)) return passes(n);
    const std::vector<Index> factors = prime_factors(n);
    const Index radix = factors[fuzz_.pick(factors.size())] * (n % 4 == 0 && chance(2) ? 2 : 1);
    switch (fuzz_.pick(4)) {
      case 0:
        if (n % radix == 0)
          return "split(" + std::to_string(radix) + "," + lane(n / radix, depth - 1) + ")";
        return passes(n);
      case 1: return "rader(" + std::to_string(n) + "," + lane(n - 1, depth - 1) + ")";
      default:
        return "bluestein(" + std::to_string(n) + "," +
               lane(near(next_smooth(2 * n - 1 + fuzz_.random().between(0, n))), depth - 1) + ")";
    }
  }

  std::string axis(Index wanted, int depth) {
    const Index n = near(wanted);
    const auto pairs = factor_pairs(n);
    const std::size_t type = fuzz_.pick(10);
    if (type < 2 && !pairs.empty()) {
      const auto [n1, n2] = pairs[fuzz_.pick(pairs.size())];
      const bool four_step = type == 0;
      return isa() + (four_step ? "four_step(" : "large(") + lane(n1, 1) + "," +
             (four_step && !chance(4) ? std::to_string(n2) : lane(n2, 1)) +
             (four_step ? ahead() : groups());
    }
    if (type == 2) return isa() + "lines(" + std::to_string(n) + ahead();
    if (type == 3) return isa() + "real_kernel(" + std::to_string(n) + ")";
    if (type == 4 && depth > 0 && n > 1)
      return "line_rader(" + std::to_string(n) + "," + axis(n - 1, depth - 1) + ")";
    if (type == 5 && depth > 0)
      return "line_bluestein(" + std::to_string(n) + "," +
             axis(next_smooth(2 * n - 1 + fuzz_.random().between(0, n)), depth - 1) + ")";
    if (type == 6 && depth > 0 && !pairs.empty()) {
      const auto [n1, n2] = pairs[fuzz_.pick(pairs.size())];
      return "real_split(" + std::to_string(n1) + "," + axis(n2, depth - 1) + ")";
    }
    if (type == 7 && depth > 0 && n > 2) {
      const Index padded = next_smooth(n - 1 + fuzz_.random().between(0, n));
      return "real_rader(" + std::to_string(n) + "," +
             axis(chance(2) ? (n - 1) / 2 : padded, depth - 1) + ")";
    }
    return isa() + "lanes(" + lane(n, 3) + groups();
  }

  FuzzProblem& fuzz_;
};

std::string mutated(std::string text, FuzzProblem& fuzz) {
  static constexpr const char* pieces[] = {"split(",
                                           "rader(",
                                           "bluestein(",
                                           "line_rader(",
                                           "real_split(",
                                           "real_rader(",
                                           "2",
                                           "16",
                                           "64",
                                           ".",
                                           ",",
                                           ")",
                                           "(",
                                           "0",
                                           ",stream",
                                           ",ahead",
                                           ",together",
                                           " tiles 0 threads inside",
                                           " | ",
                                           ";",
                                           " ",
                                           "-",
                                           "99999999999999999999",
                                           "\0",
                                           "x"};
  for (std::size_t changes = 1 + fuzz.pick(3); changes > 0; --changes) {
    const std::size_t at = fuzz.pick(text.size() + 1);
    switch (fuzz.pick(4)) {
      case 0: text.erase(at, 1 + fuzz.pick(4)); break;
      case 1: text.insert(at, pieces[fuzz.pick(std::size(pieces))]); break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>('0' + fuzz.pick(10));
        break;
      default: text.insert(at, text.substr(fuzz.pick(text.size() + 1), 1 + fuzz.pick(6)));
    }
  }
  return text;
}

enum class Verdict { malformed, does_not_fit, right };

Verdict check(const std::string& text, const FuzzProblem& fuzz) {
  ArrayRecipe recipe;
  try {
    recipe = parse_array_recipe(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::wisdom) << text << ": " << error.what();
    return Verdict::malformed;
  }
  EXPECT_EQ(parse_array_recipe(to_text(recipe)), recipe) << text;
  if (!fits(recipe, fuzz.problem())) return Verdict::does_not_fit;
  try {
    EXPECT_LT(fuzz.error_of(recipe), 4 * fuzz.tolerance())
        << text << " for " << to_text(fuzz.problem());
  } catch (const std::exception& error) {
    ADD_FAILURE() << text << " for " << to_text(fuzz.problem()) << ": " << error.what();
  }
  return Verdict::right;
}

TEST(RecipeFuzz, WhatIsAcceptedComputesTheTransform) {
  int counts[3] = {};
  for (std::uint64_t seed = 1; seed <= 160; ++seed) {
    FuzzProblem fuzz(seed);
    RecipeWriter writer(fuzz);
    const Index n = fuzz.axis().complex_length();
    for (int i = 0; i < 60; ++i) ++counts[static_cast<int>(check(writer.array(n), fuzz))];
    const auto candidates = axis_candidates(fuzz.axis(), {.precision = fuzz.arithmetic()});
    for (int i = 0; i < 40; ++i) {
      const ArrayRecipe recipe{fuzz.cut(), {candidates[fuzz.pick(candidates.size())]}};
      ++counts[static_cast<int>(check(mutated(to_text(recipe), fuzz), fuzz))];
    }
    if (HasFailure()) return;
  }
  for (int count : counts) EXPECT_GT(count, 1000);
}

TEST(RecipeFit, TakesEveryCandidate) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const FuzzProblem fuzz(seed);
    for (const AxisRecipe& recipe : axis_candidates(fuzz.axis(), {.precision = fuzz.arithmetic()}))
      EXPECT_TRUE(fits(ArrayRecipe{fuzz.cut(), {recipe}}, fuzz.problem()))
          << to_text(recipe) << " for " << to_text(fuzz.problem());
  }
}

/// Recipes that once were taken, and gave wrong numbers or none.
TEST(RecipeFit, RefusesWhatCannotBeRight) {
  const std::string isa = std::string(codelet::to_string(codelet::best_isa())) + ":";
  const auto complex_rows = [](Index n) {
    ArrayProblem problem;
    problem.dimensions = {{3, 2 * n, 2 * n}, {n, 2, 2}};
    problem.axes = {1};
    return problem;
  };
  const auto refuses = [](const std::string& recipe, const ArrayProblem& problem) {
    EXPECT_FALSE(fits(parse_array_recipe("axes 1: " + recipe), problem)) << recipe;
  };
  refuses("line_rader(16," + isa + "lanes(15,1))", complex_rows(16));
  refuses(isa + "lanes(rader(16,15),1)", complex_rows(16));
  refuses("scalar:four_step(bluestein(2,3),split(4,2))", complex_rows(16));
  refuses(isa + "lanes(bluestein(8,64.64),1)", complex_rows(8));
  refuses(isa + "lanes(131,1)", complex_rows(131));
  refuses(isa + "lanes(16,1)", complex_rows(17));
  for (R2r kind : {R2r::dct2, R2r::dht}) {
    ArrayProblem problem = complex_rows(128);
    problem.kind = Kind::r2r;
    problem.r2r = {kind};
    refuses(isa + "lines(64)", problem);
    refuses(isa + "large(8,8,1)", problem);
    refuses("line_bluestein(64," + isa + "lanes(16.8,1))", problem);
  }
  ArrayProblem real = complex_rows(22);  // by a complex transform of 11 points
  real.kind = Kind::r2c;
  real.dimensions = {{3, 22, 24}, {22, 1, 2}};
  refuses("real_rader(11," + isa + "lanes(5,1))", real);
}

/// The kernel of 64 points reads from memory; in a partly filled register it does not.
TEST(RecipeFit, LaneRecipesRunInEveryPosition) {
  for (const char* lane : {"64.4", "4.64", "64.64", "split(4,64)", "64"}) {
    std::string_view text = lane;
    const LaneRecipe recipe = parse_lane_recipe(text);
    for (Index count : {1, 9, 75}) {
      ArrayProblem problem;
      const Index n = recipe.n;
      problem.dimensions = {{count, 2 * n, 2 * n}, {n, 2, 2}};
      problem.axes = {1};
      const ArrayRecipe array{unfused_cut(problem),
                              {axis_lanes(codelet::best_isa(), recipe, count > 70 ? 9 : 1)}};
      ASSERT_TRUE(fits(array, problem)) << lane;
      EXPECT_NO_THROW(ArrayPlan<double>(array, problem, serial_executor())) << lane;
    }
  }
}

}  // namespace
}  // namespace weft::local
