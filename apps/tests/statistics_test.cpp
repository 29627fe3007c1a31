// SPDX-License-Identifier: BSD-3-Clause
// What the programs make of series and spectra, where the answer is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gauge/mean.hpp"
#include "turbulence/inertial.hpp"

namespace weft::apps {
namespace {

/// x' = rho x + noise: the error of its mean is that of (1 + rho) / (1 - rho) times fewer values.
std::vector<double> correlated(double rho, std::size_t count) {
  std::vector<double> values(count);
  double x = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x = rho * x + normal_pair(hash(3, i)).first;
    values[i] = x;
  }
  return values;
}

TEST(Mean, ErrorHoldsWhatNeighboursHaveInCommon) {
  const std::size_t count = 100000;
  for (const double rho : {0.0, 0.8}) {
    const Mean mean = mean_of(correlated(rho, count), 0, 0);
    const double time = (1 + rho) / (1 - rho) / 2;
    const double error = std::sqrt(2 * time / (1 - rho * rho) / static_cast<double>(count));
    EXPECT_NEAR(mean.time, time, std::max(4 * mean.time_error, 0.01)) << rho;
    EXPECT_LT(mean.time_error, 0.05 * time + 0.01) << rho;
    EXPECT_NEAR(mean.error / error, 1, std::max(4 * mean.relative_error_of_error, 0.01)) << rho;
    // 20 blocks know the error to 1 / sqrt(2 * 19).
    EXPECT_NEAR(mean.block_error / error, 1, 3 / std::sqrt(38.0)) << rho;
    EXPECT_NEAR(mean.value, 0, 4 * error) << rho;
  }
}

TEST(Mean, ErrorIsNeverLessThanThatOfIndependentValues) {
  const Mean mean = mean_of(correlated(-0.5, 1000), 0, 0);
  EXPECT_GE(mean.time, 0.5);
  EXPECT_NEAR(mean.error, std::sqrt(1 / (1 - 0.25) / 1000), 0.1 * mean.error);
}

/// 400 series of 300 values, as long as short runs: how far their means lie from 0, in their
/// errors. The mean square, and how many lie beyond four of them.
struct Scatter {
  double square = 0;
  int beyond = 0;
};
Scatter scatter_of(const std::vector<double>& values, double slowest) {
  Scatter scatter;
  for (auto from = values.begin(); from != values.end(); from += 300) {
    const Mean mean = mean_of({from, from + 300}, 0, slowest);
    const double off = mean.value / mean.error;
    scatter.square += off * off / 400;
    scatter.beyond += std::abs(off) > 4 * (1 + mean.relative_error_of_error);
  }
  return scatter;
}

TEST(Mean, ErrorIsThatOfShortSeries) {
  const Scatter scatter = scatter_of(correlated(0.6, 300 * 400), 0);
  EXPECT_NEAR(scatter.square, 1, 0.3);
  EXPECT_EQ(scatter.beyond, 0);
}

/// As plaquettes: a twelfth of the variance falls with 35 values, which 300 values do not show.
TEST(Mean, ErrorOfShortSeriesHoldsASlowPart) {
  const double slow_rho = std::exp(-1 / 35.0);
  std::vector<double> values = correlated(0.5, 300 * 400);
  const std::vector<double> slow = correlated(slow_rho, 300 * 401);
  const double scale = std::sqrt((1 - slow_rho * slow_rho) / (1 - 0.25) / 11);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += scale * slow[slow.size() - 1 - i];
  EXPECT_GT(scatter_of(values, 0).square, 1.5);
  const Scatter scatter = scatter_of(values, 35);
  EXPECT_GT(scatter.square, 0.5);
  EXPECT_LT(scatter.square, 1.2);
  EXPECT_EQ(scatter.beyond, 0);
}

TEST(Mean, OfFewValuesHasNoError) {
  EXPECT_EQ(mean_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, 0, 0).error, 0);
  EXPECT_EQ(mean_of(std::vector<double>(100, 1.0), 95, 0).error, 0);
}

/// k^(-5/3) up to far beyond the range.
std::vector<double> kolmogorov(std::size_t shells) {
  std::vector<double> energy(shells);
  for (std::size_t k = 1; k < shells; ++k) energy[k] = std::pow(static_cast<double>(k), -5.0 / 3);
  return energy;
}

TEST(Inertial, LongitudinalSpectrumOfAPowerLawIsThePowerLaw) {
  const std::vector<double> energy = kolmogorov(4000);
  const std::vector<double> along = longitudinal_spectrum(energy);
  // The integral of p^(-8/3) (1 - k^2 / p^2) from k on is (3/5 - 3/11) k^(-5/3) = 18/55 k^(-5/3).
  for (const std::size_t k : {10, 20, 40})
    EXPECT_NEAR(along[k] / energy[k], 18.0 / 55, 0.05 * 18 / 55) << k;
  EXPECT_NEAR(exponent_over({10, 50}, along), -5.0 / 3, 0.01);
  EXPECT_NEAR(exponent_over({10, 50}, energy), -5.0 / 3, 1e-12);
}

TEST(Inertial, RangeFollowsFromViscosityAndDissipation) {
  const WaveRange range = inertial_range(1e-3, 0.1);  // eta = (1e-8)^(1/4) = 0.01
  EXPECT_NEAR(range.to, 10, 1e-9);
  EXPECT_NEAR(range.from, 3.75, 1e-9);
  EXPECT_TRUE(range.is_wide());
  EXPECT_FALSE(inertial_range(2e-3, 0.1).is_wide());
}

TEST(MeanSpectrum, IsOfTheSecondHalfAndKnowsItsError) {
  const std::vector<double> energy = kolmogorov(60);
  MeanSpectrum spectra(1000, 60), copy(1000, 60);
  for (Index step = 1; step <= 1000; ++step) {
    if (!spectra.is_due(step)) continue;
    EXPECT_GT(step, 500);
    std::vector<double> steeper = energy;  // by 0.1 in every second block
    if ((step - 501) * MeanSpectrum::blocks / 500 % 2 == 1)
      for (std::size_t k = 1; k < steeper.size(); ++k)
        steeper[k] *= std::pow(static_cast<double>(k), -0.1);
    spectra.add(step, steeper);
  }
  EXPECT_GE(spectra.samples(), 64);
  const Estimate found = spectra.exponent({4, 20}, false);
  EXPECT_NEAR(found.value, -5.0 / 3 - 0.05, 0.01);
  EXPECT_NEAR(found.error, 0.05 / std::sqrt(MeanSpectrum::blocks - 1.0), 0.001);
  copy.restore(spectra.values());
  EXPECT_EQ(copy.mean(), spectra.mean());
}

}  // namespace
}  // namespace weft::apps
