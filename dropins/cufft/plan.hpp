// SPDX-License-Identifier: BSD-3-Clause
// What a cufftHandle stands for: settings, and either plans of weft or a plan of cuFFT.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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

  /// Lets cuFFT do everything from now on, and calls `then` with its handle.
  Result hand_over(const std::function<Result(Handle)>& then);

 private:
  Result make_handle_in_cufft();
  Result plan_in_cufft();
  Result give_to_cufft();
  const cuda::Plan& plan_for(const Variant& variant);
  cuda::Workspace& workspace_for(const cuda::Plan& plan);
  Result run(const void* in, void* out, const Variant& variant);

  mutable std::mutex mutex_;
  int device_;
  bool allocates_ = true;
  cuda::Stream stream_;
  void* work_area_ = nullptr;
  std::optional<Request> request_;
  std::vector<std::pair<Variant, std::unique_ptr<cuda::Plan>>> plans_;
  Size planned_bytes_ = 0;  ///< that the program knows of
  std::optional<cuda::Workspace> workspace_;
  std::optional<Handle> handle_in_cufft_;
};

/// Whether cuFFT was measured to be faster at this than weft's default plan (docs/dropins.md).
bool is_faster_in_cufft(const Request& request);

}  // namespace weft::cufft
