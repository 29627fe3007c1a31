// SPDX-License-Identifier: BSD-3-Clause
// Operators on several fields whose function is inside a pass: a block holds a tile of each.
#include "base/format.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "operator_cases.hpp"
#include "problem/request.hpp"

namespace weft::test {
namespace {

std::string two_passes(const Case& c, const gpu::TwoPassOptions& options) {
  const auto problem = problem::check_request(transform_of(c), {}, {}).problem;
  const auto recipe = gpu::two_pass_recipe(problem, options);
  EXPECT_TRUE(recipe.has_value()) << c;
  return recipe ? "fused: " + gpu::to_text(*recipe) : "";
}

/// As many outputs as inputs, fewer, more. No derivatives but of odd waves, so that a real field
/// gives a real field.
const char* const couplings[] = {
    "(1 + ky^2)*u0 - dx*u1 + u2/(1 + k2); u0 + cos(kz)*u2; dy*u1 + 0.5*u0 + kx^2*u2",
    "u0 - dz*u1/(1 + k2) + where(kx < 3, 1, 0.5)*u2", "dx*u0 + u0; dy*u0 - 2*u0; dz*u0/(1 + k2)",
    "u0*u1/(1 + abs(u0)); u1 + (1 + kz^2)*u0; u0 - u1"};

TEST_F(GpuOperator, TurnsTilesOfSeveralFieldsAroundInACluster) {
  const Case c{Kind::c2c, {2, 16, 32, 24}, {1, 2, 3}, Precision::f32};
  for (const int cluster : {1, 2, 4})
    for (const char* text : couplings) {
      const std::string recipe = two_passes(
          c, {.first_points = 8, .columns = 8, .first = {cluster}, .second = {cluster, 8}});
      expect_equal_to_cpu(c, expression(text), false, recipe);
      expect_equal_to_cpu(c, expression(text), true, recipe);
    }
}

TEST_F(GpuOperator, TurnsUnevenTilesOfSeveralFieldsAround) {
  const Case c{Kind::c2c, {18, 36, 25}, {0, 1, 2}, Precision::f64};
  for (const bool by_columns : {false, true})
    for (const char* text : couplings)
      expect_equal_to_cpu(c, expression(text), by_columns,
                          two_passes(c, {.first_points = 6,
                                         .columns = 4,
                                         .first = {1, 6},
                                         .second = {1, 6},
                                         .by_columns = by_columns}));
}

/// Functions that make of real fields' spectra such as no real field has, too.
TEST_F(GpuOperator, TurnsRealPlanesOfSeveralFieldsAround) {
  const Case c{Kind::r2c, {2, 16, 32, 20}, {1, 2, 3}, Precision::f64, {3, 1, 2}};
  const char* odd = "i*kx*u0 + (2 + dy)*u1; kz*i*u1 - u0";
  for (const int cluster : {1, 2})
    for (const bool by_columns : {false, true})
      for (const char* text : {couplings[0], couplings[1], couplings[2], odd})
        expect_equal_to_cpu(c, expression(text), by_columns,
                            two_passes(c, {.first_points = 8,
                                           .columns = 4,
                                           .second = {cluster, 8},
                                           .pairs = true,
                                           .by_columns = by_columns}));
}

TEST_F(GpuOperator, HasSeveralFieldsOnEveryShape) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const auto& [shape, axes] :
           std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{12, 10, 9}, {0, 1, 2}},
                                                                        {{3, 7, 16, 4}, {1, 2, 3}},
                                                                        {{6, 1, 11}, {0, 1, 2}},
                                                                        {{5, 101, 4}, {0, 1, 2}}})
        for (const char* text : couplings)
          expect_equal_to_cpu({kind, shape, axes, precision}, expression(text));
}

/// Lines that take two passes each: the fields lie in the scratch array.
TEST_F(GpuOperator, TurnsLongLinesOfSeveralFieldsAround) {
  const Case columns{Kind::c2c, {1 << 17, 2}, {0, 1}, Precision::f32};
  for (const char* text : {"u0 + ky*u1; 2*u1 - u0", "u0 - kx*u1/(1 + k2)", "u0/(1 + kx^2); u0"}) {
    const cuda::SpectralOperator op(transform_of(columns), expression(text));
    EXPECT_TRUE(op.recipe().starts_with("fused: ")) << op.recipe();
    expect_equal_to_cpu(columns, expression(text), true);
  }
}

/// Every field goes through the passes before and after; all go through the one in the middle.
TEST_F(GpuOperator, CountsThePassesOfSeveralFields) {
  const Transform complex = c2c({12, 10, 9}), real = r2c({12, 10, 9});
  for (const Transform& forward : {complex, real}) {
    EXPECT_EQ(cuda::SpectralOperator(forward, projection(3)).passes(), 5);
    EXPECT_NEAR(cuda::SpectralOperator(forward, gradient(3)).passes(), (2 + 3 * 2) / 3. + 1, 1e-12);
    EXPECT_NEAR(cuda::SpectralOperator(forward, divergence(3)).passes(), (3 * 2 + 2) / 3. + 1,
                1e-12);
  }
  const cuda::SpectralOperator op(complex, gradient(3));
  EXPECT_NE(op.explain().find("1 field in, 3 fields out"), std::string::npos) << op.explain();
}

