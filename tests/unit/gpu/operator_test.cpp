// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs without a GPU: a stand-in for the CUDA driver runs their kernels on the host
// (tests/support/gpu_stand_in). Compared with operators of the CPU, and with three separate steps.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <random>

#include "gpu/device/driver.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/two_pass.hpp"
#include "problem/request.hpp"
#include "weft/spectral_cuda.hpp"
#include "weft/spectral_expression.hpp"
#include "weft/spectral_functions.hpp"
#include "weft/wisdom.hpp"

namespace weft::test {
namespace {

using namespace spectral;

Index product(const std::vector<Index>& extents) {
  return std::accumulate(extents.begin(), extents.end(), Index{1}, std::multiplies<>());
}

/// An array in the stand-in's memory.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    const gpu::UseDevice use(gpu::device(0));
    memory_ = gpu::DeviceMemory(std::max<std::size_t>(1, count) * sizeof(T));
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::vector<T> values() const { return {data(), data() + count_}; }

 private:
  gpu::DeviceMemory memory_;
  std::size_t count_;
};

template <class T>
std::vector<T> random_values(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    if constexpr (ScalarTraits<T>::is_complex) {
      const double re = number(generator), im = number(generator);
      value = T(static_cast<typename T::value_type>(re), static_cast<typename T::value_type>(im));
    } else {
      value = static_cast<T>(number(generator));
    }
  }
  return values;
}

template <class T>
using Fields = std::vector<std::vector<T>>;

template <class T>
Fields<T> on_gpu(const cuda::SpectralOperator& op, const Fields<T>& in, std::size_t outputs,
                 bool in_place) {
  std::vector<DeviceArray<T>> inputs, results;
  for (const auto& field : in) inputs.emplace_back(field);
  for (std::size_t f = 0; f < outputs; ++f) results.emplace_back(in.front().size());
  std::vector<const T*> from;
  std::vector<T*> to;
  for (const auto& each : inputs) from.push_back(each.data());
  for (std::size_t f = 0; f < outputs; ++f)
    to.push_back(in_place && f < inputs.size() ? inputs[f].data() : results[f].data());
  cuda::Workspace workspace = op.make_workspace();
  op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace, {});
  for (std::size_t f = 0; f < in.size() && !in_place; ++f)
    EXPECT_EQ(std::memcmp(inputs[f].data(), in[f].data(), in[f].size() * sizeof(T)), 0)
        << "the input was changed";
  Fields<T> out;
  for (T* each : to) out.emplace_back(each, each + in.front().size());
  return out;
}

template <class T>
Fields<T> on_cpu(const Transform& forward, const ModeFunction& function,
                 const std::vector<double>& lengths, const Fields<T>& in, std::size_t outputs) {
  const SpectralOperator op(forward, function, {.lengths = lengths});
  std::vector<const T*> from;
  std::vector<T*> to;
  Fields<T> out(outputs, std::vector<T>(in.front().size()));
  for (const auto& each : in) from.push_back(each.data());
  for (auto& each : out) to.push_back(each.data());
  Workspace workspace = op.make_workspace();
  op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace);
  return out;
}

