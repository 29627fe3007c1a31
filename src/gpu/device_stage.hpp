// SPDX-License-Identifier: BSD-3-Clause
// One stage of a distributed transform on the GPU of one rank: the twin of global/stage.hpp. Where
// the pieces of a box are such as kernels can read and write (stage_sides.hpp), packing rides on
// their loads and stores; otherwise pieces are copied into a dense array before, or out of one
// behind.
#pragma once

#include <memory>

#include "global/stage.hpp"
#include "gpu/driver.hpp"

namespace weft::gpu {

class DeviceStage {
 public:
  /// Compiles kernels.
  DeviceStage(const global::StageProblem& problem, const Device& device);
  ~DeviceStage();
  DeviceStage(DeviceStage&&) noexcept;

  Index scratch_bytes() const;
  /// Bases and `scratch` are device addresses. Asynchronous.
  void run(const reshape::Bases& bases, std::byte* scratch, Stream stream) const;
  /// How many sides of boxes need copies of their own; for tests and explanations.
  int copied_sides() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weft::gpu
