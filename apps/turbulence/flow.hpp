// SPDX-License-Identifier: BSD-3-Clause
// Flow: an incompressible velocity field in a periodic box of side 2 pi, and its time step.
//
//   du/dt = P (u x curl u) - nu k^2 u + f,   k . u = 0
//
// Products are taken at the points of the lattice, with the modes |k_i| >= n/3 left out (2/3 rule),
// so they are free of aliasing. Viscosity is integrated exactly (integrating factor), the rest by
// the classical fourth-order Runge-Kutta method. The state is the spectrum: on ranks and threads in
// cpu_flow.hpp, in the memory of a GPU in gpu_flow.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint.hpp"
#include "common/memory_limit.hpp"
#include "common/output.hpp"
#include "common/team.hpp"
#include "weft/plan.hpp"

namespace weft::apps {

enum class Start { taylor_green, single_mode, random };

struct FlowOptions {
  Index size = 64;
  double viscosity = 1.0 / 1600;
  double time_step = 0;
  Start start = Start::taylor_green;
  double power = 0;  ///< energy that the force at |k| <= 2.5 adds per time and volume
  int seed = 1;
  Effort effort = Effort::estimate;      ///< of the transforms
  Precision precision = Precision::f64;  ///< f32: on a GPU only
};

inline constexpr double force_radius = 2.5;  ///< the force acts on modes within it
inline constexpr int single_mode_number = 2;
inline constexpr double transforms_back = 24, transforms_forth = 12;  ///< of a step

/// Modes with all |k_i| <= this are kept.
inline Index cutoff_of(Index size) { return (size - 1) / 3; }

class Flow {
 public:
  virtual ~Flow() = default;

  virtual void step() = 0;
  /// Until all that was begun is done.
  virtual void wait() {}
  /// A step whose parts wait for each other; what each took, for people. Empty: it has no parts.
  virtual std::string step_in_parts() {
    step();
    return "";
  }
  /// Per volume, in the state as it is.
  virtual double energy() const = 0;
  virtual double dissipation() const = 0;  ///< 2 nu times the enstrophy
  virtual double largest_divergence() const = 0;
  /// The largest |u_x| + |u_y| + |u_z| at the beginning of the last step.
  virtual double largest_speed() const = 0;
  /// Energy in shells of wave numbers: E[k] is that of k - 1/2 <= |k| < k + 1/2.
  virtual std::vector<double> spectrum() const = 0;
  /// |curl u| in the plane at the middle of the last axis.
  virtual Picture vorticity_plane() = 0;
  /// The largest of |u - exact| over all modes, if the start was one mode.
  virtual double single_mode_error(double time) const = 0;

  /// The state, to be written or to be filled; restored() after it was filled.
  virtual std::vector<SavedField> saved() = 0;
  virtual void restored() {}
  virtual std::string explain() const = 0;
  virtual Passes passes() const = 0;                 ///< of the transforms of a step
  virtual double bytes() const = 0;                  ///< of all fields, on all ranks
  virtual std::string memory() const { return ""; }  ///< of a GPU, for people
};

}  // namespace weft::apps
