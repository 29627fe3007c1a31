// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/gpu_steps.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/choose/choose.hpp"
#include "gpu/device/numbers.hpp"
#include "gpu/recipe/problem.hpp"
#include "problem/request.hpp"

namespace weft::spectral {
namespace {

constexpr std::string_view steps_head = "steps: ", steps_between = " then ";
constexpr Index workspace_alignment = 256;

Transform whole(const OperatorProblem& problem) {
  Transform forward = problem.forward;
  forward.input_extents.clear();
  forward.output_extents.clear();
  forward.normalization = Normalization::none;
  return forward;
}

/// Of padded arrays where passes read and write them as they are, otherwise of whole ones.
problem::ArrayProblem possible(const Transform& transform, const gpu::GpuDevice& device) {
  problem::ArrayProblem problem = problem::check_request(transform, {}, {}).problem;
  if (!problem.is_padded() || !gpu::candidates(problem, gpu::numbers_of(device)).empty())
    return problem;
  Transform complete = transform;
  complete.input_extents.clear();
  complete.output_extents.clear();
  return problem::check_request(complete, {}, {}).problem;
}

Transform padded_forward(const OperatorProblem& problem) {
  Transform forward = whole(problem);
  forward.input_extents = problem.forward.input_extents;
  return forward;
}
Transform cropped_backward(const OperatorProblem& problem) {
  Transform backward = inverse(whole(problem));
  backward.output_extents = problem.forward.output_extents;
  backward.normalization = Normalization::backward;
  return backward;
}

/// Half of a recipe's text.
std::string part_of(const std::string& text, bool is_second) {
  if (text.empty()) return "";
  const std::size_t between = text.find(steps_between);
  if (!text.starts_with(steps_head) || between == text.npos)
    throw Error(ErrorCode::invalid_argument,
                "the recipe does not fit this operator: '" + text.substr(0, 60) +
                    "...'; pass the text of an operator like this, or none to have one chosen");
  return is_second ? text.substr(between + steps_between.size())
                   : text.substr(steps_head.size(), between - steps_head.size());
}

}  // namespace

problem::ArrayProblem forward_problem(const OperatorProblem& problem) {
  return problem::check_request(padded_forward(problem), {}, {}).problem;
}

GpuSteps::GpuSteps(const OperatorProblem& problem, const gpu::ModeFunctionText& function,
                   const gpu::GpuDevice& device, const cuda::SpectralOptions& options)
    : problem_(problem),
      there_problem_(possible(padded_forward(problem), device)),
      back_problem_(possible(cropped_backward(problem), device)),
      there_recipe_(choose(there_problem_, device, options, part_of(options.recipe, false))),
      back_recipe_(choose(back_problem_, device, options, part_of(options.recipe, true))),
      there_(there_recipe_, there_problem_, device),
      back_(back_recipe_, back_problem_, device),
      kernel_(mode_grid(problem), function, problem.forward.precision, device) {
  const Transform& all = problem.forward;
  const Index bytes = in_element_bytes(all.kind, all.precision);
  using Work = gpu::PadKernel::Work;
  if (is_copied_before())
    pad_ = std::make_unique<gpu::PadKernel>(Work::pad, all.shape, all.input_extents, bytes, device);
  if (is_copied_after())
    crop_ =
        std::make_unique<gpu::PadKernel>(Work::crop, all.shape, all.output_extents, bytes, device);
}

gpu::TransformRecipe GpuSteps::choose(const problem::ArrayProblem& problem,
                                      const gpu::GpuDevice& device,
                                      const cuda::SpectralOptions& options,
                                      const std::string& text) const {
  const std::size_t kept = kept_bytes();
  if (kept > options.workspace_limit)
    throw Error(ErrorCode::out_of_memory,
                weft::format("the operator keeps spectra of {} bytes, SpectralOptions::"
                             "workspace_limit is {}; allow more",
                             kept, options.workspace_limit));
  return gpu::choose_recipe(problem, device,
                            {.device = options.device,
                             .effort = options.effort,
                             .time_limit_s = options.time_limit_s / 2,
                             .use_wisdom = options.use_wisdom,
                             .workspace_limit = options.workspace_limit - kept,
                             .recipe = text});
}

std::size_t GpuSteps::spectrum_bytes() const {
  const Index bytes = mode_grid(problem_).count() * gpu::stored_bytes(problem_.forward.precision);
  return static_cast<std::size_t>(round_up(bytes, workspace_alignment));
}
std::size_t GpuSteps::whole_bytes() const {
  if (!is_copied_before() && !is_copied_after()) return 0;
  Index bytes = in_element_bytes(problem_.forward.kind, problem_.forward.precision);
  for (const Index n : problem_.forward.shape) bytes *= n;
  return static_cast<std::size_t>(round_up(bytes, workspace_alignment));
}
std::size_t GpuSteps::kept_bytes() const {
  std::size_t bytes = whole_bytes();
  for (int f = 0; f < problem_.fields(); ++f)
    if (!lies_in_output(f)) bytes += spectrum_bytes();
  return bytes;
}
std::size_t GpuSteps::workspace_bytes() const {
  return kept_bytes() + std::max(there_.workspace_bytes(), back_.workspace_bytes());
}

void GpuSteps::run(std::span<const void* const> in, std::span<void* const> out, const void* numbers,
                   void* workspace, gpu::Stream stream) const {
  gpu::ModeKernel::Fields fields{};
  auto* memory = static_cast<char*>(workspace);
  for (int f = 0; f < problem_.fields(); ++f) {
    fields[at(f)] = lies_in_output(f) ? out[at(f)] : memory;
    if (!lies_in_output(f)) memory += spectrum_bytes();
  }
  void* const padded = memory;
  memory += whole_bytes();
  for (int f = 0; f < problem_.inputs; ++f) {
    if (pad_) pad_->run(in[at(f)], padded, stream);
    there_.run(pad_ ? padded : in[at(f)], fields[at(f)], memory, there_problem_.scale, stream);
  }
  kernel_.run(fields, numbers, stream);
  for (int f = 0; f < problem_.outputs; ++f) {
    back_.run(fields[at(f)], crop_ ? padded : out[at(f)], memory, back_problem_.scale, stream);
    if (crop_) crop_->run(padded, out[at(f)], stream);
  }
}

double GpuSteps::passes() const {
  const auto passes = [](const gpu::TransformRecipe& recipe) {
    return static_cast<double>(recipe.parts.front().passes.size());
  };
  return (problem_.inputs * (passes(there_recipe_) + (pad_ ? 1 : 0)) +
          problem_.outputs * (passes(back_recipe_) + (crop_ ? 1 : 0))) /
             problem_.fields() +
         1;
}

std::string GpuSteps::recipe() const {
  return std::string(steps_head) + to_text(there_recipe_, there_problem_) +
         std::string(steps_between) + to_text(back_recipe_, back_problem_);
}

std::string GpuSteps::explain(const gpu::GpuDevice& device) const {
  const gpu::DeviceNumbers numbers = gpu::numbers_of(device);
  std::string copies;
  if (pad_) copies += "a copy with zeros around it before each forward transform\n";
  if (crop_) copies += "a copy of the corner after each backward transform\n";
  return copies +
         weft::format("forward, {} time{}:\n", problem_.inputs, problem_.inputs == 1 ? "" : "s") +
         gpu::explain(there_recipe_, there_problem_, numbers) +
         "the function, as a pass of its own\n" +
         weft::format("backward, {} time{}:\n", problem_.outputs,
                      problem_.outputs == 1 ? "" : "s") +
         gpu::explain(back_recipe_, back_problem_, numbers);
}

}  // namespace weft::spectral
