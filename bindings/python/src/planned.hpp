// SPDX-License-Identifier: BSD-3-Clause
// Planned: a plan that any number of Python threads may run at the same time, and those of earlier
// calls.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "plan_cache.hpp"

namespace weft::python {

/// The pool of threads that all plans for so many threads share; null for one thread.
std::shared_ptr<const Executor> executor_for(int threads);

class Planned {
 public:
  Planned(const Transform& transform, const Layout& input, const Layout& output,
          const PlanOptions& options);
  ~Planned();
  /// Lets other Python threads run meanwhile, unless that would cost more than the transform.
  void run(const void* input, void* output);
  const Plan& plan() const { return plan_; }
  /// The way back, with the same options.
  std::shared_ptr<Planned> inverse() const;

 private:
  void run_now(const void* input, void* output);
  void execute(const void* input, void* output, Workspace* workspace) const;
  template <class Real>
  void execute_as(const void* input, void* output, Workspace* workspace) const;

  PlanOptions options_;
  Plan plan_;
  std::size_t workspace_bytes_;
  bool is_short_;
  std::mutex mutex_;
  std::vector<Workspace> idle_;  // of calls that are over, for the next ones
};

/// The plan of a request: that of an earlier one, or a new one. Call it with the GIL.
std::shared_ptr<Planned> planned(const Request& request);
CacheInfo cache_info();
void set_cache_limit(std::size_t plans);
void clear_cache();

/// A new plan that the cache does not have, made by the effort that is asked for.
std::shared_ptr<Planned> plan_anew(const Request& request, Effort effort);

}  // namespace weft::python
