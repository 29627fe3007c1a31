// SPDX-License-Identifier: BSD-3-Clause
// A whole transform built for one device: an engine, or for real-to-real transforms one for each
// axis with the steps around it. Running it only launches.
#pragma once

#include <memory>
#include <vector>

#include "gpu/device/engine.hpp"
#include "gpu/device/r2r_kernel.hpp"
#include "gpu/recipe/transform_recipe.hpp"

namespace weft::gpu {

/// Of a plan with this recipe.
std::size_t workspace_bytes(const TransformRecipe& recipe, const ArrayProblem& problem);

class TransformEngine {
 public:
  /// The recipe fits the problem.
  TransformEngine(const TransformRecipe& recipe, const ArrayProblem& problem,
                  const GpuDevice& device);

  std::size_t workspace_bytes() const { return workspace_bytes_; }
  /// The context of the device must be current. Asynchronous.
  void run(const void* in, void* out, void* workspace, double scale, Stream stream) const;

 private:
  struct Axis {
    Axis(const R2rAxis& axis, const R2rMethod& method, const Recipe& recipe,
         const GpuDevice& device);
    R2rStep before, after;
    Engine engine;
    std::size_t second, scratch;  ///< bytes from the start of the workspace
  };

  std::unique_ptr<Engine> engine_;  ///< null for r2r
  std::vector<std::unique_ptr<Axis>> axes_;
  std::size_t workspace_bytes_;
};

}  // namespace weft::gpu
