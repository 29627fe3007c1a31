// SPDX-License-Identifier: BSD-3-Clause
// Whole, padded and cropped spectra; halfcomplex and orthogonalized real-to-real transforms.
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <numbers>

#include "refused.hpp"
#include "support/run_plan.hpp"
#include "weft/weft.hpp"

namespace weft::test {
namespace {

using C = std::complex<double>;

std::vector<double> reals(std::size_t count) {
  std::vector<double> list;
  for (const LongComplex& v : random_field({static_cast<Index>(count)}, false, 8).values)
    list.push_back(static_cast<double>(v.real()));
  return list;
}

TEST(FullSpectrum, IsThatOfTheComplexTransform) {
  for (const std::vector<Index>& shape : std::vector<std::vector<Index>>{
           {1}, {2}, {3}, {8}, {15}, {4, 6}, {5, 3}, {3, 4, 5}, {6, 1, 7}})
    for (const int threads : {1, 3}) {
      const PlanOptions options{.threads = threads};
      const Plan full(r2c(shape, {.spectrum = Spectrum::full}), options), complex(c2c(shape));
      EXPECT_EQ(full.output_shape(), shape);
      std::size_t points = 1;
      for (Index n : shape) points *= static_cast<std::size_t>(n);
      const std::vector<double> x = reals(points);
      std::vector<C> y(points), wanted(points);
      full.execute(x, y);
      complex.execute(std::vector<C>(x.begin(), x.end()), wanted);
      for (std::size_t i = 0; i < points; ++i) EXPECT_LT(std::abs(y[i] - wanted[i]), 1e-13);
      const Plan back(
          c2r(shape, {.normalization = Normalization::backward, .spectrum = Spectrum::full}),
          options);
      EXPECT_EQ(back.input_shape(), shape);
      std::vector<double> again(points);
      back.execute(y, again);
      for (std::size_t i = 0; i < points; ++i) EXPECT_NEAR(again[i], x[i], 1e-14);
    }
}

TEST(FullSpectrum, CannotBeCropped) {
  expect_error([] { Plan(r2c({8}, {.spectrum = Spectrum::full, .output_extents = {5}})); },
               "full spectrum");
  expect_error([] { Plan(c2r({8, 4}, {.spectrum = Spectrum::full, .input_extents = {3, 4}})); },
               "full spectrum");
  EXPECT_NO_THROW(Plan(r2c({8}, {.spectrum = Spectrum::full, .input_extents = {5}})));
}

TEST(Padding, IsNumPysArgumentN) {
  const std::vector<C> x{{1, 2}, {3, 4}, {5, 6}};
  std::vector<C> y(8), wanted(8), longer(x);
  longer.resize(8);
  Plan(c2c({8})).execute(longer, wanted);
  const Plan plan(c2c({8}, {.input_extents = {3}}));
  EXPECT_EQ(plan.input_shape(), std::vector<Index>{3});
  plan.execute(x, y);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_LT(std::abs(y[i] - wanted[i]), 1e-14);
}

/// The product of two fields with modes |k| < m/2, by the 3/2 rule: exact, while the product on m
/// points has aliases.
TEST(Padding, AroundZeroIsTheThreeHalvesRule) {
  const Index m = 8, n = 12;
  std::vector<C> a(m), b(m), exact(m);
  const auto mode = [](Index k) { return static_cast<std::size_t>((k + m) % m); };
  a[mode(3)] = 1;
  a[mode(-2)] = C(0, 2);
  b[mode(3)] = 3;
  b[mode(1)] = 1;
  for (const auto& [p, q] : {std::pair<Index, Index>{3, 3}, {3, 1}, {-2, 3}, {-2, 1}})
    if (p + q >= -m / 2 && p + q < m / 2) exact[mode(p + q)] += a[mode(p)] * b[mode(q)];
  TransformOptions options{
      .direction = Direction::backward, .input_extents = {m}, .modes = Modes::around_zero};
  const Plan to_points(c2c({n}, options));
  const Plan to_modes(inverse(to_points.transform()));
  std::vector<C> x(n), y(n), product(m);
  to_points.execute(a, x);
  to_points.execute(b, y);
  for (std::size_t i = 0; i < n; ++i) x[i] *= y[i] / static_cast<double>(n);
  EXPECT_EQ(to_modes.output_shape(), std::vector<Index>{m});
  to_modes.execute(x, product);
  for (std::size_t i = 0; i < m; ++i) EXPECT_LT(std::abs(product[i] - exact[i]), 1e-14) << i;
}

TEST(Padding, LeavesOutWhatIsZero) {
  // 16 of 64 rows are there: the first axis has a quarter of the lines.
  const Plan padded(c2c({64, 64}, {.input_extents = {16, 64}})), whole(c2c({64, 64}));
  EXPECT_LT(padded.cost().flops, 0.7 * whole.cost().flops);
  const Plan cropped(c2c({64, 64}, {.output_extents = {64, 16}}));
  EXPECT_LT(cropped.cost().flops, 0.7 * whole.cost().flops);
}

TEST(Padding, IsCheckedByName) {
  expect_error([] { Plan(c2c({8}, {.input_extents = {9}})); }, "input extent 9 of dimension 0");
  expect_error([] { Plan(c2c({8}, {.output_extents = {0}})); }, "outside of 1 to 8");
  expect_error([] { Plan(c2c({8, 8}, {.input_extents = {4}})); }, "one per dimension");
  expect_error([] { Plan(c2c({8, 8}, {.axes = {1}, .input_extents = {4, 8}})); },
               "only transformed axes");
  expect_error([] { Plan(r2c({8}, {.output_extents = {6}})); }, "outside of 1 to 5");
  EXPECT_EQ(Plan(c2c({8}, {.input_extents = {8}})).recipe(), Plan(c2c({8})).recipe());
}

TEST(OtherPlans, RefuseWhatOnlyLocalOnesDo) {
  run_as_threads(2, [](const Comm& comm) {
    const auto boxes = slabs(std::vector<Index>{8, 8}, 0, 2, comm.rank());
    for (const Transform& transform : {c2c({0, 8}), c2c({})})
      expect_error([&] { DistributedPlan(transform, boxes, boxes, comm); }, "only weft::Plan",
                   ErrorCode::unsupported);
  });
}

TEST(Halfcomplex, IsTheHalfSpectrumInFftwsOrder) {
  for (Index n = 1; n < 40; ++n) {
    const auto count = static_cast<std::size_t>(n);
    const std::vector<double> x = reals(count);
    std::vector<C> half(count / 2 + 1);
    Plan(r2c({n})).execute(x, half);
    std::vector<double> y(count), back(count);
    Plan(r2r({n}, {R2r::r2hc})).execute(x, y);
    for (std::size_t k = 0; k < half.size(); ++k) {
      EXPECT_NEAR(y[k], half[k].real(), 1e-13) << n;
      if (k > 0 && 2 * k < count) {
        EXPECT_NEAR(y[count - k], half[k].imag(), 1e-13) << n;
      }
    }
    const TransformOptions options{.normalization = Normalization::backward};
    Plan(r2r({n}, {R2r::hc2r}, options)).execute(y, back);
    for (std::size_t j = 0; j < count; ++j) EXPECT_NEAR(back[j], x[j], 1e-14) << n;
  }
}

/// The matrix of a real-to-real transform with its scale.
std::vector<std::vector<double>> matrix_of(const Transform& transform) {
  const auto n = static_cast<std::size_t>(transform.shape[0]);
  const Plan plan(transform);
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> x(n), y(n);
    x[j] = 1;
    plan.execute(x, y);
    columns.push_back(y);
  }
  return columns;
}

TEST(Orthogonalize, MakesEveryKindOrthogonal) {
  for (const R2r kind :
       {R2r::dct1, R2r::dct2, R2r::dct3, R2r::dct4, R2r::dst1, R2r::dst2, R2r::dst3, R2r::dst4})
    for (Index n = 2; n < 12; ++n) {
      const auto columns = matrix_of(
          r2r({n}, {kind}, {.normalization = Normalization::ortho, .orthogonalize = true}));
      for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j) {
          double dot = 0;
          for (std::size_t k = 0; k < columns.size(); ++k) dot += columns[i][k] * columns[j][k];
          EXPECT_NEAR(dot, i == j ? 1 : 0, 1e-14) << static_cast<int>(kind) << " " << n;
        }
    }
}

