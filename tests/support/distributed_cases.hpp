// SPDX-License-Identifier: BSD-3-Clause
// Distributed transforms made up from a seed, and how to check one on any communicator.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "weft/distributed.hpp"

namespace weft::test {

struct DistributedCase {
  std::string name;
  Transform transform;
  std::vector<int> nodes;                 ///< of each rank; its length is the number of ranks
  std::vector<LocalBoxes> input, output;  ///< by rank
  bool any_order = false;
  bool asynchronous = false;  ///< start, test and wait instead of execute
  DistributedOptions options;
  struct Reference;  ///< the local engine's result, computed once per process
  std::shared_ptr<Reference> reference;
};

/// A case with `ranks` ranks, or with 1 to 8 for ranks = 0.
DistributedCase random_case(int seed, int ranks = 0);

/// A transform along one axis of an array of one or two dimensions, of up to a few thousand points:
/// primes, powers, any number; shared out over the ranks.
DistributedCase random_line_case(int seed, int ranks = 0);

/// Collective: plans, executes, compares with the local engine, counts messages, and looks that
/// margins and the input were left alone. A result in split order is also transformed back from
/// there. Failures are GoogleTest's.
void run_case(const DistributedCase& problem, const Comm& comm);

/// Collective: this rank's output bytes of a forward c2c transform of seeded data, as the box list
/// has it.
std::vector<std::complex<double>> transform_bricks(const Comm& comm, std::vector<Index> shape,
                                                   const Grid& in, const Grid& out,
                                                   const DistributedOptions& options);

}  // namespace weft::test
