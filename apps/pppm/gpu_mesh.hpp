// SPDX-License-Identifier: BSD-3-Clause
// The operator of a mesh on a GPU: the charges' density goes there, potential and field come back.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pppm/influence.hpp"

namespace weft::apps {

class GpuMeshOperator {
 public:
  /// The influence functions of all modes, row-major.
  GpuMeshOperator(const MeshOptions& options, const InfluenceFunction& influence,
                  const std::vector<double>& for_energy, const std::vector<double>& for_force);
  ~GpuMeshOperator();
  void execute(std::span<const double> density, const std::vector<std::span<double>>& results);
  std::string explain() const;
  Passes passes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::apps
