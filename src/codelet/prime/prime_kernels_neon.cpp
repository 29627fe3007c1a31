// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/neon.hpp"

#define WEFT_ISA_NAMESPACE neon
namespace weft::codelet::neon {
namespace {
template <class Real>
using Simd = simd::Neon<Real>;
struct BlockSizes {
  int usual, most;
};
constexpr BlockSizes complex_blocks{4, 6};  // four registers for each row of a block
constexpr BlockSizes real_blocks{8, 8};     // two
}  // namespace
}  // namespace weft::codelet::neon

#include "codelet/prime/prime_kernels_impl.hpp"
