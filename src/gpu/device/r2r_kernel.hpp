// SPDX-License-Identifier: BSD-3-Clause
// The steps before and after the inner transform of a real-to-real one, see recipe/r2r_steps.hpp.
#pragma once

#include <string>

#include "gpu/device/element_kernel.hpp"
#include "gpu/recipe/r2r_steps.hpp"

namespace weft::gpu {

/// The text for one element, see element_kernel.hpp.
std::string emit_r2r_step(Precision precision, bool is_complex_in, bool is_complex_out);

/// A table as the kernel reads it: indices, then factors in the precision of the arithmetic.
std::vector<unsigned char> r2r_table(const std::vector<R2rEntry>& entries, Precision precision);

struct R2rArguments {
  const void* in;
  void* out;
  const void* table;
  double scale;
  R2rShape shape;
};

class R2rStep {
 public:
  R2rStep(const std::vector<R2rEntry>& entries, const R2rShape& shape, Precision precision,
          bool is_complex_in, bool is_complex_out, const GpuDevice& device);
  void run(const void* in, void* out, double scale, Stream stream) const {
    kernel_.run(R2rArguments{in, out, table_.data(), scale, shape_}, shape_.count, stream);
  }

 private:
  ElementKernel kernel_;
  DeviceMemory table_;
  R2rShape shape_;
};

}  // namespace weft::gpu
