// SPDX-License-Identifier: BSD-3-Clause
// The public Plan: check the request, choose a recipe, build it. Execution only checks pointers.
#include "weft/plan.hpp"

#include <mutex>
#include <variant>

#include "formula/print.hpp"
#include "local/array/array_plan.hpp"
#include "local/array/array_report.hpp"
#include "local/choose/machine_model.hpp"
#include "local/choose/planner.hpp"
#include "problem/overlap.hpp"
#include "problem/request.hpp"

namespace weft {

struct Plan::Impl {
  using ArrayPlan = std::variant<local::ArrayPlan<float>, local::ArrayPlan<double>>;
  static constexpr std::size_t stack_bytes = 16 * 1024;

  problem::CheckedRequest request;
  std::vector<Index> in_shape, out_shape;
  std::shared_ptr<const Executor> executor;
  local::ArrayRecipe recipe;
  ArrayPlan plan;
  // What every execution looks at.
  Element input, output;
  problem::Apartness apartness;
  local::KernelCall call;  // where one kernel is the whole plan
  std::size_t workspace_bytes;

  std::mutex own_workspace_mutex;
  std::optional<Workspace> own_workspace;

  static std::shared_ptr<const Executor> executor_for(const PlanOptions& options) {
    if (options.executor) return options.executor;
    if (options.threads < 0)
      throw Error(ErrorCode::invalid_argument, "threads is " + std::to_string(options.threads) +
                                                   "; give a positive number, or 0 for all cores");
    return options.threads == 1 ? serial_executor() : openmp_executor(options.threads);
  }

  static local::ArrayRecipe recipe_for(const problem::ArrayProblem& problem,
                                       const std::shared_ptr<const Executor>& executor,
                                       const PlanOptions& options) {
    problem::check_effort(options.effort);
    // A tenth of the time limit at the most.
    if (options.effort != Effort::estimate && options.recipe.empty() && options.time_limit_s >= 3)
      local::learn_speeds(options.use_wisdom);
    return local::choose_recipe(problem, {.effort = options.effort,
                                          .time_limit_s = options.time_limit_s,
                                          .executor = executor,
                                          .use_wisdom = options.use_wisdom,
                                          .recipe = options.recipe});
  }

  static ArrayPlan build(const local::ArrayRecipe& recipe, const problem::ArrayProblem& problem,
                         const std::shared_ptr<const Executor>& executor) {
    if (problem.precision == Precision::f64)
      return local::ArrayPlan<double>(recipe, problem, executor);
    return local::ArrayPlan<float>(recipe, problem, executor);
  }

  Impl(const Transform& transform, const Layout& input, const Layout& output,
       const PlanOptions& options)
      : request(problem::check_request(transform, input, output, options.in_place)),
        executor(executor_for(options)),
        recipe(recipe_for(request.problem, executor, options)),
        plan(build(recipe, request.problem, executor)),
        input{request.transform.precision, in_width(request.problem.kind) == 2},
        output{request.transform.precision, out_width(request.problem.kind) == 2},
        apartness(request.problem),
        call(std::visit([](const auto& built) { return built.as_one_call(); }, plan)),
        workspace_bytes(
            call ? 0
                 : std::visit([](const auto& built) { return built.workspace_bytes(); }, plan)) {
    in_shape = request.problem.in_shape();
    out_shape = request.problem.out_shape();
  }

  /// Is nothing wrong for certain? Else check() tells.
  bool is_plain(Element in_type, const void* in, Element out_type, const void* out) const {
    return in_type == input && out_type == output && apartness.is_certain(in, out);
  }
  void check(Element in_type, const void* in, Element out_type, const void* out) const {
    if (is_plain(in_type, in, out_type, out)) [[likely]]
      return;
    check_elements(in_type, input, "input");
    check_elements(out_type, output, "output");
    check_storage(request.problem.extras.in_split, "input", nullptr);
    check_storage(request.problem.extras.out_split, "output", nullptr);
    check_memory(in, out);
  }

