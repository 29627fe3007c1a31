// SPDX-License-Identifier: BSD-3-Clause
// Mesh: the smooth part of the electrostatic forces by a spectral operator on a mesh. Charges are
// assigned to its points by B-splines; the operator multiplies the modes by Hockney and Eastwood's
// optimal influence function; splines take potential and field back to the charges.
#pragma once

#include <memory>
#include <optional>

#include "common/device.hpp"
#include "common/output.hpp"
#include "common/transforms.hpp"
#include "pppm/forces.hpp"

namespace weft::apps {

enum class Differentiation {
  ik,        ///< i k at every mode: one transform forward, four back
  analytic,  ///< of the splines: one forward, two back
};

struct MeshOptions {
  std::array<Index, 3> points{32, 32, 32};
  int order = 5;  ///< of the splines: points per axis that a charge reaches
  double alpha = 1;
  Differentiation differentiation = Differentiation::ik;
  Where where = Where::cpu;  ///< the operator
};
inline constexpr int largest_order = 10;

/// The force error that Hockney and Eastwood's theory expects, root mean square: see MeshOptions.
double expected_mesh_error(const Team& team, const Charges& charges, const MeshOptions& options);

class GpuMeshOperator;

class Mesh {
 public:
  /// Collective.
  Mesh(const Team& team, const Cell& cell, const MeshOptions& options);
  ~Mesh();
  /// Collective.
  Forces forces(const Charges& charges);
  /// The potential in the first plane of the mesh, of the charges last given.
  Picture potential_plane() const;
  std::string explain() const;
  Passes passes() const;  ///< of the operator
  double bytes() const;   ///< of all fields, on all ranks

 private:
  ModeFunction influence_function(const class InfluenceFunction& influence);
  void assign(const Charges& charges);

  const Team& team_;
  Cell cell_;
  MeshOptions options_;
  Box box_;
  std::vector<double> for_energy_, for_force_;  // influence functions, all modes
  std::optional<FieldOperator> operator_;       // one of both
  std::unique_ptr<GpuMeshOperator> on_gpu_;
  aligned_vector<double> density_;
  std::vector<aligned_vector<double>> results_;  // potential; then the field, or what gives it
};

}  // namespace weft::apps
