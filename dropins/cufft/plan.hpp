// SPDX-License-Identifier: BSD-3-Clause
// What a cufftHandle stands for: settings, and either plans of weft or a plan of cuFFT.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dropins/cufft/report.hpp"
#include "dropins/cufft/request.hpp"
#include "weft/cuda.hpp"

namespace weft::cufft {

/// Threads may call the functions of one object; they take turns.
class HandlePlan {
 public:
  explicit HandlePlan(int device) : device_(device) {}
  ~HandlePlan();
  HandlePlan(const HandlePlan&) = delete;
  HandlePlan& operator=(const HandlePlan&) = delete;

  /// Plans on weft, or in cuFFT where weft cannot or should not do it.
  Result make(const Request& request, Size* work_bytes);
  Result work_bytes(Size* bytes) const;
  Result set_auto_allocation(bool is_on);
  Result set_work_area(void* memory);
  Result set_stream(void* stream);
  Result set_device(int device);

  /// `type` is that of the function that was called; nullopt: the planned one.
  Result execute(const void* in, void* out, int sign, std::optional<TypePair> type);

  /// Lets cuFFT do everything from now on, because `why`, and calls `then` with its handle.
  Result hand_over(const std::string& why, const std::function<Result(Handle)>& then);
  /// An execution by a function that only cuFFT has.
  void count_in_cufft();

 private:
  Result make_handle_in_cufft();
  Result plan_in_cufft();
  Result give_to_cufft(const std::string& why);
  const cuda::Plan& plan_for(const Variant& variant);
  cuda::Workspace& workspace_for(const cuda::Plan& plan);
  report::Row* row_for(const Variant& variant, const cuda::Plan* plan);
  Result run(const void* in, void* out, const Variant& variant);
  Result run_in_cufft(const void* in, void* out, int sign, const Variant& variant);

  mutable std::mutex mutex_;
  int device_;
  bool allocates_ = true;
  cuda::Stream stream_;
  void* work_area_ = nullptr;
  std::optional<Request> request_;
  std::vector<std::pair<Variant, std::unique_ptr<cuda::Plan>>> plans_;
  Size planned_bytes_ = 0;                            ///< that the program knows of
  std::optional<cuda::Workspace> program_workspace_;  ///< at work_area_
  /// The plan's own. None is freed for a larger one: a graph may hold it.
  std::vector<cuda::Workspace> own_workspaces_;
  std::optional<Handle> handle_in_cufft_;
  std::string why_in_cufft_;
  std::vector<std::pair<Variant, report::Row*>> rows_;  ///< of what was executed, for the report
};

/// Whether cuFFT was measured to be faster at this than weft's default plan (docs/dropins.md).
bool is_faster_in_cufft(const Request& request);

}  // namespace weft::cufft
