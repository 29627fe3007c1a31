// SPDX-License-Identifier: BSD-3-Clause
// Mixing: a velocity and the scalar that it carries, on ranks and threads or on a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint.hpp"
#include "common/output.hpp"
#include "kraichnan/velocity.hpp"

namespace weft::apps {

struct MixingOptions {
  VelocityOptions velocity;
  double diffusivity = 0, time_step = 0;
  double reach = 0;  ///< the farthest that a point may move in a step, in lattice spacings
  double spacing = 0;
};

class Mixing {
 public:
  virtual ~Mixing() = default;
  /// Draws a velocity and moves the scalar with it.
  virtual void advance(Index step) = 0;
  /// Until all that was begun is done.
  virtual void wait() {}
  /// Adds the energies of the modes to shells: the scalar's, and those of the velocity last drawn.
  virtual void add_to(Shells& of_scalar, Shells& of_velocity) = 0;
  virtual double variance() = 0;
  virtual Picture picture() = 0;
  /// The state, to be written or to be filled; restored() after it was filled.
  virtual std::vector<SavedField> saved() = 0;
  virtual void restored() {}
  virtual std::string explain() const = 0;
  /// Of the transforms and the operator of a step.
  virtual Passes passes() const = 0;
  virtual double bytes() const = 0;                  ///< of all fields, on all ranks
  virtual std::string memory() const { return ""; }  ///< of a GPU, for people
};

/// Collective.
std::unique_ptr<Mixing> cpu_mixing(const Team& team, const MixingOptions& options);
std::unique_ptr<Mixing> gpu_mixing(const Team& team, const MixingOptions& options);

}  // namespace weft::apps
