// SPDX-License-Identifier: BSD-3-Clause
// Times on a GPU: a stream with two events around what is timed.
#pragma once

#include "gpu/device/driver.hpp"

namespace weft::tool {

class GpuClock {
 public:
  GpuClock() {
    gpu::require(gpu::driver().stream_create(&stream, 1), "cuStreamCreate");
    gpu::require(gpu::driver().event_create(&start_, 0), "cuEventCreate");
    gpu::require(gpu::driver().event_create(&stop_, 0), "cuEventCreate");
  }
  ~GpuClock() {
    gpu::driver().event_destroy(start_);
    gpu::driver().event_destroy(stop_);
    gpu::driver().stream_destroy(stream);
  }
  GpuClock(const GpuClock&) = delete;
  GpuClock& operator=(const GpuClock&) = delete;
  template <class Work>
  double ms(const Work& work) {
    gpu::require(gpu::driver().event_record(start_, stream), "cuEventRecord");
    work();
    gpu::require(gpu::driver().event_record(stop_, stream), "cuEventRecord");
    gpu::require(gpu::driver().event_synchronize(stop_), "timing on the GPU");
    float elapsed = 0;
    gpu::require(gpu::driver().event_elapsed(&elapsed, start_, stop_), "cuEventElapsedTime");
    return elapsed;
  }
  void* stream = nullptr;

 private:
  void *start_ = nullptr, *stop_ = nullptr;
};

}  // namespace weft::tool