/// Where a block has no room for the tiles of all fields they are transformed in steps.
TEST_F(GpuOperator, TakesStepsWhereSoManyTilesHaveNoRoom) {
  std::string all = "u0";
  for (int f = 1; f < 16; ++f) all += weft::format("+{}*u{}", f, f);
  const Case c{Kind::c2c, {4096, 2}, {0}, Precision::f64};
  const ModeFunction function = expression("(" + all + ")/(1 + kx^2)");
  const cuda::SpectralOperator op(transform_of(c), function);
  EXPECT_TRUE(op.recipe().starts_with("steps: ")) << op.recipe();
  expect_equal_to_cpu(c, function);
  const cuda::SpectralOperator one(transform_of(c), laplacian());
  ASSERT_TRUE(one.recipe().starts_with("fused: ")) << one.recipe();
  try {
    const cuda::SpectralOperator refused(transform_of(c), function, {.recipe = one.recipe()});
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("no room for its tile of all fields"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(GpuOperator, MeasuresAndRemembersSeveralFields) {
  const Transform forward = c2c({8, 12});
  const ModeFunction functions[] = {gradient(2), divergence(2), laplacian()};
  std::vector<std::string> recipes;
  for (const ModeFunction& function : functions)
    recipes.push_back(
        cuda::SpectralOperator(forward, function, {.effort = Effort::measure, .time_limit_s = 0.1})
            .recipe());
  const std::string wisdom = wisdom::to_string();
  for (const char* name :
       {"operator 1 to 2 fields c2c f64", "operator 2 to 1 fields c2c f64", "operator c2c f64"})
    EXPECT_NE(wisdom.find(name), std::string::npos) << wisdom;
  for (std::size_t f = 0; f < recipes.size(); ++f) {
    EXPECT_EQ(cuda::SpectralOperator(forward, functions[f]).recipe(), recipes[f]);
    expect_equal_to_cpu({Kind::c2c, {8, 12}}, functions[f], false, recipes[f]);
  }
}

/// Forward plans, a matrix at every mode, backward plans: as slow and as plain as can be.
class RandomOperator {
 public:
  explicit RandomOperator(unsigned seed) : generator_(seed) {
    const int ndim = between(1, 3);
    for (int d = 0; d < ndim; ++d) shape_.push_back(between(1, ndim == 3 ? 14 : 40));
    for (int d = 0; d < ndim; ++d)
      if (between(0, 3) > 0) axes_.push_back(d);
    if (axes_.empty()) axes_.push_back(ndim - 1);
    inputs_ = between(1, 4);
    outputs_ = between(1, 4);
    for (int i = 0; i < inputs_ * outputs_; ++i) matrix_.push_back(between(-4, 4));
    is_real_ = between(0, 1) == 1;
  }

  void check() {
    if (is_real_)
      check_as<double>();
    else
      check_as<std::complex<double>>();
  }

 private:
  int between(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(generator_);
  }
  /// Row o of the matrix divided by o + 1 + k2.
  std::string text() const {
    std::string all;
    for (int o = 0; o < outputs_; ++o) {
      std::string row;
      for (int i = 0; i < inputs_; ++i)
        row += weft::format("{}({})*u{}", i > 0 ? " + " : "", matrix(o, i), i);
      all += weft::format("{}({})/({} + k2)", o > 0 ? "; " : "", row, o + 1);
    }
    return all;
  }
  int matrix(int o, int i) const { return matrix_[static_cast<std::size_t>(o * inputs_ + i)]; }

  double k2(Index mode, const std::vector<Index>& spectrum) const {
    double sum = 0;
    for (std::size_t d = spectrum.size(); d-- > 0; mode /= spectrum[d]) {
      if (std::ranges::find(axes_, static_cast<int>(d)) == axes_.end()) continue;
      const Index i = mode % spectrum[d], n = shape_[d];
      const auto k = static_cast<double>(i < n - i || spectrum[d] < n ? i : i - n);
      sum += k * k;
    }
    return sum;
  }

  template <class T>
  void check_as() {
    const Case c{is_real_ ? Kind::r2c : Kind::c2c, shape_, axes_};
    const Transform forward = transform_of(c);
    Transform backward = inverse(forward);
    backward.normalization = Normalization::backward;
    const Plan there(forward), back(backward);
    const std::vector<Index> spectrum = there.output_shape();
    Fields<T> in;
    Fields<std::complex<double>> modes;
    for (int i = 0; i < inputs_; ++i) {
      in.push_back(random_values<T>(product(shape_), 31 + static_cast<unsigned>(i)));
      modes.emplace_back(static_cast<std::size_t>(product(spectrum)));
      there.execute(in.back().data(), modes.back().data());
    }
    Fields<T> wanted;
    for (int o = 0; o < outputs_; ++o) {
      std::vector<std::complex<double>> sum(modes.front().size());
      for (std::size_t m = 0; m < sum.size(); ++m) {
        for (int i = 0; i < inputs_; ++i)
          sum[m] += static_cast<double>(matrix(o, i)) * modes[static_cast<std::size_t>(i)][m];
        sum[m] /= o + 1 + k2(static_cast<Index>(m), spectrum);
      }
      wanted.emplace_back(in.front().size());
      back.execute(sum.data(), wanted.back().data());
    }
    const cuda::SpectralOperator op(forward, expression(text(), {.inputs = inputs_}));
    for (const bool in_place : {false, true})
      EXPECT_LT(
          relative_error(on_gpu(op, in, static_cast<std::size_t>(outputs_), in_place), wanted),
          bound(Precision::f64, product(shape_)))
          << c << ' ' << text() << (in_place ? " in place\n" : "\n") << op.explain();
  }

  std::mt19937 generator_;
  std::vector<Index> shape_;
  std::vector<int> axes_;
  int inputs_ = 1, outputs_ = 1;
  bool is_real_ = false;
  std::vector<int> matrix_;
};

TEST_F(GpuOperator, EqualsPlansAndAMatrixAtEveryModeForRandomProblems) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomOperator(seed).check();
  }
}

}  // namespace
}  // namespace weft::test
