// SPDX-License-Identifier: BSD-3-Clause
// The formula of a real-to-real transform as users name it.
#pragma once

#include "formula/formula.hpp"
#include "weft/plan.hpp"

namespace weft::local {

formula::Formula real_to_real(R2r kind, Index n, bool orthogonalize = false);

}  // namespace weft::local
