// SPDX-License-Identifier: BSD-3-Clause
// Functions for operators on fields whose derivatives are known.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "weft/spectral_functions.hpp"

namespace weft::spectral {
namespace {

constexpr Index nx = 12, ny = 15, nz = 16;
const std::vector<double> lengths{2.0, 3.0, 5.0};
using Field = std::vector<double>;

template <class Function>
Field field_of(const Function& function) {
  Field field;
  for (Index x = 0; x < nx; ++x)
    for (Index y = 0; y < ny; ++y)
      for (Index z = 0; z < nz; ++z)
        field.push_back(function(lengths[0] * double(x) / nx, lengths[1] * double(y) / ny,
                                 lengths[2] * double(z) / nz));
  return field;
}

const double kx = 2 * std::numbers::pi / lengths[0] * 2, ky = 2 * std::numbers::pi / lengths[1],
             kz = 2 * std::numbers::pi / lengths[2] * 3;

double wave(double x, double y, double z) { return std::sin(kx * x + ky * y + kz * z); }
double slope(double x, double y, double z) { return std::cos(kx * x + ky * y + kz * z); }

std::vector<Field> result_of(const ModeFunction& function, const std::vector<Field>& in) {
  const SpectralOperator op(r2c({nx, ny, nz}), function, {.lengths = lengths});
  std::vector<Field> out(static_cast<std::size_t>(function.outputs()),
                         Field(static_cast<std::size_t>(nx * ny * nz)));
  std::vector<const double*> from;
  std::vector<double*> to;
  for (const Field& field : in) from.push_back(field.data());
  for (Field& field : out) to.push_back(field.data());
  Workspace workspace = op.make_workspace();
  op.execute(std::span<const double* const>(from), std::span<double* const>(to), workspace);
  return out;
}

void expect_near(const Field& is, const Field& wanted, double bound = 1e-12) {
  double worst = 0;
  for (std::size_t i = 0; i < is.size(); ++i) worst = std::max(worst, std::abs(is[i] - wanted[i]));
  EXPECT_LE(worst, bound);
}

Field times(double factor, Field field) {
  for (double& value : field) value *= factor;
  return field;
}

TEST(SpectralFunctions, Derivatives) {
  const Field u = field_of(wave), du = field_of(slope);
  expect_near(result_of(derivative(1), {u})[0], times(ky, du));
  const auto grad = result_of(gradient(3), {u});
  expect_near(grad[0], times(kx, du));
  expect_near(grad[1], times(ky, du));
  expect_near(grad[2], times(kz, du));
  const double k2 = kx * kx + ky * ky + kz * kz;
  expect_near(result_of(laplacian(), {u})[0], times(-k2, u), 1e-11);
  expect_near(result_of(divergence(3), {u, u, u})[0], times(kx + ky + kz, du));
  expect_near(result_of(fractional_laplacian(0.5), {u})[0], times(std::sqrt(k2), u));
}

TEST(SpectralFunctions, InverseLaplacianSolvesPoissonsEquation) {
  const Field u = field_of(wave);
  const double k2 = kx * kx + ky * ky + kz * kz;
  Field with_mean = u;
  for (double& value : with_mean) value += 7;
  expect_near(result_of(inverse_laplacian(), {with_mean})[0], times(-1 / k2, u));
  expect_near(result_of(fractional_laplacian(-1), {with_mean})[0], times(1 / k2, u));
}

TEST(SpectralFunctions, CurlHasNoDivergenceAndNeitherHasAProjection) {
  const Field u = field_of(wave), v = field_of(slope), none = times(0, u);
  const Field w =
      field_of([](double x, double y, double) { return std::sin(kx * x - 2 * ky * y); });
  expect_near(result_of(divergence(3), result_of(curl(), {u, v, w}))[0], none, 1e-11);
  const auto solenoidal = result_of(projection(3), {u, v, w});
  expect_near(result_of(divergence(3), solenoidal)[0], none, 1e-11);
  const auto again = result_of(projection(3), solenoidal);
  for (std::size_t f = 0; f < 3; ++f) expect_near(again[f], solenoidal[f]);
  // A gradient has no part without divergence but its mean.
  const auto rest = result_of(projection(3), result_of(gradient(3), {u}));
  for (const Field& part : rest) expect_near(part, none, 1e-11);
}

TEST(SpectralFunctions, Filters) {
  const Field u = field_of(wave);
  const double k2 = kx * kx + ky * ky + kz * kz;
  expect_near(result_of(gaussian_filter(0.2), {u})[0], times(std::exp(-0.02 * k2), u));
  expect_near(result_of(sharp_filter(std::sqrt(k2) * 1.001), {u})[0], u);
  expect_near(result_of(sharp_filter(std::sqrt(k2) * 0.999), {u})[0], times(0, u));
}

TEST(SpectralFunctions, ShiftMovesTheField) {
  const Field u = field_of(wave);
  const Field moved =
      field_of([](double x, double y, double z) { return wave(x - 0.3, y - 0.1, z + 0.25); });
  expect_near(result_of(shift({0.3, 0.1, -0.25}), {u})[0], moved);
}

TEST(SpectralFunctions, ConvolutionIsTheSumOfProducts) {
  const Index n = 37, m = 11, padded = 48;
  std::vector<double> x, kernel;
  for (Index i = 0; i < n; ++i) x.push_back(std::sin(0.7 * double(i)) + 0.2);
  for (Index i = 0; i < m; ++i) kernel.push_back(1.0 / double(i + 1));
  std::vector<std::complex<double>> spectrum(padded / 2 + 1);
  Plan(r2c({padded}, {.input_extents = {m}})).execute(kernel.data(), spectrum.data());
  const std::span<const std::complex<double>> multipliers(spectrum);
  const SpectralOperator op(r2c({padded}, {.input_extents = {n}, .output_extents = {n + m - 1}}),
                            multiply(multipliers, {padded / 2 + 1}));
  std::vector<double> y(n + m - 1), wanted(n + m - 1);
  op.execute(x.data(), y.data());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j)
      wanted[static_cast<std::size_t>(i + j)] +=
          x[static_cast<std::size_t>(i)] * kernel[static_cast<std::size_t>(j)];
  expect_near(y, wanted);

  const SpectralOperator correlate(r2c({padded}, {.input_extents = {n}, .output_extents = {n}}),
                                   multiply_conjugate(multipliers, {padded / 2 + 1}));
  std::vector<double> c(n), expected(n);
  correlate.execute(x.data(), c.data());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m && i + j < n; ++j)
      expected[static_cast<std::size_t>(i)] +=
          x[static_cast<std::size_t>(i + j)] * kernel[static_cast<std::size_t>(j)];
  expect_near(c, expected);
}

}  // namespace
}  // namespace weft::spectral
