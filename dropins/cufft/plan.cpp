// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/cufft/plan.hpp"

#include <algorithm>

#include "dropins/cufft/driver.hpp"
#include "dropins/cufft/real_cufft.hpp"
#include "weft/error.hpp"

namespace weft::cufft {
namespace {

/// Runs `action`, which returns a Result, and turns exceptions into one, and into words.
template <class Action>
Result guarded(const Action& action, std::string* why = nullptr) noexcept {
  try {
    return action();
  } catch (const Error& error) {
    if (why != nullptr) *why = error.what();
    if (error.code() == ErrorCode::out_of_memory) return alloc_failed;
    if (error.code() == ErrorCode::invalid_argument) return invalid_value;
    return error.code() == ErrorCode::unsupported ? not_supported : internal_error;
  } catch (const std::bad_alloc&) {
    return alloc_failed;
  } catch (...) {
    return internal_error;
  }
}

}  // namespace

HandlePlan::~HandlePlan() {
  if (handle_in_cufft_) call_cufft("cufftDestroy", *handle_in_cufft_);
}

/// Variants other than the first are planned when they are executed first. That may be while the
/// program captures a stream.
const cuda::Plan& HandlePlan::plan_for(const Variant& variant) {
  for (const auto& [made, plan] : plans_)
    if (made == variant) return *plan;
  const BesideCapture beside;
  const PlannedTransform planned = transform_of(*request_, variant);
  plans_.emplace_back(variant,
                      std::make_unique<cuda::Plan>(planned.transform, planned.input, planned.output,
                                                   cuda::PlanOptions{.device = device_}));
  return *plans_.back().second;
}

Result HandlePlan::make_handle_in_cufft() {
  Handle handle = 0;
  if (const Result result = call_cufft("cufftCreate", &handle); result != success) return result;
  handle_in_cufft_ = handle;
  if (stream_.handle != nullptr) call_cufft("cufftSetStream", handle, stream_.handle);
  return call_cufft("cufftSetAutoAllocation", handle, static_cast<int>(allocates_));
}

Result HandlePlan::plan_in_cufft() {
  std::vector<Long> n = request_->lengths;
  Side in = request_->in.value_or(Side{}), out = request_->out.value_or(Side{});
  Size bytes = 0;
  const Result result = call_cufft(
      "cufftXtMakePlanMany", *handle_in_cufft_, static_cast<int>(n.size()), n.data(),
      request_->in ? in.embed.data() : nullptr, in.stride, in.distance, request_->types.input,
      request_->out ? out.embed.data() : nullptr, out.stride, out.distance, request_->types.output,
      request_->batch, &bytes, request_->types.execution);
  if (result == success && work_area_ != nullptr)
    call_cufft("cufftSetWorkArea", *handle_in_cufft_, work_area_);
  return result;
}

Result HandlePlan::give_to_cufft(const std::string& why) {
  if (handle_in_cufft_) return success;
  const BesideCapture beside;
  Result result = make_handle_in_cufft();
  if (result == success && request_) result = plan_in_cufft();
  if (result == success) {
    plans_.clear();
    program_workspace_.reset();
    own_workspaces_.clear();
    rows_.clear();
    why_in_cufft_ = why;
  } else if (handle_in_cufft_) {
    call_cufft("cufftDestroy", *handle_in_cufft_);
    handle_in_cufft_.reset();
  }
  return result;
}

Result HandlePlan::hand_over(const std::string& why, const std::function<Result(Handle)>& then) {
  const std::lock_guard lock(mutex_);
  return guarded([&] {
    if (const Result result = give_to_cufft(why); result != success) return result;
    return then(*handle_in_cufft_);
  });
}

Result HandlePlan::make(const Request& request, Size* work_bytes) {
  const std::lock_guard lock(mutex_);
  return guarded([&] {
    if (request_) return invalid_plan;  // a handle is planned once
    Result result = check(request);
    if (result != success) return result;
    request_ = request;
    std::string why =
        request.is_for_cufft ? "weft has no such types" : "it was measured to be faster";
    const bool has_choice = !handle_in_cufft_ && !request.is_for_cufft;
    if (has_choice && !(is_faster_in_cufft(request) && has_cufft())) {
      why = "weft cannot plan it";
      const auto on_weft = [&] {
        const cuda::Plan& plan = plan_for({});
        if (allocates_) workspace_for(plan);
        *work_bytes = planned_bytes_ = plan.workspace_bytes();
        return success;
      };
      result = guarded(on_weft, &why);
      if (result == success) return success;
      plans_.clear();
      if (!has_cufft()) {
        if (report::is_wanted()) report::add_plan(request, {}, "", "");
        request_.reset();
        return result;
      }
    }
    result = handle_in_cufft_ ? plan_in_cufft() : give_to_cufft(why);
    if (result == success) return call_cufft("cufftGetSize", *handle_in_cufft_, work_bytes);
    request_.reset();
    return result;
  });
}

Result HandlePlan::work_bytes(Size* bytes) const {
  const std::lock_guard lock(mutex_);
  if (!request_) return invalid_plan;
  if (handle_in_cufft_) return call_cufft("cufftGetSize", *handle_in_cufft_, bytes);
  *bytes = planned_bytes_;
  return success;
}

Result HandlePlan::set_auto_allocation(bool is_on) {
  const std::lock_guard lock(mutex_);
  allocates_ = is_on;
  if (!handle_in_cufft_) return success;
  return call_cufft("cufftSetAutoAllocation", *handle_in_cufft_, static_cast<int>(is_on));
}

Result HandlePlan::set_work_area(void* memory) {
  const std::lock_guard lock(mutex_);
  return guarded([&] {
    if (handle_in_cufft_) return call_cufft("cufftSetWorkArea", *handle_in_cufft_, memory);
    const BesideCapture beside;
    program_workspace_.reset();
    // What was allocated with the plan is not needed any more; what a larger variant took still is.
    if (allocates_) own_workspaces_.clear();
    work_area_ = memory;
    return success;
  });
}

Result HandlePlan::set_stream(void* stream) {
  const std::lock_guard lock(mutex_);
  stream_ = cuda::Stream(stream);
  if (!handle_in_cufft_) return success;
  return call_cufft("cufftSetStream", *handle_in_cufft_, stream);
}

Result HandlePlan::set_device(int device) {
  const std::lock_guard lock(mutex_);
  if (request_) return invalid_plan;
  try {
    cuda::device_name(device);
  } catch (const Error&) {
    return invalid_device;
  }
  device_ = device;
  return success;
}

/// The program's work area if it is large enough for this plan (it was sized for the first
/// variant), else memory of the plan's own.
cuda::Workspace& HandlePlan::workspace_for(const cuda::Plan& plan) {
  const std::size_t bytes = plan.workspace_bytes();
  if (work_area_ != nullptr && bytes <= planned_bytes_) {
    if (!program_workspace_) program_workspace_.emplace(work_area_, planned_bytes_);
    return *program_workspace_;
  }
  for (cuda::Workspace& own : own_workspaces_)
    if (own.bytes() >= bytes) return own;
  const BesideCapture beside;
  return own_workspaces_.emplace_back(bytes, device_);
}

report::Row* HandlePlan::row_for(const Variant& variant, const cuda::Plan* plan) {
  if (!report::is_wanted()) return nullptr;
  for (const auto& [counted, row] : rows_)
    if (counted == variant) return row;
  report::Row* const row =
      report::add_plan(request_.value_or(Request{}), variant, plan != nullptr ? plan->recipe() : "",
                       plan != nullptr ? "" : "cuFFT: " + why_in_cufft_);
  rows_.emplace_back(variant, row);
  return row;
}

void HandlePlan::count_in_cufft() {
  const std::lock_guard lock(mutex_);
  guarded([&] {
    report::count_untimed(row_for({}, nullptr));
    return success;
  });
}

Result HandlePlan::run(const void* in, void* out, const Variant& variant) {
  const cuda::Plan& plan = plan_for(variant);
  cuda::Workspace& workspace = workspace_for(plan);
  report::Call call(row_for(variant, &plan), stream_.handle);
  const auto with = [&]<class Real, class Complex>(Real, Complex) {
    const auto* reals = static_cast<const Real*>(in);
    const auto* complexes = static_cast<const Complex*>(in);
    switch (request_->type.kind) {
      case Kind::r2c: return plan.execute(reals, static_cast<Complex*>(out), workspace, stream_);
      case Kind::c2r: return plan.execute(complexes, static_cast<Real*>(out), workspace, stream_);
      default: return plan.execute(complexes, static_cast<Complex*>(out), workspace, stream_);
    }
  };
  try {
    switch (request_->type.precision) {
      case Precision::f16: with(Half{}, ComplexHalf{}); break;
      case Precision::f32: with(float{}, std::complex<float>{}); break;
      case Precision::f64: with(double{}, std::complex<double>{}); break;
    }
  } catch (...) {
    call.has_failed();
    throw;
  }
  return success;
}

Result HandlePlan::run_in_cufft(const void* in, void* out, int sign, const Variant& variant) {
  report::Call call(row_for(variant, nullptr), stream_.handle);
  const Result result =
      call_cufft("cufftXtExec", *handle_in_cufft_, const_cast<void*>(in), out, sign);
  if (result != success) call.has_failed();
  return result;
}

Result HandlePlan::execute(const void* in, void* out, int sign, std::optional<TypePair> type) {
  const std::lock_guard lock(mutex_);
  return guarded([&] {
    if (!request_) return invalid_plan;
    if (type && *type != request_->type) return invalid_type;
    if (in == nullptr || out == nullptr) return invalid_value;
    if (!request_->is_real() && sign != forward_sign && sign != inverse_sign) return invalid_value;
    const bool has_default_layout = !request_->in;
    Variant variant;
    if (!request_->is_real() && sign == inverse_sign) variant.direction = Direction::backward;
    if (request_->is_real() && has_default_layout) variant.in_place = in == out;
    if (handle_in_cufft_) return run_in_cufft(in, out, sign, variant);
    std::string why = "weft cannot run it";
    const Result result = guarded([&] { return run(in, out, variant); }, &why);
    // Such as arrays that overlap: cuFFT's answer counts, where there is one.
    if (result == success || !has_cufft()) return result;
    if (give_to_cufft(why) != success) return result;
    return run_in_cufft(in, out, sign, variant);
  });
}

}  // namespace weft::cufft
