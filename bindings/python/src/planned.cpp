// SPDX-License-Identifier: BSD-3-Clause
#include "planned.hpp"

#include <atomic>
#include <complex>
#include <map>

namespace weft::python {
namespace {

/// Below this many points a transform takes about as long as giving the GIL up and taking it back.
constexpr Index short_count = 1024;
/// Workspaces are kept for the next call of a plan while those of all plans are no larger than
/// this.
constexpr std::size_t kept_workspace_bytes = std::size_t{256} << 20;
std::atomic<std::size_t> idle_workspace_bytes = 0;
/// What Plan::execute takes from the stack.
constexpr std::size_t stack_workspace_bytes = 16 * 1024;

/// Never destroyed: threads of Python may outlive the module.
PlanCache<Planned>& cache() {
  static auto* const instance = new PlanCache<Planned>;
  return *instance;
}

}  // namespace

std::shared_ptr<const Executor> executor_for(int threads) {
  if (threads <= 1) return serial_executor();
  static std::mutex mutex;
  static auto* const executors = new std::map<int, std::shared_ptr<const Executor>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Executor>& executor = (*executors)[threads];
  if (!executor) executor = thread_executor(threads);
  return executor;
}

Planned::Planned(const Transform& transform, const Layout& input, const Layout& output,
                 const PlanOptions& options)
    : options_(options),
      plan_(transform, input, output, options),
      workspace_bytes_(plan_.workspace_bytes()) {
  Index points = 1;
  for (const Index n : transform.shape) points *= n;
  is_short_ = points <= short_count && workspace_bytes_ <= stack_workspace_bytes;
}

std::shared_ptr<Planned> Planned::inverse() const {
  PlanOptions options = options_;
  options.recipe.clear();
  return std::make_shared<Planned>(weft::inverse(plan_.transform()), Layout{plan_.output_strides()},
                                   Layout{plan_.input_strides()}, options);
}

template <class Real>
void Planned::execute_as(const void* input, void* output, Workspace* workspace) const {
  using Complex = std::complex<Real>;
  const auto go = [&](const auto* in, auto* out) {
    if (workspace)
      plan_.execute(in, out, *workspace);
    else
      plan_.execute(in, out);
  };
  switch (plan_.transform().kind) {
    case Kind::c2c: return go(static_cast<const Complex*>(input), static_cast<Complex*>(output));
    case Kind::r2c: return go(static_cast<const Real*>(input), static_cast<Complex*>(output));
    case Kind::c2r: return go(static_cast<const Complex*>(input), static_cast<Real*>(output));
    case Kind::r2r: return go(static_cast<const Real*>(input), static_cast<Real*>(output));
  }
}

void Planned::execute(const void* input, void* output, Workspace* workspace) const {
  if (plan_.transform().precision == Precision::f32)
    execute_as<float>(input, output, workspace);
  else
    execute_as<double>(input, output, workspace);
}

void Planned::run_now(const void* input, void* output) {
  if (workspace_bytes_ <= stack_workspace_bytes) return execute(input, output, nullptr);
  Workspace workspace(std::size_t{0});
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      workspace = std::move(idle_.back());
      idle_.pop_back();
      idle_workspace_bytes -= workspace_bytes_;
    }
  }
  if (workspace.bytes() < workspace_bytes_) workspace = Workspace(workspace_bytes_);
  execute(input, output, &workspace);
  if (idle_workspace_bytes + workspace_bytes_ > kept_workspace_bytes) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(workspace));
  idle_workspace_bytes += workspace_bytes_;
}

Planned::~Planned() { idle_workspace_bytes -= idle_.size() * workspace_bytes_; }

void Planned::run(const void* input, void* output) {
  if (is_short_) return execute(input, output, nullptr);
  const nb::gil_scoped_release released;
  run_now(input, output);
}

std::shared_ptr<Planned> plan_anew(const Request& request, Effort effort) {
  const nb::gil_scoped_release released;
  PlanOptions options{.effort = effort, .in_place = request.in_place};
  options.executor = executor_for(request.threads);
  return std::make_shared<Planned>(request.transform(), request.input_layout(),
                                   request.output_layout(), options);
}

std::shared_ptr<Planned> planned(const Request& request) {
  const Key key(request);
  std::shared_ptr<Planned> plan = cache().find(key);
  if (!plan) {
    plan = plan_anew(request, Effort::estimate);
    cache().add(key, plan);
  }
  return plan;
}

CacheInfo cache_info() { return cache().info(); }
void set_cache_limit(std::size_t plans) { cache().set_limit(plans); }
void clear_cache() { cache().clear(); }

}  // namespace weft::python
