// SPDX-License-Identifier: BSD-3-Clause
// A kernel with all its arguments but the arrays. If a plan is one such call, execution makes only
// this call: for one small transform, walking a plan takes longer than the arithmetic.
#pragma once

#include "codelet/prime/prime_kernels.hpp"

namespace weft::local {

struct KernelCall {
  codelet::KernelFunction function = nullptr;
  const void* twiddles = nullptr;
  Index in_bytes = 0, out_bytes = 0;  ///< from an array's first element to where the kernel begins
  codelet::PrimeArguments arguments = {};

  explicit operator bool() const noexcept { return function != nullptr; }
  void operator()(const void* in, void* out) const {
    function(static_cast<const char*>(in) + in_bytes, static_cast<char*>(out) + out_bytes, twiddles,
             arguments);
  }
};

}  // namespace weft::local