  void check_workspace(const Workspace& workspace) const {
    if (workspace.bytes() >= workspace_bytes) return;
    throw Error(ErrorCode::invalid_argument,
                "the workspace has " + std::to_string(workspace.bytes()) +
                    " bytes, the plan needs " + std::to_string(workspace_bytes) +
                    "; make it with plan.make_workspace()");
  }
  void check_elements(Element type, Element planned, const char* side) const {
    if (type == planned) return;
    throw Error(ErrorCode::invalid_argument,
                std::string("the plan's ") + side + " is " +
                    (planned.is_complex ? "complex " : "real ") + to_string(planned.precision) +
                    ", the array given is " + (type.is_complex ? "complex " : "real ") +
                    to_string(type.precision) +
                    "; pass arrays of the planned type or plan for this one");
  }

  void check_pointer(const void* array) const {
    if (array == nullptr)
      throw Error(ErrorCode::invalid_argument,
                  "a null pointer was passed as an array; pass allocated memory");
    const auto real = static_cast<std::uintptr_t>(real_bytes(request.transform.precision));
    if (reinterpret_cast<std::uintptr_t>(array) % real != 0)
      throw Error(ErrorCode::invalid_argument,
                  "an array is not aligned to its element type; align it to " +
                      std::to_string(real) + " bytes");
  }

  void check_memory(const void* in, const void* out) const {
    if (request.problem.is_empty()) return;
    check_pointer(in);
    check_pointer(out);
    if (!request.problem.extras.in_place && problem::overlap_harmfully(request.problem, in, out))
      refuse_overlap();
  }
  [[noreturn]] static void refuse_overlap() {
    throw Error(
        ErrorCode::invalid_argument,
        "input and output share memory without being the same array; make them identical (same "
        "pointer and strides; r2c and c2r in place need padded rows) or disjoint, or plan with "
        "PlanOptions::in_place");
  }

  void check_storage(bool is_split, const char* side, const void* imag) const {
    if (is_split == (imag != nullptr)) return;
    throw Error(ErrorCode::invalid_argument,
                std::string("the plan's ") + side + " has complex numbers that are " +
                    (is_split ? "split: pass a SplitArray of two pointers"
                              : "not split: pass one pointer, or plan with "
                                "Layout{.storage = ComplexStorage::split}"));
  }
  void check_split_memory(const problem::SplitPointers& in,
                          const problem::SplitPointers& out) const {
    if (request.problem.is_empty()) return;
    for (const problem::SplitPointers& side : {in, out}) {
      check_pointer(side.data);
      if (side.imag != nullptr) check_pointer(side.imag);
    }
    if (problem::overlap_harmfully(request.problem, in, out)) refuse_overlap();
    if (problem::shares_memory_with_itself(request.problem, out))
      throw Error(ErrorCode::invalid_argument,
                  "the real and the imaginary parts of the output share memory; give them memory "
                  "of their own");
  }

  /// Reals from the real to the imaginary parts.
  Index apart(const problem::SplitPointers& side) const {
    if (side.imag == nullptr) return 1;
    return (reinterpret_cast<std::intptr_t>(side.imag) -
            reinterpret_cast<std::intptr_t>(side.data)) /
           real_bytes(request.transform.precision);
  }

  // Not in line: executions that are one call of a kernel would save registers for them.
  [[gnu::noinline]] void check_and_run(Element in_type, const void* in, Element out_type, void* out,
                                       const Workspace& workspace) const {
    check(in_type, in, out_type, out);
    check_workspace(workspace);
    run(in, out, workspace.data());
  }
  [[gnu::noinline]] void check_and_run(Element in_type, const void* in, Element out_type,
                                       void* out) {
    check(in_type, in, out_type, out);
    if (workspace_bytes <= stack_bytes) return run_on_stack(in, out);
    const std::lock_guard lock(own_workspace_mutex);
    run(in, out, made_workspace().data());
  }

