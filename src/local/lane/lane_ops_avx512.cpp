// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/runtime/abi.hpp"
#include "codelet/simd/avx512_line.hpp"

#define WEFT_ISA_NAMESPACE avx512
#define WEFT_X86_REGISTER_BITS 512
namespace weft::local::avx512 {
namespace {
constexpr codelet::Isa weft_isa = codelet::Isa::avx512;
template <class Real>
using Simd = codelet::simd::Avx512<Real>;
template <class Real>
using LineSimd = codelet::simd::Avx512Line<Real>;
}  // namespace
}  // namespace weft::local::avx512

#include "local/lane/lane_ops_impl.hpp"
