// SPDX-License-Identifier: BSD-3-Clause
// An operator built for one device: passes forward, one that is turned around with the function of
// the modes in it, passes back. Running it only launches.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/device/engine.hpp"
#include "gpu/emit/mode_text.hpp"
#include "gpu/recipe/operator_recipe.hpp"

namespace weft::gpu {

/// A pass that is turned around, with the function of the modes in it.
PassKernel turned_kernel(const TurnedPass& turned, const ModeGrid& grid,
                         const ModeFunctionText& function);
std::vector<PassKernel> kernels_of(const OperatorRecipe& recipe, const ModeGrid& grid,
                                   const ModeFunctionText& function);

std::size_t workspace_bytes(const OperatorRecipe& recipe);

/// Whether a device has room for the recipe's clusters, whose blocks hold tiles of all fields.
bool accepts(const GpuDevice& device, const OperatorRecipe& recipe, const ModeGrid& grid,
             const ModeFunctionText& function);

class OperatorEngine {
 public:
  OperatorEngine(const OperatorRecipe& recipe, const ModeGrid& grid,
                 const ModeFunctionText& function, const GpuDevice& device);

  std::size_t workspace_bytes() const { return gpu::workspace_bytes(recipe_); }
  const OperatorRecipe& recipe() const { return recipe_; }
  struct Run {
    std::span<const void* const> in;
    std::span<void* const> out;
    void* workspace;
    const void* numbers;
    double scale;
    Stream stream;
  };
  /// The context of the device must be current. Asynchronous. Output f may be input f.
  void run(const Run& run) const;

 private:
  OperatorRecipe recipe_;
  bool can_follow_;
  std::vector<std::unique_ptr<LoadedPass>> before_, after_;
  LoadedPass turned_;
};

}  // namespace weft::gpu
