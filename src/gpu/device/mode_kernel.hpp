// SPDX-License-Identifier: BSD-3-Clause
// A function of the modes as a pass of its own, over spectra that lie in device memory: what an
// operator does where the function cannot be part of a pass that transforms.
#pragma once

#include <array>
#include <string>

#include "gpu/device/element_kernel.hpp"
#include "gpu/emit/mode_text.hpp"

namespace weft::gpu {

inline constexpr std::size_t most_mode_fields = 16;

/// The text for one element, see element_kernel.hpp.
std::string emit_mode_kernel(const ModeGrid& grid, const ModeFunctionText& function,
                             Precision precision);

class ModeKernel {
 public:
  ModeKernel(const ModeGrid& grid, const ModeFunctionText& function, Precision precision,
             const GpuDevice& device)
      : kernel_(emit_mode_kernel(grid, function, precision), device), count_(grid.count()) {}

  /// Reads the inputs of `fields` and writes the outputs; the others are not touched.
  using Fields = std::array<void*, most_mode_fields>;
  void run(const Fields& fields, const void* numbers, Stream stream) const {
    struct Arguments {
      Fields fields;
      const void* numbers;
    };
    kernel_.run(Arguments{fields, numbers}, count_, stream);
  }

 private:
  ElementKernel kernel_;
  Index count_;
};

}  // namespace weft::gpu
