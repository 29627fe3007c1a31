// SPDX-License-Identifier: BSD-3-Clause
// Runs a kernel as the list of operations that it is, in long double, so that tests can see what a
// pass did to it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "codelet/ir/kernel.hpp"

namespace weft::codelet::ir {

using Vector = std::vector<long double>;
using Position = std::pair<int, Part>;

/// Numbers per value: a line kernel moves them within registers, others treat all lanes alike.
int width_of(const KernelKey& key);

/// The outputs one after another. Input values by row and part; twiddles are unit length, all
/// different.
Vector interpret(const Kernel& kernel, const std::map<Position, Vector>& input);

}  // namespace weft::codelet::ir
