// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/transform_engine.hpp"

#include <algorithm>

namespace weft::gpu {

std::size_t workspace_bytes(const TransformRecipe& recipe, const ArrayProblem& problem) {
  if (problem.kind != Kind::r2r) return workspace_bytes(recipe.parts.front());
  const std::vector<R2rAxis> axes = r2r_axes(problem);
  std::size_t most = 0;
  for (std::size_t i = 0; i < axes.size(); ++i)
    most = std::max(most,
                    axes[i].first_bytes + axes[i].second_bytes + workspace_bytes(recipe.parts[i]));
  return most;
}

TransformEngine::Axis::Axis(const R2rAxis& axis, const R2rMethod& method, const Recipe& recipe,
                            const GpuDevice& device)
    : before(method.before, axis.before, axis.inner.precision, false, axis.inner.in_width() == 2,
             device),
      after(method.after, axis.after, axis.inner.precision, axis.inner.out_width() == 2, false,
            device),
      engine(recipe, device),
      second(axis.second_bytes == 0 ? 0 : axis.first_bytes),
      scratch(axis.first_bytes + axis.second_bytes) {}

TransformEngine::TransformEngine(const TransformRecipe& recipe, const ArrayProblem& problem,
                                 const GpuDevice& device)
    : workspace_bytes_(gpu::workspace_bytes(recipe, problem)) {
  if (problem.kind != Kind::r2r) {
    engine_ = std::make_unique<Engine>(recipe.parts.front(), device);
    return;
  }
  const std::vector<R2rAxis> axes = r2r_axes(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const R2rMethod method = r2r_method(axes[i].kind, axes[i].n, axes[i].orthogonalize);
    axes_.push_back(std::make_unique<Axis>(axes[i], method, recipe.parts[i], device));
  }
}

void TransformEngine::run(const void* in, void* out, void* workspace, double scale,
                          Stream stream) const {
  if (engine_) return engine_->run(in, out, workspace, scale, stream);
  auto* const memory = static_cast<char*>(workspace);
  const void* from = in;
  for (const auto& axis : axes_) {
    axis->before.run(from, memory, 1.0, stream);
    axis->engine.run(memory, memory + axis->second, memory + axis->scratch, 1.0, stream);
    axis->after.run(memory + axis->second, out, axis == axes_.back() ? scale : 1.0, stream);
    from = out;
  }
}

}  // namespace weft::gpu
