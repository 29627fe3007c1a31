// SPDX-License-Identifier: BSD-3-Clause
// The public Plan: check the request, choose a recipe, build it. Execution only checks pointers.
#include "weft/plan.hpp"

#include <mutex>
#include <variant>

#include "api/problem.hpp"
#include "api/wisdom_store.hpp"
#include "formula/print.hpp"
#include "local/array_plan.hpp"
#include "local/planner.hpp"

namespace weft {

struct Plan::Impl {
  api::CheckedRequest request;
  std::vector<Index> in_shape, out_shape;
  std::shared_ptr<const Executor> executor;
  local::ArrayRecipe recipe;
  std::variant<local::ArrayPlan<float>, local::ArrayPlan<double>> plan;
  std::mutex own_workspace_mutex;
  std::optional<Workspace> own_workspace;

  static std::shared_ptr<const Executor> executor_for(const PlanOptions& options) {
    if (options.executor) return options.executor;
    if (options.threads < 0)
      throw Error(ErrorCode::invalid_argument, "threads is " + std::to_string(options.threads) +
                                                   "; give a positive number, or 0 for all cores");
    return options.threads == 1 ? serial_executor() : openmp_executor(options.threads);
  }

  static local::ArrayRecipe recipe_for(const local::ArrayProblem& problem,
                                       const std::shared_ptr<const Executor>& executor,
                                       const PlanOptions& options) {
    const std::string name =
        local::to_text(problem) + " threads " + std::to_string(executor->concurrency());
    if (options.use_wisdom && options.effort != Effort::patient)
      if (const auto text = api::find_wisdom(name)) {
        local::ArrayRecipe recipe = local::parse_array_recipe(*text);
        if (local::fits(recipe, problem)) return recipe;
      }
    const local::ArrayRecipe recipe = local::choose_recipe(
        problem,
        {.effort = options.effort, .time_limit_s = options.time_limit_s, .executor = executor});
    if (options.use_wisdom && options.effort != Effort::estimate)
      api::add_wisdom(name, local::to_text(recipe));
    return recipe;
  }

  static std::variant<local::ArrayPlan<float>, local::ArrayPlan<double>> build(
      const local::ArrayRecipe& recipe, const local::ArrayProblem& problem,
      const std::shared_ptr<const Executor>& executor) {
    if (problem.precision == Precision::f64)
      return local::ArrayPlan<double>(recipe, problem, executor);
    return local::ArrayPlan<float>(recipe, problem, executor);
  }

  Impl(const Transform& transform, const Layout& input, const Layout& output,
       const PlanOptions& options)
      : request(api::check_request(transform, input, output)),
        executor(executor_for(options)),
        recipe(recipe_for(request.problem, executor, options)),
        plan(build(recipe, request.problem, executor)) {
    for (int d = 0; d < static_cast<int>(request.transform.shape.size()); ++d) {
      in_shape.push_back(request.problem.in_extent(d));
      out_shape.push_back(request.problem.out_extent(d));
    }
  }

  void check_elements(Element type, bool is_complex, const char* side) const {
    static constexpr const char* names[] = {"f16", "f32", "f64"};
    if (type.precision == request.transform.precision && type.is_complex == is_complex) return;
    throw Error(ErrorCode::invalid_argument,
                std::string("the plan's ") + side + " is " + (is_complex ? "complex " : "real ") +
                    names[static_cast<int>(request.transform.precision)] + ", the array given is " +
                    (type.is_complex ? "complex " : "real ") +
                    names[static_cast<int>(type.precision)] +
                    "; pass arrays of the planned type or plan for this one");
  }