  void run(const void* in, void* out, void* workspace) const {
    std::visit([&](const auto& built) { built.execute(in, out, workspace); }, plan);
  }
  /// Small workspaces cost nothing on the stack: no lock, and nobody waits.
  [[gnu::noinline]] void run_on_stack(const void* in, void* out) const {
    alignas(64) char workspace[stack_bytes];
    run(in, out, workspace);
  }
  /// The plan's own; under its lock.
  Workspace& made_workspace() {
    if (!own_workspace) own_workspace.emplace(workspace_bytes);
    return *own_workspace;
  }
};

Plan::Plan(const Transform& transform, const Layout& input, const Layout& output,
           const PlanOptions& options)
    : impl_(std::make_unique<Impl>(transform, input, output, options)) {}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

std::size_t Plan::workspace_bytes() const { return impl_->workspace_bytes; }

void Plan::run(Element in_type, const void* in, Element out_type, void* out,
               Workspace& workspace) const {
  const Impl& impl = *impl_;
  if (impl.call && impl.is_plain(in_type, in, out_type, out)) [[likely]]
    return impl.call(in, out);
  impl.check_and_run(in_type, in, out_type, out, workspace);
}

void Plan::run_with_own_workspace(Element in_type, const void* in, Element out_type,
                                  void* out) const {
  Impl& impl = *impl_;
  if (impl.call && impl.is_plain(in_type, in, out_type, out)) [[likely]]
    return impl.call(in, out);
  impl.check_and_run(in_type, in, out_type, out);
}

void Plan::run_split(const Operand& in, const Operand& out, Workspace* workspace) const {
  const auto& problem = impl_->request.problem;
  impl_->check_elements(in.type, impl_->input, "input");
  impl_->check_elements(out.type, impl_->output, "output");
  const problem::SplitPointers from{in.data, in.imag}, to{out.data, out.imag};
  if (!problem.is_empty()) {
    impl_->check_storage(problem.extras.in_split, "input", in.imag);
    impl_->check_storage(problem.extras.out_split, "output", out.imag);
  }
  impl_->check_split_memory(from, to);
  std::unique_lock<std::mutex> lock(impl_->own_workspace_mutex, std::defer_lock);
  if (workspace == nullptr) {
    lock.lock();
    workspace = &impl_->made_workspace();
  }
  impl_->check_workspace(*workspace);
  std::visit(
      [&](const auto& plan) {
        plan.execute(in.data, const_cast<void*>(out.data), workspace->data(), impl_->apart(from),
                     impl_->apart(to));
      },
      impl_->plan);
}

void Plan::check_view(std::span<const Index> extents, std::span<const Index> strides,
                      Side side) const {
  const bool input = side == Side::input;
  const auto& wanted_extents = input ? impl_->in_shape : impl_->out_shape;
  const auto& wanted_strides = input ? input_strides() : output_strides();
  problem::check_view(extents, strides, wanted_extents, wanted_strides, input ? "input" : "output");
}

void Plan::check_length(Index length, Side side) const {
  const bool input = side == Side::input;
  const auto& strides = input ? input_strides() : output_strides();
  const auto& shape = input ? impl_->in_shape : impl_->out_shape;
  if (impl_->request.problem.is_empty()) return;
  Index needed = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] < 0)
      throw Error(ErrorCode::invalid_argument,
                  "a vector or span cannot hold an array with negative strides; pass a pointer or "
                  "a View");
    needed += (shape[d] - 1) * strides[d];
  }
  if (length >= needed) return;
  throw Error(ErrorCode::invalid_argument, std::string("the ") + (input ? "input" : "output") +
                                               " array has " + std::to_string(length) +
                                               " elements, the plan needs " +
                                               std::to_string(needed) + "; pass a longer one");
}

const Transform& Plan::transform() const { return impl_->request.transform; }
std::vector<Index> Plan::input_shape() const { return impl_->in_shape; }
std::vector<Index> Plan::output_shape() const { return impl_->out_shape; }
const std::vector<Index>& Plan::input_strides() const { return impl_->request.in_strides; }
const std::vector<Index>& Plan::output_strides() const { return impl_->request.out_strides; }

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
