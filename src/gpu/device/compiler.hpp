// SPDX-License-Identifier: BSD-3-Clause
// CUDA text to machine code by NVRTC, loaded at run time. What was compiled once is kept on disk.
#pragma once

#include <string>
#include <vector>

namespace weft::gpu {

/// Machine code for compute capability 90 (9.0), ...; needs no GPU. Read from the cache or compiled
/// and added to it. Throws weft::Error (unsupported) without NVRTC, with its log when it refuses.
std::vector<char> compile_cuda(const std::string& text, int capability);

/// The same without the cache.
std::vector<char> compile_cuda_anew(const std::string& text, int capability);

bool has_nvrtc();

/// Where machine code is kept: $WEFT_CUDA_CACHE, else weft/cuda in $XDG_CACHE_HOME or ~/.cache;
/// empty, and nothing is kept, when none is set or WEFT_CUDA_CACHE is "off".
std::string cache_folder();

}  // namespace weft::gpu