/// scipy.fft.dct and dst of [1, 2, 3, 4], norm="ortho", from SciPy's documentation of the kinds.
TEST(Orthogonalize, IsSciPysNormOrtho) {
  const std::vector<double> x{1, 2, 3, 4};
  const auto result = [&](R2r kind, Normalization normalization) {
    std::vector<double> y(4);
    Plan(r2r({4}, {kind}, {.normalization = normalization, .orthogonalize = true})).execute(x, y);
    return y;
  };
  const double pi = std::numbers::pi;
  // eps log2(n) |x|, of sums of four numbers
  const double allowed = std::numeric_limits<double>::epsilon() * 2 * (1 + 2 + 3 + 4);
  const auto dct2 = result(R2r::dct2, Normalization::ortho);
  for (std::size_t k = 0; k < 4; ++k) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j)
      sum += x[j] * std::cos(pi * static_cast<double>(k * (2 * j + 1)) / 8);
    EXPECT_NEAR(dct2[k], sum * (k == 0 ? 0.5 : std::sqrt(0.5)), allowed);
  }
  // dct1: y = x0 sqrt2 + (-1)^k x3 sqrt2 + 2 sum, rows 0 and 3 by sqrt2, all by 1/sqrt(6).
  const auto dct1 = result(R2r::dct1, Normalization::ortho);
  const double root = std::sqrt(2.0);
  EXPECT_NEAR(dct1[0], (root * 1 + root * 4 + 2 * (2 + 3)) / root / std::sqrt(6.0), allowed);
  EXPECT_NEAR(dct1[1], (root * 1 - root * 4 + 2 * (2 * 0.5 - 3 * 0.5)) / std::sqrt(6.0), allowed);
  // dst2: the last row by 1/sqrt2; orthogonalizing alone scales nothing else.
  const auto plain = result(R2r::dst2, Normalization::none);
  EXPECT_NEAR(plain[3], 2 * (1 - 2 + 3 - 4) / root, 2 * allowed);
  EXPECT_NEAR(plain[0],
              2 * (1 * std::sin(pi / 8) + 2 * std::sin(3 * pi / 8) + 3 * std::sin(5 * pi / 8) +
                   4 * std::sin(7 * pi / 8)),
              2 * allowed);
}

TEST(Inverse, GivesTheInputBack) {
  const std::vector<Index> shape{6, 5};
  const auto check = [&](const Transform& transform) {
    const Field input = random_field(Plan(transform).input_shape(),
                                     transform.kind == Kind::c2c || transform.kind == Kind::c2r, 4);
    const Field there = run_plan(Plan(transform).transform(), input).output;
    const Field back = run_plan(Plan(inverse(transform)).transform(), there).output;
    EXPECT_LT(relative_error(back, input), 1e-14);
  };
  TransformOptions options{.normalization = Normalization::backward};
  check(c2c(shape, options));
  check(r2c(shape, options));
  for (const R2r kind : {R2r::dct1, R2r::dct2, R2r::dst3, R2r::dht, R2r::r2hc, R2r::hc2r})
    check(r2r(shape, {kind}, options));
  options.normalization = Normalization::ortho;
  options.orthogonalize = true;
  check(r2r(shape, {R2r::dct1, R2r::dst2}, options));
}

}  // namespace
}  // namespace weft::test
