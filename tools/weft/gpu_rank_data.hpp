// SPDX-License-Identifier: BSD-3-Clause
// What tests of several ranks on GPUs share: a rank's part of an array, its stream, its errors.
#pragma once

#include <vector>

#include "gpu/device/driver.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {

/// The reals of a rank's boxes, one box after the other, picked from the whole array.
std::vector<double> picked(const LocalBoxes& boxes, const std::vector<double>& whole,
                           const std::vector<Index>& shape, int width);

void copy_in(const gpu::DeviceMemory& memory, const std::vector<char>& bytes);
std::vector<char> copy_out(const gpu::DeviceMemory& memory, std::size_t bytes);

/// Collective: the worst of all ranks.
double worst(double mine, const Comm& comm);

/// Of the GPU of a rank; ranks may share one.
class RankStream {
 public:
  explicit RankStream(const Comm& comm);
  ~RankStream();
  RankStream(const RankStream&) = delete;
  Device device() const { return Device::cuda(device_, stream_); }
  void synchronize() const;

 private:
  int device_;
  gpu::UseDevice use_;
  gpu::Stream stream_ = nullptr;
};

}  // namespace weft::tool
