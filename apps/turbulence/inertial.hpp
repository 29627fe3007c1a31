// SPDX-License-Identifier: BSD-3-Clause
// The inertial range of a forced flow: mean energy spectra and their exponents, which Kolmogorov's
// theory says are -5/3.
//
// The range begins at 1.5 times the largest forced wave number and ends at 0.1 / eta, where
// eta = (nu^3 / eps)^(1/4) is Kolmogorov's length. Experiments measure the longitudinal spectrum
// E11, which for isotropic flow follows from E; near the end of a short range it falls faster:
//
//   E11(k) = integral from k to infinity of E(p) / p (1 - k^2 / p^2) dp
#pragma once

#include <string>
#include <vector>

#include "common/team.hpp"

namespace weft::apps {

/// From the energies of shells, E[k] that of k - 1/2 <= |k| < k + 1/2.
std::vector<double> longitudinal_spectrum(const std::vector<double>& energy);

struct WaveRange {
  double from = 0, to = 0;
  /// Less than a factor of two has no exponent.
  bool is_wide() const { return to >= 2 * from; }
};
WaveRange inertial_range(double viscosity, double dissipation);

/// The slope of log E over log k at the whole numbers of the range.
double exponent_over(const WaveRange& range, const std::vector<double>& spectrum);

/// How far from -5/3 exponents are at a finite Reynolds number of Taylor's, by experiments
/// (Mydlarski and Warhaft, J. Fluid Mech. 320 (1996) 331: 5/3 (1 - 3.15 R^(-2/3))).
double finite_reynolds_deviation(double taylor_reynolds);

struct Estimate {
  double value = 0, error = 0;
};

/// Spectra of the second half of a run, in blocks that give the error of the mean.
class MeanSpectrum {
 public:
  static constexpr Index blocks = 8;

  /// A run of so many steps with spectra of so many shells.
  MeanSpectrum(Index steps, Index shells);
  bool is_due(Index step) const;
  void add(Index step, const std::vector<double>& spectrum);
  double samples() const;
  std::vector<double> mean() const;
  Estimate exponent(const WaveRange& range, bool longitudinal) const;
  std::vector<double> values() const;  ///< for checkpoints
  void restore(const std::vector<double>& values);

 private:
  std::vector<double> block_mean(Index block) const;

  Index begin_, length_, every_, shells_;
  std::vector<double> sums_, counts_;  // block by block
};

}  // namespace weft::apps
