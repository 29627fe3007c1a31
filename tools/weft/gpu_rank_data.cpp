// SPDX-License-Identifier: BSD-3-Clause
#include "gpu_rank_data.hpp"

namespace weft::tool {

std::vector<double> picked(const LocalBoxes& boxes, const std::vector<double>& whole,
                           const std::vector<Index>& shape, int width) {
  std::vector<double> values;
  for (const LocalBox& local : boxes) {
    const std::vector<Index> extents = local.box.extents();
    for (Index i = 0; i < local.box.count(); ++i) {
      Index rest = i, position = 0, stride = 1;
      for (std::size_t d = shape.size(); d-- > 0;) {
        position += (local.box.begin[d] + rest % extents[d]) * stride;
        rest /= extents[d];
        stride *= shape[d];
      }
      for (int part = 0; part < width; ++part)
        values.push_back(whole[static_cast<std::size_t>(position * width + part)]);
    }
  }
  return values;
}

void copy_in(const gpu::DeviceMemory& memory, const std::vector<char>& bytes) {
  if (!bytes.empty())
    gpu::require(gpu::driver().copy_to_device(memory.address(), bytes.data(), bytes.size()),
                 "copy");
  gpu::require(gpu::driver().context_synchronize(), "copy");
}

std::vector<char> copy_out(const gpu::DeviceMemory& memory, std::size_t bytes) {
  std::vector<char> result(bytes);
  if (bytes > 0)
    gpu::require(gpu::driver().copy_to_host(result.data(), memory.address(), bytes), "copy");
  return result;
}

double worst(double mine, const Comm& comm) {
  std::vector<double> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(&mine, sizeof mine, all.data());
  double most = 0;
  for (const double error : all) most = error > most || error != error ? error : most;
  return most;
}

RankStream::RankStream(const Comm& comm)
    : device_(comm.rank() % gpu::device_count()), use_(gpu::device(device_)) {
  gpu::require(gpu::driver().stream_create(&stream_, 1), "cuStreamCreate");
}
RankStream::~RankStream() { gpu::driver().stream_destroy(stream_); }
void RankStream::synchronize() const {
  gpu::require(gpu::driver().stream_synchronize(stream_), "waiting for the GPU");
}

}  // namespace weft::tool
