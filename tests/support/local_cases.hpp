// SPDX-License-Identifier: BSD-3-Clause
// Random local transforms, made from a seed: dimensions, axes, kinds, strides, threads, in place or
// not.
#pragma once

#include <string>

#include "support/run_plan.hpp"

namespace weft::test {

struct LocalCase {
  Transform transform;
  RunOptions options;

  std::vector<Index> input_shape() const;
  /// Seeded data of the transform's precision.
  Field input(std::uint64_t seed) const;
  std::string name() const;
};

/// At most `most_points` points, 1 to 6 dimensions.
LocalCase random_local_case(std::uint64_t seed, Index most_points = 4000);

/// The same with what other doors ask for: arrays that are shorter than the transform, split
/// numbers, full spectra, other strides in place, orthogonalized and halfcomplex transforms, no
/// axes.
LocalCase random_special_case(std::uint64_t seed, Index most_points = 2000);

/// One axis of up to `most_points` points (real-to-real: up to 1000), a product of factors up to
/// 127, in a batch of one to three.
LocalCase random_long_case(std::uint64_t seed, Index most_points = 12000);

/// The input of a case with a NaN, an infinity or a huge number at one place.
struct PlantedField {
  Field field;
  Index transform = 0;  ///< of the batch, that it is in
};
PlantedField with_bad_value(const LocalCase& c, std::uint64_t seed);
/// Whether all transforms but the planted one have the same bits before and after.
bool others_are_equal(const LocalCase& c, const PlantedField& planted, const Field& before,
                      const Field& after);

/// Whether the transforms of a batch are independent: runs the case again with a NaN, an infinity
/// or a huge number in one transform, and compares the others bit by bit with `before`. True if
/// there is no batch.
bool keeps_transforms_apart(const LocalCase& c, std::uint64_t seed, const Field& before);

}  // namespace weft::test
