// SPDX-License-Identifier: BSD-3-Clause
// Functions as text against the same functions in C++, and what the reader refuses.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "spectral/expression_program.hpp"
#include "unit/spectral/count_of.hpp"
#include "weft/spectral_expression.hpp"
#include "weft/spectral_functions.hpp"

namespace weft::spectral {
namespace {

using Complex = std::complex<double>;

/// The inputs at one mode and its wave vector; returns one output.
using Wanted = std::function<Complex(const WaveVector<double>&, const Complex* u)>;

std::vector<double> random_numbers(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = number(generator);
  return values;
}

/// Both as operators of real and complex fields, of shapes whose rows are shorter and longer than
/// the blocks of the evaluation.
void expect_equal(const std::string& text, const std::vector<Wanted>& wanted) {
  SCOPED_TRACE(text);
  const ModeFunction by_text = expression(text);
  const int inputs = by_text.inputs(), outputs = by_text.outputs();
  ASSERT_EQ(static_cast<std::size_t>(outputs), wanted.size());
  const ModeFunction by_hand(
      [&](const ModeTile<double>& tile) {
        tile.for_each([&](const WaveVector<double>& wave, ModeValues<double> u) {
          std::array<Complex, max_operator_fields> in;
          for (int f = 0; f < inputs; ++f) in[static_cast<std::size_t>(f)] = u[f];
          for (int f = 0; f < outputs; ++f)
            u[f] = wanted[static_cast<std::size_t>(f)](wave, in.data());
        });
      },
      inputs, outputs);
  for (const std::vector<Index>& shape :
       {std::vector<Index>{4, 5, 7}, std::vector<Index>{2, 3, 150}}) {
    std::vector<std::vector<double>> in, out[2];
    std::vector<const double*> from;
    for (int f = 0; f < inputs; ++f) in.push_back(random_numbers(count_of(shape), 5 + unsigned(f)));
    for (const auto& field : in) from.push_back(field.data());
    for (int which : {0, 1}) {
      const SpectralOperator op(r2c(shape), which == 0 ? by_text : by_hand);
      std::vector<double*> to;
      for (int f = 0; f < outputs; ++f)
        out[which].emplace_back(static_cast<std::size_t>(count_of(shape)));
      for (auto& field : out[which]) to.push_back(field.data());
      Workspace workspace = op.make_workspace();
      op.execute(std::span<const double* const>(from), std::span<double* const>(to), workspace);
    }
    for (int f = 0; f < outputs; ++f)
      for (std::size_t i = 0; i < out[0][static_cast<std::size_t>(f)].size(); ++i)
        ASSERT_NEAR(out[0][static_cast<std::size_t>(f)][i], out[1][static_cast<std::size_t>(f)][i],
                    1e-11)
            << "output " << f << " at " << i;
  }
}

TEST(SpectralExpression, ComputesWhatItSays) {
  const Complex i(0, 1);
  using Wave = WaveVector<double>;
  expect_equal("-k2 * u0", {[](const Wave& w, const Complex* u) { return -w.squared() * u[0]; }});
  expect_equal("where(k2 == 0, 0, -1/k2) * u0", {[](const Wave& w, const Complex* u) {
                 return w.squared() == 0 ? Complex(0) : -u[0] / w.squared();
               }});
  expect_equal("dx*u0; dy*u0; dz*u0",
               {[&](const Wave& w, const Complex* u) { return i * w.odd[0] * u[0]; },
                [&](const Wave& w, const Complex* u) { return i * w.odd[1] * u[0]; },
                [&](const Wave& w, const Complex* u) { return i * w.odd[2] * u[0]; }});
  expect_equal("u1; u0", {[](const Wave&, const Complex* u) { return u[1]; },
                          [](const Wave&, const Complex* u) { return u[0]; }});
  expect_equal(
      "(u0 + 2.5e-1*u2) * exp(-0.01*k2) - u1/(1 + kx^2)", {[](const Wave& w, const Complex* u) {
        return (u[0] + 0.25 * u[2]) * std::exp(-0.01 * w.squared()) - u[1] / (1 + w.k[0] * w.k[0]);
      }});
  expect_equal("u0 / (2 + i*kz)",
               {[&](const Wave& w, const Complex* u) { return u[0] / (2.0 + i * w.k[2]); }});
  expect_equal("exp(-i*(0.1*ky - pi*kz/7)) * u0", {[&](const Wave& w, const Complex* u) {
                 return std::exp(-i * (0.1 * w.k[1] - std::numbers::pi * w.k[2] / 7)) * u[0];
               }});
  expect_equal("2^-2 * u0 - -u0 * 2^3^0",
               {[](const Wave&, const Complex* u) { return 2.25 * u[0]; }});
  expect_equal("abs(u0)*where(k > 1.5, sin(k), cos(kx - ky)) * conj(u0)",
               {[](const Wave& w, const Complex* u) {
                 const double k = std::sqrt(w.squared());
                 return std::abs(u[0]) * (k > 1.5 ? std::sin(k) : std::cos(w.k[0] - w.k[1])) *
                        std::conj(u[0]);
               }});
  expect_equal("real(u0) + i*imag(u0)*(1 <= 2)*(kx >= ky) + u0*(kx != ky)",
               {[&](const Wave& w, const Complex* u) {
                 return u[0].real() + i * (w.k[0] >= w.k[1] ? u[0].imag() : 0.0) +
                        (w.k[0] != w.k[1] ? u[0] : Complex(0));
               }});
  expect_equal("(1 + k2)^-1.5 * (u0*u0 + u0^3)", {[](const Wave& w, const Complex* u) {
                 return std::pow(1 + w.squared(), -1.5) * (u[0] * u[0] + u[0] * u[0] * u[0]);
               }});
  expect_equal("sqrt(-1 + 0*i)*u0 * cos(0.1*i*kx)", {[&](const Wave& w, const Complex* u) {
                 return i * u[0] * std::cos(0.1 * i * w.k[0]);
               }});
}

TEST(SpectralExpression, WorksInBothPrecisionsAndDirectionsOfRows) {
  const std::vector<Index> shape{9, 70};
  std::vector<std::complex<float>> x(630), y(630), z(630);
  for (std::size_t j = 0; j < x.size(); ++j)
    x[j] = {static_cast<float>(j % 13), static_cast<float>(j % 7)};
  const Transform transform = c2c(shape, {.axes = {1, 0}, .precision = Precision::f32});
  SpectralOperator(transform, expression("(ky + 1)*u0")).execute(x.data(), y.data());
  SpectralOperator(transform,
                   at_every_mode([](const auto& wave, auto u) { u[0] *= wave.k[1] + 1; }))
      .execute(x.data(), z.data());
  for (std::size_t j = 0; j < x.size(); ++j) EXPECT_LT(std::abs(y[j] - z[j]), 1e-3F) << j;
}

TEST(SpectralExpression, CanCountAxesFromTheLast) {
  std::vector<double> x(6 * 8), y(48), z(48);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<double>(j * j % 11);
  SpectralOperator(r2c({6, 8}), expression("dx*u0 + ky*u0", {.reversed_axes = 2}))
      .execute(x.data(), y.data());
  SpectralOperator(r2c({6, 8}), expression("dy*u0 + kx*u0")).execute(x.data(), z.data());
  EXPECT_EQ(y, z);
}

std::string refusal(const std::string& text, int inputs = 0) {
  try {
    expression(text, {.inputs = inputs});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SpectralExpression, SaysWhereTheTextIsWrong) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string why = refusal(text);
    EXPECT_NE(why.find(part), std::string::npos) << why;
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  };
  expect("", "at character 1");
  expect("u0 *", "the text ends where a number or a name should be at character 5");
  expect("u0 * foo(k2)", "'foo' is not known");
  expect("u0 * foo(k2)", "at character 6");
  expect("(u0", "')' is missing at character 4");
  expect("u0)", "')' is not expected at character 3");
  expect("u16", "u0 to u15");
  expect("u99999999999999", "u0 to u15");
  expect("u0 < 1", "complex numbers have no order");
  expect("where(u0, 1, 2)", "condition is complex");
  expect("where(1, 2)", "',' is missing");
  expect("u0^0.5", "whole numbers");
  expect("1e999", "not a number");
  expect("u0 # 3", "'#' is not expected");
  expect("u0;", "the text ends");
  expect("u0\n@", "'@' is not expected");
  expect(std::string("u0 *\0", 5), "the byte 0 is not expected at character 5");
}

TEST(SpectralExpression, HasLimits) {
  EXPECT_NE(refusal(std::string(5000, ' ') + "u0").find("at most 4096"), std::string::npos);
  EXPECT_NE(refusal(std::string(200, '(') + "u0" + std::string(200, ')')).find("levels"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(200, '-') + "u0").find("levels"), std::string::npos);
  std::string many = "u0", outputs = "u0";
  for (int j = 1; j < 600; ++j) many += "+" + std::to_string(j) + "*kx";
  for (int j = 0; j < 16; ++j) outputs += ";u0";
  EXPECT_NE(refusal(many).find("more than 512 operations"), std::string::npos);
  EXPECT_NE(refusal(outputs).find("more than 16 outputs"), std::string::npos);
}

TEST(SpectralExpression, MustFitTheOperator) {
  EXPECT_NE(refusal("u2", 2).find("reads u2"), std::string::npos);
  EXPECT_EQ(expression("u0", {.inputs = 3}).inputs(), 3);
  EXPECT_THROW(SpectralOperator(c2c({4, 4}), expression("kz*u0")), Error);
  EXPECT_NO_THROW(SpectralOperator(c2c({4, 4}), expression("ky*u0")));
}

TEST(SpectralExpression, KeepsEqualPartsOnce) {
  EXPECT_EQ(parse_expression("kx*kx + kx*kx").instructions.size(), 3U);
  EXPECT_EQ(parse_expression("2*3 + 4").instructions.back().re, 10);
}

}  // namespace
}  // namespace weft::spectral
