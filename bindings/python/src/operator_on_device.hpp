// SPDX-License-Identifier: BSD-3-Clause
// weft.SpectralOperator on arrays in the memory of GPUs: an operator for each, made when it is
// first asked for, with a workspace per stream.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "stream_workspaces.hpp"
#include "weft/spectral_cuda.hpp"

namespace weft::python {

/// What an operator is made of.
struct OperatorParts {
  Transform transform;
  ModeFunction function;
  Effort effort = Effort::estimate;
  double time_limit_s = 10;
  std::vector<double> lengths;
};

class OperatorOnDevice {
 public:
  OperatorOnDevice(const OperatorParts& parts, int device)
      : op_(parts.transform, parts.function,
            {.device = device,
             .effort = parts.effort,
             .time_limit_s = parts.time_limit_s,
             .lengths = parts.lengths}) {}

  template <class T>
  void run(const std::vector<const T*>& in, const std::vector<T*>& out, void* stream) {
    workspaces_.with(op_, stream, [&](cuda::Workspace& workspace) {
      op_.execute(std::span<const T* const>(in), std::span<T* const>(out), workspace,
                  cuda::Stream(stream));
    });
  }

 private:
  cuda::SpectralOperator op_;
  StreamWorkspaces workspaces_;
};

/// By number of the GPU.
class OperatorsOnDevices {
 public:
  OperatorOnDevice& on(int device, const OperatorParts& parts) {
    const std::lock_guard lock(mutex_);
    auto& found = operators_[device];
    if (!found) found = std::make_unique<OperatorOnDevice>(parts, device);
    return *found;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::unique_ptr<OperatorOnDevice>> operators_;
};

}  // namespace weft::python
