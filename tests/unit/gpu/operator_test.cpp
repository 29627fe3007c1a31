// SPDX-License-Identifier: BSD-3-Clause
// What operators on GPUs compute, and what they refuse.
#include "operator_cases.hpp"

namespace weft::test {
namespace {

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
                                                                        {{6, 16, 20}, {0, 1, 2}},
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
  expect_refused(make(c2c({6, 8}, {.input_extents = {6, 9}}), laplacian()), invalid_argument,
                 "extent 9");
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
