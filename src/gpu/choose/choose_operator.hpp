// SPDX-License-Identifier: BSD-3-Clause
// Which recipe an operator takes: the caller's own, one that wisdom has, the first by
// the cost model, or the fastest of those timed. Its text is that of the forward recipe.
#pragma once

#include <optional>

#include "gpu/device/driver.hpp"
#include "gpu/emit/mode_text.hpp"
#include "gpu/recipe/operator_recipe.hpp"
#include "weft/spectral_cuda.hpp"

namespace weft::gpu {

struct OperatorRequest {
  const ArrayProblem& forward;  ///< of one field
  const ModeGrid& grid;
  const ModeFunctionText& function;
  const void* numbers;  ///< that the function reads, in device memory

  FieldCount fields() const { return {function.inputs, function.outputs}; }
};

struct OperatorChoice {
  Recipe forward;
  OperatorRecipe recipe;
};

/// Nothing if no forward recipe can be turned around, if a block has no room for the tiles of all
/// fields, if the workspace would be too large, or if steps should be faster.
/// Throws weft::Error (invalid_argument) if the caller's own does not fit.
std::optional<OperatorChoice> choose_operator(const OperatorRequest& request,
                                              const GpuDevice& device,
                                              const cuda::SpectralOptions& options);

}  // namespace weft::gpu
