// SPDX-License-Identifier: BSD-3-Clause
// The numbers of cuFFT's interface, as its manual documents them. Programs bring NVIDIA's headers;
// building this library needs none.
#pragma once

#include <cstddef>

namespace weft::cufft {

enum Result : int {
  success = 0,
  invalid_plan = 1,
  alloc_failed = 2,
  invalid_type = 3,
  invalid_value = 4,
  internal_error = 5,
  exec_failed = 6,
  setup_failed = 7,
  invalid_size = 8,
  invalid_device = 11,
  not_supported = 16,
};

enum Type : int { c2c = 0x29, r2c = 0x2a, c2r = 0x2c, z2z = 0x69, d2z = 0x6a, z2d = 0x6c };

/// cudaDataType.
enum DataType : int {
  real_f32 = 0,
  real_f64 = 1,
  real_f16 = 2,
  complex_f32 = 4,
  complex_f64 = 5,
  complex_f16 = 6,
};

inline constexpr int forward_sign = -1, inverse_sign = 1;

using Handle = int;
using Size = std::size_t;
using Long = long long;

/// Of what programs see; everything else is hidden.
#define WEFT_CUFFT_API extern "C" __attribute__((visibility("default")))

}  // namespace weft::cufft
