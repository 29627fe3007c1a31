// SPDX-License-Identifier: BSD-3-Clause
#include "turbulence/inertial.hpp"

#include <cmath>

#include "turbulence/flow.hpp"

namespace weft::apps {
namespace {

constexpr Index samples_per_block = 8;
constexpr double beyond_force = 1.5, before_viscosity = 0.1;

}  // namespace

std::vector<double> longitudinal_spectrum(const std::vector<double>& energy) {
  std::vector<double> along(energy.size());
  for (std::size_t i = 1; i < energy.size(); ++i) {
    const auto k = static_cast<double>(i);
    for (std::size_t p = i; p < energy.size(); ++p) {
      // E is constant in a shell, of which the first is cut at k.
      const double a = p == i ? k : static_cast<double>(p) - 0.5, b = static_cast<double>(p) + 0.5;
      along[i] += energy[p] * (std::log(b / a) + k * k / 2 * (1 / (b * b) - 1 / (a * a)));
    }
  }
  return along;
}

WaveRange inertial_range(double viscosity, double dissipation) {
  const double eta = std::pow(viscosity * viscosity * viscosity / dissipation, 0.25);
  return {beyond_force * force_radius, before_viscosity / eta};
}

double exponent_over(const WaveRange& range, const std::vector<double>& spectrum) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 1; k < spectrum.size(); ++k) {
    const auto wave = static_cast<double>(k);
    if (wave < range.from || wave > range.to || spectrum[k] <= 0) continue;
    const double x = std::log(wave), y = std::log(spectrum[k]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

double finite_reynolds_deviation(double taylor_reynolds) {
  return 5.0 / 3 * 3.15 * std::pow(taylor_reynolds, -2.0 / 3);
}

MeanSpectrum::MeanSpectrum(Index steps, Index shells)
    : begin_(steps / 2),
      length_(std::max<Index>(1, steps - steps / 2)),
      every_(std::max<Index>(1, length_ / (blocks * samples_per_block))),
      shells_(shells),
      sums_(as_size(blocks * shells)),
      counts_(as_size(blocks)) {}

bool MeanSpectrum::is_due(Index step) const {
  return step > begin_ && (step - begin_) % every_ == 0;
}

void MeanSpectrum::add(Index step, const std::vector<double>& spectrum) {
  const Index block = std::min(blocks - 1, (step - begin_ - 1) * blocks / length_);
  counts_[as_size(block)] += 1;
  for (Index k = 0; k < shells_; ++k) sums_[as_size(block * shells_ + k)] += spectrum[as_size(k)];
}

double MeanSpectrum::samples() const {
  double all = 0;
  for (const double each : counts_) all += each;
  return all;
}

std::vector<double> MeanSpectrum::block_mean(Index block) const {
  std::vector<double> mean(as_size(shells_));
  for (Index k = 0; k < shells_; ++k)
    mean[as_size(k)] = sums_[as_size(block * shells_ + k)] / counts_[as_size(block)];
  return mean;
}

std::vector<double> MeanSpectrum::mean() const {
  std::vector<double> mean(as_size(shells_));
  for (Index i = 0; i < blocks * shells_; ++i)
    mean[as_size(i % shells_)] += sums_[as_size(i)] / samples();
  return mean;
}

Estimate MeanSpectrum::exponent(const WaveRange& range, bool longitudinal) const {
  const auto fitted = [&](const std::vector<double>& energy) {
    return exponent_over(range, longitudinal ? longitudinal_spectrum(energy) : energy);
  };
  Estimate result{.value = fitted(mean())};
  double squares = 0, used = 0;
  for (Index block = 0; block < blocks; ++block)
    if (counts_[as_size(block)] > 0) {
      const double apart = fitted(block_mean(block)) - result.value;
      squares += apart * apart, used += 1;
    }
  if (used > 1) result.error = std::sqrt(squares / (used * (used - 1)));
  return result;
}

std::vector<double> MeanSpectrum::values() const {
  std::vector<double> all = counts_;
  all.insert(all.end(), sums_.begin(), sums_.end());
  return all;
}

void MeanSpectrum::restore(const std::vector<double>& values) {
  if (values.size() != counts_.size() + sums_.size())
    throw Error(ErrorCode::io, "the checkpoint holds spectra of another size");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(counts_.size());
  counts_.assign(values.begin(), middle);
  sums_.assign(middle, values.end());
}

}  // namespace weft::apps
