// SPDX-License-Identifier: BSD-3-Clause
// Transforms on an NVIDIA GPU: the same requests as weft::Plan, for arrays in device memory. No
// CUDA header is needed, here or to build weft: the driver and its compiler are found at run time,
// and where there are none a plan throws weft::Error.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/plan.hpp"

namespace weft::cuda {

/// A stream of the device, made from a cudaStream_t or a CUstream; Stream() is the default stream.
/// Pointers do not convert to it by themselves: an array cannot be taken for a stream.
struct Stream {
  void* handle = nullptr;
  Stream() = default;
  explicit Stream(void* stream) : handle(stream) {}
};

/// Whether this machine has a driver, NVRTC and at least one GPU.
WEFT_API bool is_available() noexcept;
/// "NVIDIA H200", ...; throws weft::Error when there is no such device.
WEFT_API std::string device_name(int device = 0);

/// An array in device memory: a View that cannot be mistaken for one of host memory.
template <class T>
class DeviceView {
 public:
  explicit DeviceView(const View<T>& view) : view_(view) {}
  DeviceView(T* device_memory, std::span<const Index> extents) : view_(device_memory, extents) {}
  DeviceView(T* device_memory, std::initializer_list<Index> extents)
      : view_(device_memory, extents) {}
  DeviceView(T* device_memory, std::span<const Index> extents, std::span<const Index> strides)
      : view_(device_memory, extents, strides) {}
  operator DeviceView<const T>() const
    requires(!std::is_const_v<T>)
  {
    return DeviceView<const T>(View<const T>(view_));
  }
  const View<T>& view() const { return view_; }

 private:
  View<T> view_;
};

struct PlanOptions {
  int device = 0;
  Effort effort = Effort::estimate;  ///< measure and patient time recipes on the device
  double time_limit_s = 10.0;        ///< for measure and patient
  bool use_wisdom = true;            ///< recipes measured before, by device
  /// Bytes. The fastest transforms of large arrays need a workspace as large as the array; without
  /// it they take one more pass. Long axes, large primes, c2r and r2r always need some.
  std::size_t workspace_limit = std::numeric_limits<std::size_t>::max();
  /// A recipe as Plan::recipe() prints it; empty: choose one. One that does not compute the
  /// transform on this device is refused (invalid_argument).
  std::string recipe = {};
};

/// Device memory a transform works in. One per stream that executes; plans may share one. One that
/// was moved from has no bytes.
class WEFT_API Workspace {
 public:
  Workspace(std::size_t bytes, int device = 0);
  /// The caller's memory on the device of the plans that use it, aligned to 256 bytes as cudaMalloc
  /// does; it is not freed.
  Workspace(void* device_memory, std::size_t bytes);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  std::size_t bytes() const noexcept;
  void* data() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class WEFT_API Plan {
 public:
  /// Throws weft::Error if the request is invalid or there is no usable GPU.
  explicit Plan(const Transform& transform, const PlanOptions& options = {})
      : Plan(transform, Layout{}, Layout{}, options) {}
  Plan(const Transform& transform, const Layout& input, const Layout& output,
       const PlanOptions& options = {});
  ~Plan();
  /// A plan that was moved from can be destroyed and assigned to; all else throws weft::Error.
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// Puts the transform of `in` into `out` on the stream and returns: no synchronisation, no
  /// allocation, so that it may be captured into a CUDA graph. Arrays are the same memory or
  /// disjoint, both on the plan's device. The workspace is in use until the stream has run the
  /// transform.
  template <Scalar In, Scalar Out>
  void execute(const DeviceView<const In>& in, const DeviceView<Out>& out, Workspace& workspace,
               Stream stream) const {
    check_view(in.view().extents(), in.view().strides(), true);
    check_view(out.view().extents(), out.view().strides(), false);
    execute(in.view().data_handle(), out.view().data_handle(), workspace, stream);
  }
  template <Scalar In, Scalar Out>
  void execute(const DeviceView<In>& in, const DeviceView<Out>& out, Workspace& workspace,
               Stream stream) const
    requires(!std::is_const_v<In>)
  {
    execute(DeviceView<const In>(in), out, workspace, stream);
  }

  /// The same on bare device pointers: the first element of each array, laid out as planned.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out, Workspace& workspace, Stream stream) const {
    run(ScalarTraits<In>::precision, ScalarTraits<In>::is_complex, in, ScalarTraits<Out>::precision,
        ScalarTraits<Out>::is_complex, out, workspace, stream);
  }

  std::size_t workspace_bytes() const;
  Workspace make_workspace() const;

  const Transform& transform() const;
  int device() const;
  std::string recipe() const;   ///< one line, from which the plan can be built again
  std::string explain() const;  ///< for people: passes, bytes, predicted times
  PlanCost cost() const;

 private:
  void check_view(std::span<const Index> extents, std::span<const Index> strides,
                  bool is_input) const;
  void run(Precision in_precision, bool in_complex, const void* in, Precision out_precision,
           bool out_complex, void* out, Workspace& workspace, Stream stream) const;

  struct Impl;
  PlanPointer<Impl> impl_;
};

}  // namespace weft::cuda
