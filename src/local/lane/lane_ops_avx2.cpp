// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/runtime/abi.hpp"
#include "codelet/simd/avx2_line.hpp"

#define WEFT_ISA_NAMESPACE avx2
#define WEFT_X86_REGISTER_BITS 256
namespace weft::local::avx2 {
namespace {
constexpr codelet::Isa weft_isa = codelet::Isa::avx2;
template <class Real>
using Simd = codelet::simd::Avx2<Real>;
template <class Real>
using LineSimd = codelet::simd::Avx2Line<Real>;
}  // namespace
}  // namespace weft::local::avx2

#include "local/lane/lane_ops_impl.hpp"
