// SPDX-License-Identifier: BSD-3-Clause
// Flow: an incompressible velocity field in a periodic box of side 2 pi, and its time step.
//
//   du/dt = P (u x curl u) - nu k^2 u + f,   k . u = 0
//
// The state is the spectrum, in slabs along the second axis. Products are taken at the points of
// the lattice, with the modes |k_i| >= n/3 left out (2/3 rule), so they are free of aliasing.
// Viscosity is integrated exactly (integrating factor), the rest by the classical fourth-order
// Runge-Kutta method.
#pragma once

#include <array>
#include <vector>

#include "common/checkpoint.hpp"
#include "common/output.hpp"
#include "common/transforms.hpp"

namespace weft::apps {

enum class Start { taylor_green, single_mode, random };

struct FlowOptions {
  Index size = 64;
  double viscosity = 1.0 / 1600;
  double time_step = 0;
  Start start = Start::taylor_green;
  double power = 0;  ///< energy that the force at |k| <= 2.5 adds per time and volume
  int seed = 1;
};

using Spectra = std::array<aligned_vector<Complex>, 3>;
using Fields = std::array<aligned_vector<double>, 3>;

class Flow {
 public:
  /// Collective.
  Flow(const Team& team, const FlowOptions& options);

  void step();
  /// Per volume, in the state as it is.
  double energy() const;
  double dissipation() const;  ///< 2 nu times the enstrophy
  double largest_divergence() const;
  /// The largest |u_x| + |u_y| + |u_z| at the beginning of the last step.
  double largest_speed() const { return largest_speed_; }
  /// Energy in shells of wave numbers: E[k] is that of k - 1/2 <= |k| < k + 1/2.
  std::vector<double> spectrum() const;
  /// |curl u| in the plane at the middle of the last axis.
  Picture vorticity_plane();
  /// The largest of |u - exact| over all modes, if the start was one mode.
  double single_mode_error(double time) const;

  double largest_wave_number() const { return static_cast<double>(cutoff_); }
  std::vector<SavedField> saved();
  std::string explain() const { return transform_.explain(); }

 private:
  struct Mode {
    Index at;
    std::array<double, 3> k;
    double squared;
    double weight;  // how often it counts: twice unless its mirror image is stored, too
    std::array<Index, 3> index;
  };
  template <class Function>
  void for_modes(Index begin, Index end, const Function& function) const;
  template <class Function>
  double sum_modes(const Function& function) const;
  bool is_kept(const Mode& mode) const;

  void begin_taylor_green();
  void begin_single_mode();
  void begin_random();
  void project(Spectra& spectra) const;
  /// Spectra of the products at `state`, projected and cut off, in rate_.
  void compute_rate(const Spectra& state, bool measure_speed);
  void add_force(const Spectra& state);
  void take_curl(const Spectra& state, int component, aligned_vector<Complex>& out) const;
  /// out = (e u + a rate) etc. for each of the four stages.
  template <class Update>
  void update(const Update& change);

  const Team& team_;
  FlowOptions options_;
  Index cutoff_;  // modes with all |k_i| <= cutoff are kept
  RealTransform transform_;
  std::array<std::vector<double>, 3> decay_;  // exp(-nu k_i^2 dt / 2) by index, per axis
  Spectra state_, stage_, sum_, rate_;
  aligned_vector<Complex> one_;
  Fields velocity_, vorticity_;
  double largest_speed_ = 0;
};

}  // namespace weft::apps
