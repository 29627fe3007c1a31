// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/fftw/plan.hpp"

#include <cstdio>
#include <set>

namespace weft::fftw {
namespace {

/// Below this weft::Plan takes its workspace from the stack.
constexpr std::size_t stack_bytes = 16 * 1024;

template <class T>
T* as(Real* memory) {
  return reinterpret_cast<T*>(memory);
}

/// Split arrays by the functions for split arrays, or given as one array to those for others.
SplitArray<Real> split_of(Real* real, Real* imag) {
  return {real, imag != nullptr ? imag : real + 1};
}

}  // namespace

void complain(const char* function, const std::string& what) noexcept {
  try {
    static std::mutex mutex;
    static std::set<std::string> said;
    const std::lock_guard lock(mutex);
    const std::string line = std::string("weft: ") + function + ": " + what + "\n";
    if (said.size() < 100 && said.insert(line).second) std::fputs(line.c_str(), stderr);
  } catch (...) {
    std::fputs("weft: out of memory\n", stderr);
  }
}

LocalPlan::LocalPlan(const Problem& problem, Plan plan, const PlanOptions& options)
    : PlanBase(run_of(problem, plan), problem.arrays),
      problem_(problem),
      plan_(std::move(plan)),
      options_(options) {
  if (run == &run_large) workspace_.emplace(plan_.make_workspace());
}

PlanBase::Run LocalPlan::run_of(const Problem& problem, const Plan& plan) {
  if (problem.in_split() || problem.out_split() || plan.workspace_bytes() > stack_bytes)
    return &run_large;
  switch (problem.kind) {
    case Kind::c2c: return &run_small<Complex, Complex>;
    case Kind::r2c: return &run_small<Real, Complex>;
    case Kind::c2r: return &run_small<Complex, Real>;
    case Kind::r2r: return &run_small<Real, Real>;
  }
  return &run_large;
}

template <class In, class Out>
void LocalPlan::run_small(PlanBase& base, const Arrays& arrays) {
  auto& self = static_cast<LocalPlan&>(base);
  try {
    self.plan_.execute(as<const In>(arrays.in), as<Out>(arrays.out));
  } catch (...) {
    self.refused(arrays);
  }
}

void LocalPlan::run_large(PlanBase& base, const Arrays& arrays) {
  auto& self = static_cast<LocalPlan&>(base);
  try {
    if (self.workspace_is_taken_.test_and_set(std::memory_order_acquire)) {
      Workspace another = self.plan_.make_workspace();
      return self.execute(self.plan_, arrays, another);
    }
    struct Release {
      std::atomic_flag& flag;
      ~Release() { flag.clear(std::memory_order_release); }
    } const release{self.workspace_is_taken_};
    self.execute(self.plan_, arrays, *self.workspace_);
  } catch (...) {
    self.refused(arrays);
  }
}

void LocalPlan::execute(const Plan& plan, const Arrays& a, Workspace& workspace) const {
  const auto with_output = [&](auto in) {
    if (problem_.out_split()) return plan.execute(in, split_of(a.out, a.out_imag), workspace);
    if (problem_.kind == Kind::c2c || problem_.kind == Kind::r2c)
      return plan.execute(in, as<Complex>(a.out), workspace);
    plan.execute(in, a.out, workspace);
  };
  if (problem_.in_split()) return with_output(split_of(a.in, a.in_imag));
  if (problem_.kind == Kind::c2c || problem_.kind == Kind::c2r)
    return with_output(as<const Complex>(a.in));
  with_output(static_cast<const Real*>(a.in));
}

/// FFTW leaves undefined what happens if arrays overlap that the plan was not made for. Here they
/// are transformed through a copy.
void LocalPlan::execute_with_copy(const Arrays& arrays) {
  const std::lock_guard lock(copying_mutex_);
  if (!copying_plan_) {
    const Request request = request_of(problem_);
    PlanOptions options = options_;
    options.in_place = true;
    options.effort = Effort::estimate;
    options.recipe.clear();
    copying_plan_.emplace(request.transform, request.input, request.output, options);
  }
  Workspace workspace = copying_plan_->make_workspace();
  execute(*copying_plan_, arrays, workspace);
}

void LocalPlan::refused(const Arrays& arrays) noexcept {
  try {
    execute_with_copy(arrays);
  } catch (const std::exception& error) {
    complain("execute", error.what());
  }
}

std::string LocalPlan::text() const {
  return "(weft " + text_of(problem_) + "\n  " + plan_.recipe() + ")";
}

}  // namespace weft::fftw
