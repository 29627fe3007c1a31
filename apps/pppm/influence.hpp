// SPDX-License-Identifier: BSD-3-Clause
// Hockney and Eastwood's optimal influence functions, for a mesh in a box of any shape.
#pragma once

#include "pppm/mesh.hpp"

namespace weft::apps {

/// At one mode.
struct Influence {
  double for_energy = 0, for_force = 0;
  double error = 0;  ///< the remaining mean square force error
};

class InfluenceFunction {
 public:
  InfluenceFunction(const Cell& cell, const MeshOptions& options);
  Influence at(const std::array<Index, 3>& mode) const;  ///< signed wave numbers
  Vector3 wave_vector(const std::array<Index, 3>& mode) const;

 private:
  /// U^2, U^2 m and U^2 m^2 along one axis: of the mode itself, and summed over its aliases.
  struct AxisSums {
    std::array<double, 3> itself, aliases;
  };
  double spline_squared(int axis, Index mode) const;
  AxisSums axis_sums(int axis, Index mode) const;
  static double excess(const std::array<AxisSums, 3>& sums, const std::array<int, 3>& powers);

  MeshOptions options_;
  std::array<Vector3, 3> reciprocal_;  // 2 pi times the cell's
};

}  // namespace weft::apps
