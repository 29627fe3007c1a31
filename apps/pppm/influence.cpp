// SPDX-License-Identifier: BSD-3-Clause
#include "pppm/influence.hpp"

#include <cmath>
#include <numbers>

namespace weft::apps {
namespace {

using std::numbers::pi;
constexpr Index aliases = 2;         // of the Gaussian's spectrum, on each side
constexpr Index spline_aliases = 8;  // of the splines' alone

}  // namespace

InfluenceFunction::InfluenceFunction(const Cell& cell, const MeshOptions& options)
    : options_(options), reciprocal_(cell.reciprocal()) {
  for (Vector3& row : reciprocal_)
    for (double& each : row) each *= 2 * pi;
}

Vector3 InfluenceFunction::wave_vector(const std::array<Index, 3>& mode) const {
  Vector3 k{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t d = 0; d < 3; ++d) k[d] += static_cast<double>(mode[i]) * reciprocal_[i][d];
  return k;
}

/// The product over the axes of (itself + aliases) less that of itself, without a difference.
double InfluenceFunction::excess(const std::array<AxisSums, 3>& sums,
                                 const std::array<int, 3>& powers) {
  double product = 1, extra = 0;  // (p + e) (i + a) = p i + [p a + e (i + a)]
  for (std::size_t d = 0; d < 3; ++d) {
    const double itself = sums[d].itself[as_size(powers[d])];
    const double aliases_sum = sums[d].aliases[as_size(powers[d])];
    extra = product * aliases_sum + extra * (itself + aliases_sum);
    product *= itself;
  }
  return extra;
}

/// U^2 with U = (sin x / x)^order, x = pi m / n.
double InfluenceFunction::spline_squared(int axis, Index mode) const {
  if (mode == 0) return 1;
  const double x =
      pi * static_cast<double>(mode) / static_cast<double>(options_.points[as_size(axis)]);
  return std::pow(std::sin(x) / x, 2 * options_.order);
}

InfluenceFunction::AxisSums InfluenceFunction::axis_sums(int axis, Index mode) const {
  AxisSums sums{};
  for (Index alias = -spline_aliases; alias <= spline_aliases; ++alias) {
    const Index m = mode + alias * options_.points[as_size(axis)];
    auto& sum = alias == 0 ? sums.itself : sums.aliases;
    double power = spline_squared(axis, m);
    for (double& each : sum) {
      each += power;
      power *= static_cast<double>(m);
    }
  }
  return sums;
}

Influence InfluenceFunction::at(const std::array<Index, 3>& mode) const {
  if (mode == std::array<Index, 3>{}) return {};
  const Vector3 k = wave_vector(mode);
  const double k2 = dot(k, k);
  std::array<AxisSums, 3> sums{};
  std::array<std::array<double, 2 * aliases + 1>, 3> splines{};
  for (int a = 0; a < 3; ++a) {
    sums[as_size(a)] = axis_sums(a, mode[as_size(a)]);
    for (Index alias = -aliases; alias <= aliases; ++alias)
      splines[as_size(a)][as_size(alias + aliases)] =
          spline_squared(a, mode[as_size(a)] + alias * options_.points[as_size(a)]);
  }
  // R, the Gaussian's potential, of the mode; and U^2 R, U^2 R (k . k_m), U^2 R k_m^2, R^2 k_m^2 of
  // its aliases k_m.
  double own = 0, energy = 0, along = 0, stretched = 0, reference = 0;
  for (Index x = -aliases; x <= aliases; ++x)
    for (Index y = -aliases; y <= aliases; ++y)
      for (Index w = -aliases; w <= aliases; ++w) {
        const Vector3 km =
            wave_vector({mode[0] + x * options_.points[0], mode[1] + y * options_.points[1],
                         mode[2] + w * options_.points[2]});
        const double squared = dot(km, km);
        const double decay = squared / (4 * options_.alpha * options_.alpha);
        if (decay > 100) continue;
        const double potential = 4 * pi * std::exp(-decay) / squared;
        if (x == 0 && y == 0 && w == 0) {
          own = potential;
          continue;
        }
        const double spline = splines[0][as_size(x + aliases)] * splines[1][as_size(y + aliases)] *
                              splines[2][as_size(w + aliases)];
        energy += spline * potential;
        along += spline * potential * dot(k, km);
        stretched += spline * potential * squared;
        reference += potential * potential * squared;
      }
  if (own == 0) return {.error = reference};
  const double u2 = sums[0].itself[0] * sums[1].itself[0] * sums[2].itself[0];
  const double others = excess(sums, {0, 0, 0});  // U^2 of all aliases
  const double all = u2 + others;
  Influence result{.for_energy = (u2 * own + energy) / (all * all)};
  // The errors below are 1 minus a square of nearly 1, written without that difference.
  if (options_.differentiation == Differentiation::ik) {
    result.for_force = (u2 * own * k2 + along) / (k2 * all * all);
    const double lost = (others - along / (own * k2)) / all;
    result.error = reference + own * own * k2 * lost * (2 - lost);
    return result;
  }
  // U^2 k_m^2 of all aliases: k_m^2 is a quadratic form of the m.
  double curvature = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    std::array<int, 3> powers{};
    powers[a] = 2;
    curvature += dot(reciprocal_[a], reciprocal_[a]) * excess(sums, powers);
    powers[a] = powers[b] = 1;
    curvature += 2 * dot(reciprocal_[a], reciprocal_[b]) * excess(sums, powers);
  }
  const double c = curvature / k2, s = stretched / (own * k2);
  result.for_force = own * (u2 + s) / (all * (u2 + c));
  result.error = reference + own * own * k2 * (u2 * (others + c - 2 * s) + others * c - s * s) /
                                 (all * (u2 + c));
  return result;
}

}  // namespace weft::apps