  void check_memory(const void* in, const void* out) const {
    if (in == nullptr || out == nullptr)
      throw Error(ErrorCode::invalid_argument,
                  "a null pointer was passed as an array; pass allocated memory");
    const std::uintptr_t real = request.transform.precision == Precision::f64   ? 8
                                : request.transform.precision == Precision::f32 ? 4
                                                                                : 2;
    if (reinterpret_cast<std::uintptr_t>(in) % real != 0 ||
        reinterpret_cast<std::uintptr_t>(out) % real != 0)
      throw Error(ErrorCode::invalid_argument,
                  "an array is not aligned to its element type; align it to " +
                      std::to_string(real) + " bytes");
    if (api::overlap_harmfully(request.problem, in, out))
      throw Error(
          ErrorCode::invalid_argument,
          "input and output share memory without being the same array; make them identical (same "
          "pointer and strides; r2c and c2r in place need padded rows) or disjoint");
  }
};

Plan::Plan(const Transform& transform, const Layout& input, const Layout& output,
           const PlanOptions& options)
    : impl_(std::make_unique<Impl>(transform, input, output, options)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

std::size_t Plan::workspace_bytes() const noexcept {
  return std::visit([](const auto& plan) { return plan.workspace_bytes(); }, impl_->plan);
}

void Plan::run(Element in_type, const void* in, Element out_type, void* out,
               Workspace& workspace) const {
  impl_->check_elements(in_type, impl_->request.problem.in_width() == 2, "input");
  impl_->check_elements(out_type, impl_->request.problem.out_width() == 2, "output");
  impl_->check_memory(in, out);
  if (workspace.bytes() < workspace_bytes())
    throw Error(ErrorCode::invalid_argument,
                "the workspace has " + std::to_string(workspace.bytes()) +
                    " bytes, the plan needs " + std::to_string(workspace_bytes()) +
                    "; make it with plan.make_workspace()");
  std::visit([&](const auto& plan) { plan.execute(in, out, workspace.data()); }, impl_->plan);
}

void Plan::run_with_own_workspace(Element in_type, const void* in, Element out_type,
                                  void* out) const {
  const std::lock_guard lock(impl_->own_workspace_mutex);
  if (!impl_->own_workspace) impl_->own_workspace.emplace(workspace_bytes());
  run(in_type, in, out_type, out, *impl_->own_workspace);
}

void Plan::check_view(std::span<const Index> extents, std::span<const Index> strides,
                      Side side) const {
  const bool input = side == Side::input;
  const auto& wanted_extents = input ? impl_->in_shape : impl_->out_shape;
  const auto& wanted_strides = input ? input_strides() : output_strides();
  api::check_view(extents, strides, wanted_extents, wanted_strides, input ? "input" : "output");
}

void Plan::check_length(Index length, Side side) const {
  const bool input = side == Side::input;
  const auto& strides = input ? input_strides() : output_strides();
  const auto& shape = input ? impl_->in_shape : impl_->out_shape;
  Index needed = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] < 0)
      throw Error(ErrorCode::invalid_argument,
                  "a span cannot hold an array with negative strides; pass a pointer or a View");
    needed += (shape[d] - 1) * strides[d];
  }
  if (length >= needed) return;
  throw Error(ErrorCode::invalid_argument,
              std::string("the ") + (input ? "input" : "output") + " span has " +
                  std::to_string(length) + " elements, the plan needs " + std::to_string(needed));
}

const Transform& Plan::transform() const noexcept { return impl_->request.transform; }
std::vector<Index> Plan::input_shape() const { return impl_->in_shape; }
std::vector<Index> Plan::output_shape() const { return impl_->out_shape; }
const std::vector<Index>& Plan::input_strides() const noexcept { return impl_->request.in_strides; }
const std::vector<Index>& Plan::output_strides() const noexcept {
  return impl_->request.out_strides;
}

std::string Plan::recipe() const { return local::to_text(impl_->recipe); }
std::string Plan::tree() const { return local::tree_of(impl_->recipe, impl_->request.problem); }
std::string Plan::formula() const {
  return formula::print(local::formula_of(impl_->recipe, impl_->request.problem));
}
std::string Plan::formula_latex() const {
  return formula::print_latex(local::formula_of(impl_->recipe, impl_->request.problem));
}
PlanCost Plan::cost() const {
  return local::cost_of(impl_->recipe, impl_->request.problem, impl_->executor->concurrency());
}

}  // namespace weft
