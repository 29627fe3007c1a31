// SPDX-License-Identifier: BSD-3-Clause
// What the GPU benchmark does with arrays in GPU memory: fill them with random numbers, convert
// them to f64, compare them, and compute one output by the definition of the transform.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "gpu/device/driver.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

class GpuArrays {
 public:
  explicit GpuArrays(const gpu::GpuDevice& device);
  ~GpuArrays();
  GpuArrays(const GpuArrays&) = delete;
  GpuArrays& operator=(const GpuArrays&) = delete;

  /// Reals uniform in [-amplitude, amplitude), a function of seed and position.
  void fill(void* array, Precision precision, Index reals, double amplitude, unsigned seed,
            void* stream) const;
  void widen(const void* array, Precision precision, void* f64, Index reals, void* stream) const;
  /// ||a - b|| / ||b||, b in f64.
  double difference(const void* a, Precision precision, const void* b, Index reals,
                    void* stream) const;
  /// sum x[n] exp(-2 pi i sum k n / shape) over a contiguous f64 array of up to three dimensions.
  std::complex<double> direct_sum(const void* f64, bool is_complex, const std::vector<Index>& shape,
                                  const std::vector<Index>& k, void* stream) const;

 private:
  void launch(const char* name, Index threads, std::vector<void*> arguments, void* stream) const;
  std::vector<double> sums(int count, void* stream) const;

  void* module_ = nullptr;
  gpu::DeviceMemory sums_;
};

}  // namespace weft::tool
