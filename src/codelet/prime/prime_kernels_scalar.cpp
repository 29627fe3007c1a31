// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/scalar.hpp"

#define WEFT_ISA_NAMESPACE scalar
namespace weft::codelet::scalar {
namespace {
template <class Real>
using Simd = simd::Scalar<Real>;
struct BlockSizes {
  int usual, most;
};
constexpr BlockSizes complex_blocks{3, 3};  // four registers for each row of a block
constexpr BlockSizes real_blocks{6, 6};     // two
}  // namespace
}  // namespace weft::codelet::scalar

#include "codelet/prime/prime_kernels_impl.hpp"
