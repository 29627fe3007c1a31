// SPDX-License-Identifier: BSD-3-Clause
// What happens to a flow at every mode and point, as texts for functions on a GPU.
#pragma once

#include <array>
#include <string>

#include "turbulence/flow.hpp"

namespace weft::apps::flow_texts {

/// Parameters of a stage: the time step h, nu h / 2, 1 / points, the factor of the force.
inline constexpr int stages = 4;
/// The fields that stage `number` (0 to 3) of the Runge-Kutta method reads: the spectra of the
/// products, the state u (not the last stage), the sum (not the first), and where there is a force
/// the velocity that the products were made of, which is the state in the first stage. It writes
/// the sum and the velocity of the next stage (the last one: the state), and its curl.
std::string stage(int number, bool is_forced);

/// From the fields 0 to 2.
std::string curl();
/// u x w, u in the fields 0 to 2, w in 3 to 5.
std::string product();
/// p0 times the part without divergence, weighted as the random start is.
std::string random_start();
std::string start(Start start);
/// Energy and dissipation / viscosity.
std::string energies();
/// Twice the energy of the modes that are forced.
std::string forced_energy();
std::string divergence();
/// Distance from the single mode, whose amplitude is p0 (1 at first).
std::string single_mode_error();

}  // namespace weft::apps::flow_texts