template <class T>
double relative_error(const Fields<T>& got, const Fields<T>& wanted) {
  double error = 0, norm = 0;
  for (std::size_t f = 0; f < wanted.size(); ++f)
    for (std::size_t i = 0; i < wanted[f].size(); ++i) {
      error += std::norm(got[f][i] - wanted[f][i]);
      norm += std::norm(wanted[f][i]);
    }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

/// Two transforms of log2 n steps each, and some operations of the function.
double bound(Precision precision, Index points) {
  const double eps = precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
  return 8 * eps * (4 + std::log2(static_cast<double>(points)));
}

struct Case {
  Kind kind = Kind::c2c;
  std::vector<Index> shape;
  std::vector<int> axes = {};
  Precision precision = Precision::f64;
  std::vector<double> lengths = {};
};

Transform transform_of(const Case& c) {
  const TransformOptions options{.axes = c.axes, .precision = c.precision};
  return c.kind == Kind::c2c ? c2c(c.shape, options) : r2c(c.shape, options);
}

std::ostream& operator<<(std::ostream& to, const Case& c) {
  return to << (c.kind == Kind::c2c ? "c2c " : "r2c ")
            << (c.precision == Precision::f32 ? "f32 " : "f64 ")
            << ::testing::PrintToString(c.shape) << " axes " << ::testing::PrintToString(c.axes);
}

template <class T>
void expect_equal_to_cpu(const Case& c, const ModeFunction& function, bool in_place,
                         const std::string& recipe) {
  const Transform forward = transform_of(c);
  Fields<T> in;
  for (int f = 0; f < function.inputs(); ++f)
    in.push_back(random_values<T>(product(c.shape), 7 + static_cast<unsigned>(f)));
  const auto outputs = static_cast<std::size_t>(function.outputs());
  const auto wanted = on_cpu(forward, function, c.lengths, in, outputs);
  const cuda::SpectralOperator op(forward, function, {.recipe = recipe, .lengths = c.lengths});
  const auto got = on_gpu(op, in, outputs, in_place);
  EXPECT_LT(relative_error(got, wanted), bound(c.precision, product(c.shape)))
      << c << (in_place ? " in place\n" : "\n") << op.explain();
}

void expect_equal_to_cpu(const Case& c, const ModeFunction& function, bool in_place = false,
                         const std::string& recipe = "") {
  SCOPED_TRACE(::testing::Message() << c);
  if (c.kind == Kind::c2c && c.precision == Precision::f64)
    expect_equal_to_cpu<std::complex<double>>(c, function, in_place, recipe);
  else if (c.kind == Kind::c2c)
    expect_equal_to_cpu<std::complex<float>>(c, function, in_place, recipe);
  else if (c.precision == Precision::f64)
    expect_equal_to_cpu<double>(c, function, in_place, recipe);
  else
    expect_equal_to_cpu<float>(c, function, in_place, recipe);
}

class GpuOperator : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("WEFT_NVRTC", WEFT_STAND_IN, 1);
    ::setenv("WEFT_CUDA_CACHE", "off", 1);
    ASSERT_TRUE(cuda::is_available());
  }
  void SetUp() override { wisdom::forget(); }
  void TearDown() override { wisdom::forget(); }
};

/// Depends on every wave number, differently in each direction; no derivative, so that it is the
/// same for real fields.
ModeFunction uneven(int axes) {
  std::string text = "(1 + 0.5*cos(kx)";
  if (axes > 1) text += " + 0.25*exp(-ky^2/40)*where(ky < 3, 1, 0.5)";
  if (axes > 2) text += " + kz^2/(20 + k2)";
  return expression(text + " + 0.1*dx) * u0");
}

TEST_F(GpuOperator, EqualsTheCpuForEveryShape) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const auto& [shape, axes] :
           std::vector<std::pair<std::vector<Index>, std::vector<int>>>{{{12, 10, 9}, {0, 1, 2}},
                                                                        {{8, 15}, {0, 1}},
                                                                        {{30}, {0}},
                                                                        {{1}, {0}},
                                                                        {{3, 7, 16}, {1, 2}},
                                                                        {{6, 5, 4}, {0}},
                                                                        {{4, 1, 11}, {0, 2}},
                                                                        {{17, 2}, {0, 1}}})
        expect_equal_to_cpu({kind, shape, axes, precision}, uneven(static_cast<int>(axes.size())));
}

TEST_F(GpuOperator, WorksInPlace) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const auto& shape : std::vector<std::vector<Index>>{{12, 10, 9}, {8, 15}, {30}})
      expect_equal_to_cpu({kind, shape}, uneven(static_cast<int>(shape.size())), true);
}

TEST_F(GpuOperator, HasPeriodsOfItsOwn) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    expect_equal_to_cpu({kind, {10, 12, 7}, {}, Precision::f64, {2.5, 1, 40}}, uneven(3));
}

TEST_F(GpuOperator, HasAllReadyMadeFunctions) {
  const ModeFunction functions[] = {laplacian(),
                                    inverse_laplacian(),
                                    fractional_laplacian(-0.75),
                                    fractional_laplacian(0.5),
                                    fractional_laplacian(2),
                                    derivative(0),
                                    derivative(2),
                                    gradient(3),
                                    divergence(3),
                                    curl(),
                                    projection(3),
                                    gaussian_filter(0.3),
                                    sharp_filter(2.7),
                                    shift({0.3, -1.25, 2})};
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const ModeFunction& function : functions)
      expect_equal_to_cpu({kind, {6, 8, 10}, {}, Precision::f64, {3, 2, 5}}, function);
  expect_equal_to_cpu({Kind::r2c, {9, 14}}, projection(2));
  expect_equal_to_cpu({Kind::c2c, {9}}, projection(1));
}

