// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/avx2.hpp"

#define WEFT_ISA_NAMESPACE avx2
namespace weft::codelet::avx2 {
namespace {
template <class Real>
using Simd = simd::Avx2<Real>;
struct BlockSizes {
  int usual, most;
};
constexpr BlockSizes complex_blocks{3, 3};  // four registers for each row of a block
constexpr BlockSizes real_blocks{6, 6};     // two
}  // namespace
}  // namespace weft::codelet::avx2

#include "codelet/prime/prime_kernels_impl.hpp"
