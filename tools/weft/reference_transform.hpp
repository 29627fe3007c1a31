// SPDX-License-Identifier: BSD-3-Clause
// Transforms of small arrays in long double by base/reference_dft.hpp, for tests: independent of
// weft's plans.
#pragma once

#include <vector>

#include "weft/plan.hpp"

namespace weft::tool {

/// Row-major arrays without gaps; complex numbers as two reals each. Of c2r the imaginary parts
/// that a real result leaves no room for are ignored.
std::vector<double> reference_transform(const Transform& transform, const std::vector<double>& in);

}  // namespace weft::tool
