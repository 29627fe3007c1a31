// SPDX-License-Identifier: BSD-3-Clause
// What charges do to each other: an energy, a force on each. Parts of it add up.
#pragma once

#include "pppm/charges.hpp"

namespace weft::apps {

struct Forces {
  double energy = 0;
  std::vector<Vector3> on;  ///< one per charge

  Forces& operator+=(const Forces& other);
};
/// Root of the mean square of the difference.
double rms_difference(const Forces& a, const Forces& b);

/// Collective. Pairs nearer than `cutoff`, all periodic images among them, with the potential
/// erfc(alpha r) / r. Ranks share the charges.
Forces near_forces(const Team& team, const Charges& charges, double alpha, double cutoff);

/// Collective. The smooth rest, as a direct sum over wave vectors up to rounding: the reference.
Forces direct_far_forces(const Team& team, const Charges& charges, double alpha);

/// Energy of each charge with itself in the smooth part, and of a background that makes the box
/// neutral.
double self_energy(const Charges& charges, double alpha);

}  // namespace weft::apps
