// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/runtime/abi.hpp"
#include "codelet/simd/neon_line.hpp"

#define WEFT_ISA_NAMESPACE neon
#define WEFT_X86_REGISTER_BITS 0
namespace weft::local::neon {
namespace {
constexpr codelet::Isa weft_isa = codelet::Isa::neon;
template <class Real>
using Simd = codelet::simd::Neon<Real>;
template <class Real>
using LineSimd = codelet::simd::NeonLine<Real>;
}  // namespace
}  // namespace weft::local::neon

#include "local/lane/lane_ops_impl.hpp"
