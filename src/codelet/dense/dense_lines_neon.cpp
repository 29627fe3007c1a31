// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/neon.hpp"

#define WEFT_ISA_NAMESPACE neon
namespace weft::codelet::neon {
namespace {
template <class Real>
using Simd = simd::Neon<Real>;
constexpr int dense_registers = 10;  // of a block, each with two sums: the rest is for operands
}  // namespace
}  // namespace weft::codelet::neon

#include "codelet/dense/dense_lines_impl.hpp"