TEST_F(GpuOperator, CouplesSeveralFieldsInPlace) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const ModeFunction& function : {curl(), gradient(3), divergence(3)})
      expect_equal_to_cpu({kind, {6, 5, 8}}, function, true);
}

TEST_F(GpuOperator, ComputesEveryWordOfExpressions) {
  for (const char* text :
       {"sqrt(k2 + 2)*u0 + abs(u0)*i", "exp(i*kx/3 + 0.1*ky)*u0", "sin(0.1*u0)", "cos(0.1*u0*i)",
        "sqrt(u0)", "sqrt(0 - u0*u0)", "u0/(2 + dx)", "u0^3*0.001 + conj(u0)",
        "real(u0) + i*imag(u0)*2", "where(real(u0) > 0, u0, -u0)", "(kx^2 + 1)^0.3*u0",
        "where(kx <= ky, 1, 2)*u0", "where(kx != ky, pi, i)*u0", "k*u0 - 3", "abs(kx)*u0/2/k",
        "where(k == 0, 1/0, 1)*0 + u0*where(k == 0, 1, 1/k)"}) {
    SCOPED_TRACE(text);
    if (std::string(text).find("/k") == std::string::npos)
      expect_equal_to_cpu({Kind::c2c, {6, 7}}, expression(text));
  }
  expect_equal_to_cpu({Kind::c2c, {6, 7}}, expression("where(k == 0, 0, 1/k)*u0"));
  expect_equal_to_cpu({Kind::c2c, {6, 7}}, expression("u1*kx - u0; u0 + u1; 2*u0"));
  expect_equal_to_cpu({Kind::c2c, {5, 6, 8}},
                      expression("(kx + 2*ky + 5*kz)*u0", {.inputs = 1, .reversed_axes = 3}));
}

/// Forward plan, loop, backward plan.
template <class T>
std::vector<T> separate_steps(const Transform& forward, const std::vector<T>& in,
                              const std::function<std::complex<double>(Index)>& multiplier) {
  using Real = std::conditional_t<ScalarTraits<T>::precision == Precision::f32, float, double>;
  Transform backward = inverse(forward);
  backward.normalization = Normalization::backward;
  const Plan there(forward), back(backward);
  std::vector<std::complex<Real>> spectrum(static_cast<std::size_t>(product(there.output_shape())));
  there.execute(in.data(), spectrum.data());
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    spectrum[i] *= std::complex<Real>(multiplier(static_cast<Index>(i)));
  std::vector<T> out(in.size());
  back.execute(spectrum.data(), out.data());
  return out;
}

template <class T>
void expect_multiplied(const Case& c, const std::string& recipe = "") {
  SCOPED_TRACE(::testing::Message() << c);
  using Real = std::conditional_t<ScalarTraits<T>::precision == Precision::f32, float, double>;
  const Transform forward = transform_of(c);
  const auto in = random_values<T>(product(c.shape), 3);
  const cuda::SpectralOperator shapes(forward, laplacian());
  const std::vector<Index> spectrum = shapes.spectrum_shape();
  const auto m = random_values<std::complex<Real>>(product(spectrum), 5);
  const auto number = [&](Index i) { return std::complex<double>(m[static_cast<std::size_t>(i)]); };
  const Fields<T> plain{separate_steps<T>(forward, in, number)};
  const Fields<T> conjugate{
      separate_steps<T>(forward, in, [&](Index i) { return std::conj(number(i)); })};
  const double most = bound(c.precision, product(c.shape));
  const std::span<const std::complex<Real>> host(m);
  const DeviceArray<std::complex<Real>> device(m);
  const auto error = [&](const ModeFunction& function, const Fields<T>& wanted) {
    const cuda::SpectralOperator op(forward, function, {.recipe = recipe});
    return relative_error(on_gpu(op, Fields<T>{in}, 1, false), wanted);
  };
  EXPECT_LT(error(multiply(host, spectrum), plain), most);
  EXPECT_LT(error(multiply_conjugate(host, spectrum), conjugate), most);
  EXPECT_LT(error(cuda::multiply(device.data(), spectrum), plain), most);
  EXPECT_LT(error(cuda::multiply_conjugate(device.data(), spectrum), conjugate), most);
  std::vector<std::vector<std::complex<Real>>> lists;
  for (std::size_t d = 0; d < spectrum.size(); ++d)
    lists.push_back(d == 1 ? std::vector<std::complex<Real>>{}
                           : random_values<std::complex<Real>>(spectrum[d], 11));
  const Fields<T> separable{separate_steps<T>(forward, in, [&](Index i) {
    std::complex<double> factor = 1;
    for (std::size_t d = spectrum.size(); d-- > 0; i /= spectrum[d])
      if (!lists[d].empty())
        factor *= std::complex<double>(lists[d][static_cast<std::size_t>(i % spectrum[d])]);
    return factor;
  })};
  EXPECT_LT(error(multiply_separable(lists, spectrum), separable), most);
}

