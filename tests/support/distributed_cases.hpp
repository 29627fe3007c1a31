// SPDX-License-Identifier: BSD-3-Clause
// Random distributed transforms, made from a seed, and their check on any communicator.
#pragma once

#include <map>
#include <memory>
#include <mutex>
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
  /// The oracle's result, computed once per process.
  struct Reference {
    std::once_flag once;
    std::vector<double> output;
    double norm = 0;
    void compute(const Transform& transform);
  };
  std::shared_ptr<Reference> reference;
};

/// A case with `ranks` ranks, or with 1 to 8 for ranks = 0.
DistributedCase random_case(int seed, int ranks = 0);

/// Boxes, storage orders, margins, ranks, nodes, exchange and options for a transform.
DistributedCase random_layouts(const Transform& transform, int seed, int ranks = 0);

/// A transform along one axis of an array with one or two dimensions and up to a few thousand
/// points (primes, powers, any number). This axis is distributed over the ranks.
DistributedCase random_line_case(int seed, int ranks = 0);

/// Arrays with fewer points than the transform, or the full spectrum of a real array.
DistributedCase random_extents_case(int seed, int ranks = 0);

/// Collective: plans, executes, compares with the oracle, counts messages, and checks that
/// margins and the input are unchanged. A result in split order is also transformed back, and a
/// plan built from the recipe that the first one prints must give the same text and bits. Failures
/// are reported through GoogleTest.
void run_case(const DistributedCase& problem, const Comm& comm);

/// A value that replaces one real of the input; reals are numbered in the global array.
struct PlantedValue {
  Index real;
  float value;
};

/// Collective: plans and executes. Returns this rank's results; the key is the number of the real
/// in the global output array.
std::map<Index, double> results(const DistributedCase& problem, const Comm& comm,
                                const std::optional<PlantedValue>& planted = {});

/// Collective: none of the values changes a bit of another transform of the batch than its own.
void expect_others_stay(const DistributedCase& problem, const Comm& comm,
                        const std::vector<PlantedValue>& values);
/// NaN, infinity and a huge number at the start, in the middle and at the end of the input.
std::vector<PlantedValue> values_to_plant(const Transform& transform);

/// Collective: this rank's output of a forward c2c transform of seeded data, in the order of its
/// boxes.
std::vector<std::complex<double>> transform_bricks(const Comm& comm, std::vector<Index> shape,
                                                   const Grid& in, const Grid& out,
                                                   const DistributedOptions& options);

}  // namespace weft::test
