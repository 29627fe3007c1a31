// SPDX-License-Identifier: BSD-3-Clause
// Velocity: Kraichnan's random velocity in two dimensions, white in time. Amplitudes are drawn in
// Fourier space with variance k^(-2 - xi) and k . u = 0, so that velocity differences grow as
// r^(xi/2). The modes are drawn where the backward transform reads them (slabs along the second
// axis), so nothing is transposed.
//
// A lattice lacks the modes below k = 1 and above its largest. What those below would add to
// differences grows as r^2; the modes |k| = 1 get their share. What those above would add does not
// depend on r beyond the lattice spacing: it is a diffusivity, tail_diffusivity().
#pragma once

#include <vector>

#include "common/transforms.hpp"

namespace weft::apps {

struct VelocityOptions {
  Index size = 512;
  double exponent = 1;  ///< xi, between 0 and 2
  int seed = 1;
  SpectrumOrder order = SpectrumOrder::transposed;
};

/// What is known of the velocity before it is drawn.
class VelocityModel {
 public:
  VelocityModel(Index size, double exponent);

  double largest_wave_number() const { return cutoff_; }
  double variance_of_mode(double squared) const;
  double low_factor() const { return low_factor_; }  ///< that the modes |k| = 1 have more
  /// <u_x^2>
  double variance() const { return variance_; }
  double tail_diffusivity() const;
  /// K(r) = half the longitudinal structure function, of the modes that the lattice has.
  double eddy_diffusivity(double r) const;

 private:
  double exponent_, cutoff_, low_factor_ = 1, variance_ = 0;
  std::vector<double> variances_;  // of all modes of an integer k^2
};

class Velocity {
 public:
  /// Collective.
  Velocity(const Team& team, const VelocityOptions& options);

  /// A new field, for step number `step`; times `factor`. One array per component.
  void draw(Index step, double factor);
  const aligned_vector<double>& component(int c) const {
    return field_[static_cast<std::size_t>(c)];
  }
  /// Adds the energy of the modes last drawn to shells, see Shells.
  void add_to(class Shells& shells) const;
  std::string explain() const { return transform_.explain(); }
  Passes passes() const {
    return 2 * transform_.passes_backward();
  }  ///< of the transforms of draw()
  double bytes() const { return 2 * (transform_.spectrum_bytes() + transform_.field_bytes()); }

 private:
  Complex amplitude(Index step, Index i, Index j) const;

  const Team& team_;
  VelocityOptions options_;
  VelocityModel model_;
  RealTransform transform_;
  aligned_vector<Complex> spectrum_[2];
  aligned_vector<double> field_[2];
};

/// Sums of |amplitude|^2 over modes with nearly the same |k|.
class Shells {
 public:
  explicit Shells(Index size);
  /// power(i) of every mode i of a box of the halved spectrum, a second time where the mirror image
  /// is not stored. Threads share the rows; the order of the sums does not depend on their number.
  template <class Power>
  void add(const Team& team, const Box& box, const Power& power);
  void combine(const Team& team);
  std::vector<double> values() const;  ///< for checkpoints
  void restore(const std::vector<double>& values);
  /// Of the scalar: sum of P (1 - J0(kr)) times 2, divided by `fields`.
  double structure(double r, double fields) const;
  double structure_slope(double r, double fields) const;  ///< its derivative
  /// Of a velocity: 2 sum P (1/2 - J1(kr) / (kr)).
  double longitudinal_structure(double r, double fields) const;

 private:
  void add_one(double squared, double power);

  Index size_;
  std::vector<double> power_, moment_;  // moment: power times k^2
};

template <class Power>
void Shells::add(const Team& team, const Box& box, const Power& power) {
  constexpr Index parts = 16;
  std::vector<Shells> sums(parts, Shells(size_));
  team.for_range(parts, [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      const auto [first, last] = split_evenly(box.extent(0), parts, part);
      Index at = first * box.extent(1);
      for (Index row = first; row < last; ++row)
        for (Index j = box.begin[1]; j < box.end[1]; ++j, ++at) {
          const Index i = wave_number(box.begin[0] + row, size_);
          const double weight = j == 0 || 2 * j == size_ ? 1 : 2;
          sums[as_size(part)].add_one(static_cast<double>(i * i + j * j),
                                      weight * power(as_size(at)));
        }
    }
  });
  for (const Shells& each : sums)
    for (std::size_t s = 0; s < power_.size(); ++s)
      power_[s] += each.power_[s], moment_[s] += each.moment_[s];
}

/// The slope of log y over log x, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace weft::apps
