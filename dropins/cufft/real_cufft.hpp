// SPDX-License-Identifier: BSD-3-Clause
// NVIDIA's cuFFT, loaded when it is needed and if it is there: for what weft does not do, and for
// what it would do more slowly.
#pragma once

#include "dropins/cufft/cufft_types.hpp"

namespace weft::cufft {

using FindSymbol = void* (*)(void* library, const char* name);
/// The dlsym that this library's takes the place of (dlsym.cpp).
FindSymbol next_dlsym() noexcept;

/// A function of cuFFT by its name; null if there is no cuFFT, or none that has it. The library is
/// $WEFT_CUFFT_LIBRARY, or libcufft.so.12, .11, .10. Threads may call it.
void* find_in_cufft(const char* name) noexcept;

bool has_cufft() noexcept;

/// Calls the function NAME with these arguments; not_supported if there is none.
template <class... Arguments>
Result call_cufft(const char* name, Arguments... arguments) noexcept {
  using Function = int (*)(Arguments...);
  const auto function = reinterpret_cast<Function>(find_in_cufft(name));
  return function == nullptr ? not_supported : static_cast<Result>(function(arguments...));
}

}  // namespace weft::cufft
