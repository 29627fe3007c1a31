// SPDX-License-Identifier: BSD-3-Clause
// An operator on a GPU as three steps: forward transforms, a kernel over the modes, backward
// transforms. Right for every problem; what is faster where it can be had is in fused_on_gpu.hpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device/mode_kernel.hpp"
#include "gpu/device/pad_kernel.hpp"
#include "gpu/device/transform_engine.hpp"
#include "problem/array_problem.hpp"
#include "spectral/mode_function_text.hpp"
#include "weft/spectral_cuda.hpp"

namespace weft::spectral {

/// The problem of the forward transform, of the arrays that the operator reads.
problem::ArrayProblem forward_problem(const OperatorProblem& problem);

class GpuSteps {
 public:
  /// `recipe` is the text of an earlier one, or empty.
  GpuSteps(const OperatorProblem& problem, const gpu::ModeFunctionText& function,
           const gpu::GpuDevice& device, const cuda::SpectralOptions& options);

  /// The context of the device must be current. Asynchronous.
  void run(std::span<const void* const> in, std::span<void* const> out, const void* numbers,
           void* workspace, gpu::Stream stream) const;
  std::size_t workspace_bytes() const;
  double passes() const;
  std::string recipe() const;
  std::string explain(const gpu::GpuDevice& device) const;

 private:
  bool lies_in_output(int field) const {
    return problem_.forward.kind == Kind::c2c && !problem_.is_padded() && field < problem_.outputs;
  }
  /// Whether an array is copied, since the transform takes whole ones.
  bool is_copied_before() const {
    return problem_.forward.input_extents != problem_.forward.shape && !there_problem_.is_padded();
  }
  bool is_copied_after() const {
    return problem_.forward.output_extents != problem_.forward.shape && !back_problem_.is_padded();
  }
  std::size_t whole_bytes() const;  ///< of an array that is copied to; 0 where none is needed
  std::size_t kept_bytes() const;   ///< of the spectra that do not lie in outputs
  std::size_t spectrum_bytes() const;
  gpu::TransformRecipe choose(const problem::ArrayProblem& problem, const gpu::GpuDevice& device,
                              const cuda::SpectralOptions& options, const std::string& text) const;

  OperatorProblem problem_;
  problem::ArrayProblem there_problem_, back_problem_;
  gpu::TransformRecipe there_recipe_, back_recipe_;
  gpu::TransformEngine there_, back_;
  gpu::ModeKernel kernel_;
  std::unique_ptr<gpu::PadKernel> pad_, crop_;  ///< the copies, if there are any
};

}  // namespace weft::spectral
