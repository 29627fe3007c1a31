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

#include "weft/distributed.hpp"

namespace weft::cuda {

/// A cudaStream_t or CUstream; null is the default stream.
using Stream = void*;

/// Whether this machine has a driver, NVRTC and at least one GPU.
bool is_available() noexcept;
/// "NVIDIA H200", ...; throws weft::Error when there is no such device.
std::string device_name(int device = 0);

/// An array in device memory: a View that cannot be mistaken for one in the host's.
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
  /// Bytes. The fastest transforms of large arrays work in as much memory again; without it they go
  /// through memory once more. Only long axes, large primes and c2r cannot do without any.
  std::size_t workspace_limit = std::numeric_limits<std::size_t>::max();
};

/// Device memory a transform works in. One per stream that executes; plans may share one.
class Workspace {
 public:
  Workspace(std::size_t bytes, int device = 0);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  std::size_t bytes() const noexcept;
  void* data() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Plan {
 public:
  /// Throws weft::Error when the request makes no sense, and where there is no GPU to serve it.
  explicit Plan(const Transform& transform, const Layout& input = {}, const Layout& output = {},
                const PlanOptions& options = {});
  Plan(const Transform& transform, const PlanOptions& options) : Plan(transform, {}, {}, options) {}
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  /// Puts the transform of `in` into `out` on the stream and returns: no synchronisation, no
  /// allocation, so that it may be captured into a CUDA graph. Arrays are the same memory or
  /// disjoint, both on the plan's device. The workspace stays in use until the stream gets there.
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

  std::size_t workspace_bytes() const noexcept;
  Workspace make_workspace() const;

  const Transform& transform() const noexcept;
  int device() const noexcept;
  std::string recipe() const;   ///< one line, comparable
  std::string explain() const;  ///< for people: passes, bytes, predicted times
  PlanCost cost() const;

 private:
  void check_view(std::span<const Index> extents, std::span<const Index> strides,
                  bool is_input) const;
  void run(Precision in_precision, bool in_complex, const void* in, Precision out_precision,
           bool out_complex, void* out, Workspace& workspace, Stream stream) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// How blocks get from one rank's device memory to another's.
enum class Transport {
  automatic,  ///< the first that works of ipc, nccl, direct, staged
  staged,     ///< through page-locked host memory and the communicator's messages
  direct,     ///< messages that lie in device memory, by an MPI that knows GPUs
  ipc,        ///< within a node: ranks fetch from each other's memory, on one GPU or several
  nccl,       ///< NCCL, where it is installed and every rank has a GPU of its own
};

struct DistributedOptions {
  int device = 0;  ///< of this rank; ranks may share one
  /// Tried first. Every way is tested when the plan is made; what fails gives way to the next.
  Transport transport = Transport::automatic;
  Strategy strategy = Strategy::automatic;  ///< all but line
  bool in_place = false;                    ///< execute() gets the same pointer twice
};

/// A transform of one array that is spread over the device memory of many ranks: c2c, r2c and c2r
/// in the boxes of weft::DistributedPlan.
class DistributedPlan {
 public:
  /// Collective, as weft::DistributedPlan: what is wrong on one rank is thrown on all.
  DistributedPlan(const Transform& transform, const LocalBoxes& input, const LocalBoxes& output,
                  const Comm& comm, const DistributedOptions& options = {});
  ~DistributedPlan();
  DistributedPlan(DistributedPlan&&) noexcept;
  DistributedPlan& operator=(DistributedPlan&&) noexcept;

  /// Collective. Pointers to device memory as the boxes' offsets expect them; a rank that holds
  /// nothing passes null. The host waits for the stream as far as messages need it (with nccl: not
  /// at all); the last stage is still on the stream when it returns. One stream at a time.
  template <Scalar In, Scalar Out>
  void execute(const In* in, Out* out, Stream stream) {
    run(ScalarTraits<In>::precision, ScalarTraits<In>::is_complex, in, ScalarTraits<Out>::precision,
        ScalarTraits<Out>::is_complex, out, stream);
  }

  /// Elements that the pointers given to execute() must reach.
  Index input_count() const noexcept;
  Index output_count() const noexcept;
  Transport transport() const noexcept;  ///< the one in use; automatic: nothing is exchanged
  std::string recipe() const;            ///< "slab: input[2,1] > output[0] by ipc"
  /// Sides of stages on this rank whose pieces are copied on the device, because kernels cannot
  /// read or write them where they lie.
  int copied_sides() const noexcept;
  std::size_t workspace_bytes() const noexcept;  ///< device memory of this rank

 private:
  void run(Precision in_precision, bool in_complex, const void* in, Precision out_precision,
           bool out_complex, void* out, Stream stream);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::cuda
