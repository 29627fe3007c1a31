// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/runtime/abi.hpp"
#include "codelet/simd/scalar.hpp"

#define WEFT_ISA_NAMESPACE scalar
#define WEFT_X86_REGISTER_BITS 0
namespace weft::local::scalar {
namespace {
constexpr codelet::Isa weft_isa = codelet::Isa::scalar;
template <class Real>
using Simd = codelet::simd::Scalar<Real>;
template <class Real>
using LineSimd = codelet::simd::Scalar<Real>;
}  // namespace
}  // namespace weft::local::scalar

#include "local/lane/lane_ops_impl.hpp"
