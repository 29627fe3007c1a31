// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/avx512.hpp"

#define WEFT_ISA_NAMESPACE avx512
namespace weft::codelet::avx512 {
namespace {
template <class Real>
using Simd = simd::Avx512<Real>;
struct BlockSizes {
  int usual, most;
};
constexpr BlockSizes complex_blocks{4, 6};  // four registers for each row of a block
constexpr BlockSizes real_blocks{8, 8};     // two
}  // namespace
}  // namespace weft::codelet::avx512

#include "codelet/prime/prime_kernels_impl.hpp"
