// SPDX-License-Identifier: BSD-3-Clause
// An operator on a GPU with the function inside a pass that transforms.
#pragma once

#include <memory>
#include <string>

#include "gpu/device/operator_engine.hpp"
#include "spectral/operator_problem.hpp"
#include "weft/spectral_cuda.hpp"

namespace weft::spectral {

class FusedOnGpu {
 public:
  FusedOnGpu(gpu::Recipe forward, const gpu::OperatorRecipe& recipe, const gpu::ModeGrid& grid,
             const gpu::ModeFunctionText& function, const gpu::GpuDevice& device);

  /// The context of the device must be current. Asynchronous.
  void run(std::span<const void* const> in, std::span<void* const> out, const void* numbers,
           void* workspace, gpu::Stream stream) const;
  std::size_t workspace_bytes() const { return engine_.workspace_bytes(); }
  double passes() const { return engine_.recipe().passes(); }
  std::string recipe() const;
  std::string explain(const gpu::GpuDevice& device) const;

 private:
  gpu::Recipe forward_;
  gpu::OperatorEngine engine_;
  double scale_;
};

/// Null where the operator must be done in steps, or the caller's recipe is one of steps.
std::unique_ptr<FusedOnGpu> fused_on_gpu(const OperatorProblem& problem,
                                         const gpu::ModeFunctionText& function, const void* numbers,
                                         const gpu::GpuDevice& device,
                                         const cuda::SpectralOptions& options);

}  // namespace weft::spectral
