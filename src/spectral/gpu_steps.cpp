// SPDX-License-Identifier: BSD-3-Clause
#include "spectral/gpu_steps.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/index.hpp"
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
  return problem::check_request(whole(problem), {}, {}).problem;
}
problem::ArrayProblem backward_problem(const OperatorProblem& problem) {
  Transform backward = inverse(whole(problem));
  backward.normalization = Normalization::backward;
  return problem::check_request(backward, {}, {}).problem;
}

GpuSteps::GpuSteps(const OperatorProblem& problem, const gpu::ModeFunctionText& function,
                   const gpu::GpuDevice& device, const cuda::SpectralOptions& options)
    : problem_(problem),
      there_problem_(forward_problem(problem)),
      back_problem_(backward_problem(problem)),
      there_recipe_(choose(there_problem_, device, options, part_of(options.recipe, false))),
      back_recipe_(choose(back_problem_, device, options, part_of(options.recipe, true))),
      there_(there_recipe_, there_problem_, device),
      back_(back_recipe_, back_problem_, device),
      kernel_(mode_grid(problem), function, problem.forward.precision, device) {}

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
std::size_t GpuSteps::kept_bytes() const {
  std::size_t bytes = 0;
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
  for (int f = 0; f < problem_.inputs; ++f)
    there_.run(in[at(f)], fields[at(f)], memory, there_problem_.scale, stream);
  kernel_.run(fields, numbers, stream);
  for (int f = 0; f < problem_.outputs; ++f)
    back_.run(fields[at(f)], out[at(f)], memory, back_problem_.scale, stream);
}

double GpuSteps::passes() const {
  const auto passes = [](const gpu::TransformRecipe& recipe) {
    return static_cast<double>(recipe.parts.front().passes.size());
  };
  return (problem_.inputs * passes(there_recipe_) + problem_.outputs * passes(back_recipe_)) /
             problem_.fields() +
         1;
}

std::string GpuSteps::recipe() const {
  return std::string(steps_head) + to_text(there_recipe_, there_problem_) +
         std::string(steps_between) + to_text(back_recipe_, back_problem_);
}

std::string GpuSteps::explain(const gpu::GpuDevice& device) const {
  const gpu::DeviceNumbers numbers = gpu::numbers_of(device);
  return weft::format("forward, {} time{}:\n", problem_.inputs, problem_.inputs == 1 ? "" : "s") +
         gpu::explain(there_recipe_, there_problem_, numbers) +
         "the function, as a pass of its own\n" +
         weft::format("backward, {} time{}:\n", problem_.outputs,
                      problem_.outputs == 1 ? "" : "s") +
         gpu::explain(back_recipe_, back_problem_, numbers);
}

}  // namespace weft::spectral