TEST_F(GpuOperator, MultipliesByArrays) {
  expect_multiplied<std::complex<double>>({Kind::c2c, {5, 6, 8}});
  expect_multiplied<std::complex<float>>({Kind::c2c, {3, 16}, {1}, Precision::f32});
  expect_multiplied<double>({Kind::r2c, {5, 6, 8}});
  expect_multiplied<float>({Kind::r2c, {2, 9, 5}, {1, 2}, Precision::f32});
}

/// What one member of a batch holds must not reach another, whatever it is.
TEST_F(GpuOperator, KeepsMembersOfABatchApart) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto check = [&](const auto& in, const Transform& forward, Index member) {
    using T = std::remove_cvref_t<decltype(in.front())>;
    const cuda::SpectralOperator op(forward, uneven(2));
    const auto wanted = on_gpu(op, Fields<T>{in}, 1, false).front();
    auto spoiled = in;
    spoiled[static_cast<std::size_t>(member + 3)] = T(nan);
    const auto got = on_gpu(op, Fields<T>{spoiled}, 1, false).front();
    for (std::size_t i = 0; i < got.size(); ++i)
      if (static_cast<Index>(i) / member != 1) {
        ASSERT_EQ(got[i], wanted[i]) << op.explain();
      } else {
        ASSERT_TRUE(std::isnan(std::real(got[i])));
      }
  };
  check(random_values<std::complex<double>>(4 * 6 * 8, 1), c2c({4, 6, 8}, {.axes = {1, 2}}), 48);
  check(random_values<double>(4 * 6 * 8, 1), r2c({4, 6, 8}, {.axes = {1, 2}}), 48);
}

std::string recipe_of(const Case& c, const gpu::TwoPassOptions& options) {
  const auto problem = problem::check_request(transform_of(c), {}, {}).problem;
  const auto recipe = gpu::two_pass_recipe(problem, options);
  EXPECT_TRUE(recipe.has_value()) << c;
  return recipe ? "fused: " + gpu::to_text(*recipe) : "";
}

/// Three axes in two passes, of which the second is turned around: in one block, and in clusters,
/// through which a tile goes forward and back.
TEST_F(GpuOperator, TurnsATileAroundInACluster) {
  const Case c{Kind::c2c, {2, 16, 32, 24}, {1, 2, 3}, Precision::f32};
  for (const int cluster : {1, 2, 4})
    for (const auto& [by_columns, cuts_far] : {std::pair{false, true}, {true, true}, {true, false}})
      expect_equal_to_cpu(c, uneven(3), cluster == 2,
                          recipe_of(c, {.first_points = 8,
                                        .columns = 8,
                                        .first = {cluster},
                                        .second = {cluster},
                                        .cuts_far = cuts_far,
                                        .by_columns = by_columns}));
}

/// Columns that are left over, axes that are no powers of two, several stages.
TEST_F(GpuOperator, TurnsUnevenTilesAround) {
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Case c{Kind::c2c, {18, 36, 25}, {0, 1, 2}, precision};
    for (const int points : {6, 16})
      expect_equal_to_cpu(
          c, uneven(3), false,
          recipe_of(
              c, {.first_points = 6, .columns = 4, .first = {1, points}, .second = {1, points}}));
  }
}

