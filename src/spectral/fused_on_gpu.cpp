// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/fused_on_gpu.hpp"

#include "gpu/choose/choose_operator.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "spectral/gpu_steps.hpp"
#include "spectral/mode_function_text.hpp"

namespace weft::spectral {
namespace {

constexpr std::string_view fused_head = "fused: ";

}  // namespace

FusedOnGpu::FusedOnGpu(gpu::Recipe forward, const gpu::OperatorRecipe& recipe,
                       const gpu::ModeGrid& grid, const gpu::ModeFunctionText& function,
                       const gpu::GpuDevice& device)
    : forward_(std::move(forward)), engine_(recipe, grid, function, device) {
  double points = 1;
  for (const gpu::ModeGrid::Axis& axis : grid.axes) points *= static_cast<double>(axis.n);
  scale_ = 1 / points;
}

void FusedOnGpu::run(std::span<const void* const> in, std::span<void* const> out,
                     const void* numbers, void* workspace, gpu::Stream stream) const {
  engine_.run({in, out, workspace, numbers, scale_, stream});
}

std::string FusedOnGpu::recipe() const { return std::string(fused_head) + to_text(forward_); }

std::string FusedOnGpu::explain(const gpu::GpuDevice& device) const {
  return gpu::explain(engine_.recipe(), gpu::numbers_of(device));
}

std::unique_ptr<FusedOnGpu> fused_on_gpu(const OperatorProblem& problem,
                                         const gpu::ModeFunctionText& function, const void* numbers,
                                         const gpu::GpuDevice& device,
                                         const cuda::SpectralOptions& options) {
  const bool is_given = options.recipe.starts_with(fused_head);
  if (!options.recipe.empty() && !is_given) return nullptr;
  // Backward a tile is written to where it was read.
  if (problem.forward.input_extents != problem.forward.output_extents) return nullptr;
  cuda::SpectralOptions wishes = options;
  if (is_given) wishes.recipe = options.recipe.substr(fused_head.size());
  const problem::ArrayProblem forward = forward_problem(problem);
  const gpu::ModeGrid grid = mode_grid(problem);
  const auto choice = gpu::choose_operator({forward, grid, function, numbers}, device, wishes);
  if (!choice) return nullptr;
  return std::make_unique<FusedOnGpu>(choice->forward, choice->recipe, grid, function, device);
}

}  // namespace weft::spectral
