// SPDX-License-Identifier: BSD-3-Clause
// One stage of a distributed transform on the GPU of one rank: the twin of global/run/stage.hpp.
// If kernels can address the pieces of a box directly (stage_sides.hpp), they pack and unpack while
// they load and store; otherwise pieces are copied into a dense array before, or out of one after.
#pragma once

#include <memory>

#include "global/run/stage.hpp"
#include "gpu/device/driver.hpp"

namespace weft::gpu {

class DeviceStage {
 public:
  /// Compiles kernels.
  DeviceStage(const global::StageProblem& problem, const global::StageOptions& options,
              const GpuDevice& device);
  ~DeviceStage();
  DeviceStage(DeviceStage&&) noexcept;

  Index scratch_bytes() const;
  double flops() const;  ///< nominal: 5 n log2 n per line, half for real ones
  /// Bases and `scratch` are device addresses. Asynchronous.
  void run(const reshape::Bases& bases, std::byte* scratch, Stream stream) const;
  /// How many sides of boxes need copies of their own; for tests and explanations.
  int copied_sides() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::gpu