/// Functions that make of a real field's spectrum one that no real field has: what counts is what
/// c2r makes of it, also where a column is its own mirror.
TEST_F(GpuOperator, TurnsTwoRealPlanesAroundAtOnce) {
  const Case c{Kind::r2c, {2, 16, 32, 20}, {1, 2, 3}, Precision::f64, {3, 1, 2}};
  for (const int cluster : {1, 2})
    for (const bool by_columns : {false, true}) {
      const std::string recipe = recipe_of(c, {.first_points = 8,
                                               .columns = 4,
                                               .second = {cluster, 8},
                                               .pairs = true,
                                               .by_columns = by_columns});
      expect_equal_to_cpu(c, uneven(3), false, recipe);
      expect_equal_to_cpu(c, expression("(i*kx + 0.5*ky + i*kz*kx + 2 + dy)*u0"), true, recipe);
      expect_equal_to_cpu(c, shift({0.1, 0.2, 0.3}), false, recipe);
    }
  expect_multiplied<double>(
      c, recipe_of(c, {.first_points = 8, .columns = 4, .second = {1, 8}, .pairs = true}));
}

/// One field c2c takes one pass less than twice the passes of a transform.
TEST_F(GpuOperator, GoesThroughMemoryOnceLessThanItsTransforms) {
  for (const auto& [shape, passes] : std::vector<std::pair<std::vector<Index>, double>>{
           {{30}, 1}, {{4, 30}, 3}, {{12, 10, 9}, 5}}) {
    const cuda::SpectralOperator op(c2c(shape), laplacian());
    EXPECT_EQ(op.passes(), passes) << op.explain();
    const cuda::SpectralOperator real(r2c(shape), laplacian());
    EXPECT_EQ(real.passes(), shape.size() == 1 ? 3 : passes) << real.explain();
  }
  const cuda::SpectralOperator cube(
      c2c({64, 64, 64}, {.precision = Precision::f32}), laplacian(),
      {.recipe = recipe_of({Kind::c2c, {64, 64, 64}, {}, Precision::f32},
                           {.first_points = 8, .columns = 16})});
  EXPECT_EQ(cube.passes(), 3) << cube.explain();
}

TEST_F(GpuOperator, TakesStepsWhereThereIsNoRoomOrNoWay) {
  const cuda::SpectralOperator prime(c2c({2, 101}, {.axes = {1}}), uneven(1));
  EXPECT_TRUE(prime.recipe().starts_with("steps: ")) << prime.recipe();
  expect_equal_to_cpu({Kind::c2c, {2, 101}, {1}}, uneven(1));
  expect_equal_to_cpu({Kind::c2c, {101, 6}}, uneven(2));
}

/// Lines that take two passes each, alone and before another axis.
TEST_F(GpuOperator, TurnsLongLinesAround) {
  const Case line{Kind::c2c, {3 << 16}, {}, Precision::f32};
  expect_equal_to_cpu(line, uneven(1));
  const Case columns{Kind::c2c, {1 << 17, 2}, {0, 1}, Precision::f32};
  expect_equal_to_cpu(columns, uneven(2));
}

TEST_F(GpuOperator, MeasuresAndRemembers) {
  const Transform forward = c2c({8, 12});
  const cuda::SpectralOperator measured(forward, laplacian(),
                                        {.effort = Effort::measure, .time_limit_s = 0.1});
  EXPECT_NE(wisdom::to_string().find("operator c2c f64"), std::string::npos) << wisdom::to_string();
  const cuda::SpectralOperator again(forward, laplacian());
  EXPECT_EQ(again.recipe(), measured.recipe());
}

TEST_F(GpuOperator, IsBuiltAgainFromItsRecipe) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const Case c{kind, {12, 10, 9}};
    const cuda::SpectralOperator op(transform_of(c), uneven(3));
    const cuda::SpectralOperator again(transform_of(c), uneven(3), {.recipe = op.recipe()});
    EXPECT_EQ(again.recipe(), op.recipe());
    EXPECT_EQ(again.explain(), op.explain());
    expect_equal_to_cpu(c, uneven(3), false, op.recipe());
  }
}

