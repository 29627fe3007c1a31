// SPDX-License-Identifier: BSD-3-Clause
// Random distributed transforms in distributed arrays.
#pragma once

#include "support/distributed_cases.hpp"

namespace weft::test {

/// Which arrays of a case lie in memory that the ranks of a node reach.
struct ReachedSides {
  bool input = true, output = true;
};
/// Collective: the case in distributed arrays, also in place (options.in_place), executed several
/// times with new input; ranks come and go at their own pace. Compares with the oracle and checks
/// that what is not in the boxes, and out of place the input, is unchanged. Not for any_order.
void run_in_arrays(const DistributedCase& problem, const Comm& comm, ReachedSides sides = {});

}  // namespace weft::test
