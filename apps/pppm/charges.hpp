// SPDX-License-Identifier: BSD-3-Clause
// Charges in a periodic box of any shape: where they are, and where they come from.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "common/team.hpp"

namespace weft::apps {

using Vector3 = std::array<double, 3>;

inline double dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A parallelepiped: three edges, which may have any angles.
struct Cell {
  std::array<Vector3, 3> edges{};

  double volume() const { return dot(edges[0], cross(edges[1], edges[2])); }
  /// Rows b_i with b_i . edge_j = 1 if i = j, else 0.
  std::array<Vector3, 3> reciprocal() const;
  /// The distance of the faces that edge i joins.
  double height(int i) const;
  Vector3 cartesian(const Vector3& fraction) const;
};

struct Charges {
  Cell cell;
  std::vector<Vector3> fractions;  ///< positions in units of the edges, in [0, 1)
  std::vector<double> values;
  std::vector<Index> ids;  ///< of a data file, else 1, 2, ...
  Vector3 corner{};        ///< where the box begins

  Index count() const { return static_cast<Index>(values.size()); }
  double total() const;
  double sum_of_squares() const;
};

/// "nacl", "cscl" or "zns" with nearest neighbours at distance 1, `cells` per edge; primitive cells
/// are triclinic. And Madelung's constant of it.
Charges crystal(const std::string& name, Index cells, bool primitive);
double madelung_constant(const std::string& name);

/// Half of the charges is +1, half -1, at random places of a cube with one charge per unit volume;
/// no two nearer than half of the mean distance. `tilt` shears the cube.
Charges random_charges(Index count, int seed, double tilt);

/// A data file of LAMMPS with atom style charge or full. Throws weft::Error.
Charges read_lammps_data(const std::string& path);

}  // namespace weft::apps
