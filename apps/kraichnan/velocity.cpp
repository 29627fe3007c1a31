// SPDX-License-Identifier: BSD-3-Clause
#include "kraichnan/velocity.hpp"

#include <cmath>
#include <numbers>

namespace weft::apps {
namespace {

constexpr double shells_per_unit = 4;
constexpr double pi = std::numbers::pi;

}  // namespace

VelocityModel::VelocityModel(Index size, double exponent)
    : exponent_(exponent), cutoff_(static_cast<double>(size) / 4) {
  // Modes by their k^2, and the sum of k^2 V that those up to `near` have on the lattice.
  const auto largest = static_cast<Index>(cutoff_);
  std::vector<double> counts(as_size(largest * largest + 1));
  for (Index i = -largest; i <= largest; ++i)
    for (Index j = -largest; j <= largest; ++j)
      if (const Index squared = i * i + j * j; squared > 0 && squared <= largest * largest)
        counts[as_size(squared)] += 1;
  const double near = std::min(6.0, static_cast<double>(largest)), xi = exponent;
  double there = 0;
  for (std::size_t s = 1; s < counts.size() && static_cast<double>(s) <= near * near; ++s)
    there += counts[s] * std::pow(static_cast<double>(s), -xi / 2);
  const double wanted = 2 * pi * std::pow(near, 2 - xi) / (2 - xi);
  low_factor_ = std::max(0.1, 1 + (wanted - there) / 4);
  variances_.resize(counts.size());
  for (std::size_t s = 1; s < counts.size(); ++s)
    variances_[s] = counts[s] * variance_of_mode(static_cast<double>(s));
  for (const double each : variances_) variance_ += each / 2;
}

double VelocityModel::variance_of_mode(double squared) const {
  if (squared <= 0 || squared > cutoff_ * cutoff_) return 0;
  return (squared == 1 ? low_factor_ : 1) * std::pow(squared, -1 - exponent_ / 2);
}

double VelocityModel::tail_diffusivity() const {
  return pi * std::pow(cutoff_, -exponent_) / (2 * exponent_);
}

double VelocityModel::eddy_diffusivity(double r) const {
  double sum = 0;
  for (std::size_t s = 1; s < variances_.size(); ++s) {
    const double x = r * std::sqrt(static_cast<double>(s));
    sum += variances_[s] * (0.5 - j1(x) / x);
  }
  return sum;
}

Velocity::Velocity(const Team& team, const VelocityOptions& options)
    : team_(team),
      options_(options),
      model_(options.size, options.exponent),
      transform_(team, {options.size, options.size}, options.order) {
  for (int c = 0; c < 2; ++c) {
    spectrum_[c].resize(as_size(transform_.spectrum_count()));
    field_[c].resize(as_size(transform_.field_count()));
  }
}

/// a(k); a(-k) is minus its conjugate, so that u is real. One draw serves both.
Complex Velocity::amplitude(Index step, Index i, Index j) const {
  const double deviation =
      std::sqrt(model_.variance_of_mode(static_cast<double>(i * i + j * j)) / 2);
  if (deviation == 0) return 0;
  const std::uint64_t place =
      static_cast<std::uint64_t>(i + options_.size) << 32 | static_cast<std::uint64_t>(j);
  const NormalPair drawn = normal_pair(
      hash(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(step), place));
  return deviation * Complex{drawn.first, drawn.second};
}

void Velocity::draw(Index step, double factor) {
  const Box& box = transform_.spectrum_box();
  const Index columns = box.extent(1);
  team_.for_range(box.extent(0), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index i = wave_number(box.begin[0] + row, options_.size);
      for (Index column = 0; column < columns; ++column) {
        const Index j = box.begin[1] + column;
        // Where j is 0, the mode -k is stored, too.
        const bool mirrored = j == 0 && i < 0;
        Complex a = amplitude(step, mirrored ? -i : i, j);
        if (mirrored) a = -std::conj(a);
        const double k = std::sqrt(static_cast<double>(i * i + j * j));
        const double scale = k > 0 ? factor / k : 0;
        spectrum_[0][as_size(row * columns + column)] = -scale * static_cast<double>(j) * a;
        spectrum_[1][as_size(row * columns + column)] = scale * static_cast<double>(i) * a;
      }
    }
  });
  for (int c = 0; c < 2; ++c) transform_.backward(spectrum_[c].data(), field_[c].data());
}

void Velocity::add_to(Shells& shells) const {
  shells.add(team_, transform_.spectrum_box(), [&](std::size_t i) {
    return std::norm(spectrum_[0][i]) + std::norm(spectrum_[1][i]);
  });
}

Shells::Shells(Index size)
    : size_(size),
      power_(as_size(static_cast<Index>(shells_per_unit * static_cast<double>(size)) + 1)),
      moment_(power_.size()) {}

void Shells::add_one(double squared, double power) {
  const auto shell = static_cast<std::size_t>(std::lround(shells_per_unit * std::sqrt(squared)));
  power_[shell] += power;
  moment_[shell] += power * squared;
}

void Shells::combine(const Team& team) {
  team.sum(power_);
  team.sum(moment_);
}

std::vector<double> Shells::values() const {
  std::vector<double> all = power_;
  all.insert(all.end(), moment_.begin(), moment_.end());
  return all;
}

void Shells::restore(const std::vector<double>& values) {
  if (values.size() != power_.size() + moment_.size())
    throw Error(ErrorCode::io, "the checkpoint holds a spectrum of another size");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(power_.size());
  power_.assign(values.begin(), middle);
  moment_.assign(middle, values.end());
}

double Shells::structure(double r, double fields) const {
  double sum = 0;
  for (std::size_t s = 0; s < power_.size(); ++s)
    if (power_[s] > 0) sum += power_[s] * (1 - j0(r * std::sqrt(moment_[s] / power_[s])));
  return 2 * sum / fields;
}

double Shells::structure_slope(double r, double fields) const {
  double sum = 0;
  for (std::size_t s = 0; s < power_.size(); ++s)
    if (power_[s] > 0) {
      const double k = std::sqrt(moment_[s] / power_[s]);
      sum += power_[s] * k * j1(k * r);
    }
  return 2 * sum / fields;
}

double Shells::longitudinal_structure(double r, double fields) const {
  double sum = 0;
  for (std::size_t s = 0; s < power_.size(); ++s)
    if (power_[s] > 0 && moment_[s] > 0) {
      const double x = r * std::sqrt(moment_[s] / power_[s]);
      sum += power_[s] * (0.5 - j1(x) / x);
    }
  return 2 * sum / fields;
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace weft::apps