void expect_refused(const std::function<void()>& work, ErrorCode code, const std::string& words) {
  try {
    work();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST_F(GpuOperator, RefusesWhatMakesNoSense) {
  const auto make = [](const Transform& forward, const ModeFunction& function,
                       const cuda::SpectralOptions& options = {}) {
    return [=] { cuda::SpectralOperator(forward, function, options); };
  };
  using enum ErrorCode;
  const Transform forward = c2c({6, 8});
  expect_refused(make(forward, at_every_mode([](const auto&, auto u) { u[0] *= 2; })), unsupported,
                 "give a text");
  expect_refused(make(forward, gradient(5)), unsupported, "give a text");
  expect_refused(make(forward, gradient(3)), invalid_argument, "along 3 axes");
  expect_refused(make(c2c({6, 8}, {.input_extents = {6, 4}}), laplacian()), unsupported, "padded");
  expect_refused(make(c2c({6, 8}, {.precision = Precision::f16}), laplacian()), invalid_argument,
                 "f16");
  expect_refused(make(forward, laplacian(), {.recipe = "of another"}), invalid_argument,
                 "does not fit");
  expect_refused(make(forward, laplacian(), {.device = 3}), invalid_argument, "");
  expect_refused(make(r2c({6, 8}), laplacian(), {.workspace_limit = 10}), out_of_memory, "");
  const std::vector<std::complex<float>> numbers(48);
  const std::span<const std::complex<float>> span(numbers);
  expect_refused(make(forward, multiply(span, {6, 8})), invalid_argument, "f32");
  expect_refused(make(c2c({8, 6}, {.precision = Precision::f32}), multiply(span, {6, 8})),
                 invalid_argument, "6 x 8");
  expect_refused(
      make(c2c({6, 8}, {.precision = Precision::f32}), cuda::multiply(numbers.data(), {6, 8})),
      invalid_argument, "host memory");
  expect_refused(
      [&] {
        SpectralOperator(c2c({6, 8}, {.precision = Precision::f32}),
                         cuda::multiply(numbers.data(), {6, 8}));
      },
      invalid_argument, "device memory");
}

TEST_F(GpuOperator, RefusesWrongArrays) {
  const cuda::SpectralOperator op(r2c({6, 8}), laplacian());
  const DeviceArray<double> a(48 + 1), b(48);
  std::vector<double> host(48);
  const DeviceArray<float> single(48);
  cuda::Workspace workspace = op.make_workspace();
  cuda::Workspace small(8);
  using enum ErrorCode;
  const auto run = [&](auto* in, auto* out) {
    return [&, in, out] { op.execute(in, out, workspace, {}); };
  };
  expect_refused(run(single.data(), single.data()), invalid_argument, "f64");
  expect_refused(run(host.data(), b.data()), invalid_argument, "host memory");
  expect_refused(run(a.data(), host.data()), invalid_argument, "host memory");
  expect_refused(run(a.data(), a.data() + 1), invalid_argument, "shares memory");
  expect_refused(run(a.data(), static_cast<double*>(nullptr)), invalid_argument, "null");
  expect_refused([&] { op.execute(a.data(), b.data(), small, {}); }, invalid_argument,
                 "make_workspace");
  const double* two[] = {a.data(), b.data()};
  double* one[] = {b.data()};
  expect_refused(
      [&] {
        op.execute(std::span<const double* const>(two), std::span<double* const>(one), workspace,
                   {});
      },
      invalid_argument, "2 and 1 were given");
  EXPECT_EQ(op.input_shape(), (std::vector<Index>{6, 8}));
  EXPECT_EQ(op.spectrum_shape(), (std::vector<Index>{6, 5}));
}

TEST_F(GpuOperator, HasNothingToDoWithoutElements) {
  const cuda::SpectralOperator op(c2c({0, 4}), laplacian());
  cuda::Workspace workspace = op.make_workspace();
  op.execute(static_cast<const std::complex<double>*>(nullptr),
             static_cast<std::complex<double>*>(nullptr), workspace, {});
  EXPECT_EQ(op.workspace_bytes(), 0u);
  EXPECT_EQ(op.passes(), 0);
}

}  // namespace
}  // namespace weft::test
