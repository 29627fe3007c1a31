// SPDX-License-Identifier: BSD-3-Clause
// What an fftw_plan points to. Execution is one call through a pointer that was chosen when the
// plan was made, so that a small transform is little more than its kernel.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "dropins/fftw/problem.hpp"

/// A plan of any library of this drop-in: libfftw3_mpi's are executed by libfftw3's fftw_execute.
struct FFTW_NAME(plan_s) {
  using Arrays = weft::fftw::Arrays;
  using Run = void (*)(FFTW_NAME(plan_s) &, const Arrays&);

  FFTW_NAME(plan_s)(Run function, const Arrays& planned) : run(function), arrays(planned) {}
  virtual ~FFTW_NAME(plan_s)() = default;
  FFTW_NAME(plan_s)(const FFTW_NAME(plan_s) &) = delete;
  FFTW_NAME(plan_s) & operator=(const FFTW_NAME(plan_s) &) = delete;

  virtual std::string text() const = 0;
  virtual weft::PlanCost cost() const = 0;

  Run run;                       ///< does not throw
  Arrays arrays;                 ///< those that the plan was made for
  std::atomic<int> handles = 1;  ///< copies are the same plan
};

namespace weft::fftw {

using PlanBase = FFTW_NAME(plan_s);

/// A plan of one array on this machine.
class LocalPlan final : public PlanBase {
 public:
  LocalPlan(const Problem& problem, Plan plan, const PlanOptions& options);
  std::string text() const override;
  PlanCost cost() const override { return plan_.cost(); }
  std::string recipe() const { return plan_.recipe(); }

 private:
  static Run run_of(const Problem& problem, const Plan& plan);
  template <class In, class Out>
  static void run_small(PlanBase& base, const Arrays& arrays);
  static void run_large(PlanBase& base, const Arrays& arrays);

  void execute(const Plan& plan, const Arrays& arrays, Workspace& workspace) const;
  void execute_with_copy(const Arrays& arrays);
  void refused(const Arrays& arrays) noexcept;

  Problem problem_;
  Plan plan_;
  PlanOptions options_;
  // For executions at the same time only the first has the plan's own workspace.
  std::optional<Workspace> workspace_;
  std::atomic_flag workspace_is_taken_;
  // Made when arrays overlap that did not when the plan was made.
  std::mutex copying_mutex_;
  std::optional<Plan> copying_plan_;
};

/// Tells the user, once per kind of message, what a function that returns nothing cannot say.
void complain(const char* function, const std::string& what) noexcept;

}  // namespace weft::fftw
