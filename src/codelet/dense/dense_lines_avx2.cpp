// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/avx2.hpp"

#define WEFT_ISA_NAMESPACE avx2
namespace weft::codelet::avx2 {
namespace {
template <class Real>
using Simd = simd::Avx2<Real>;
constexpr int dense_registers = 4;  // of a block, each with two sums: the rest is for operands
}  // namespace
}  // namespace weft::codelet::avx2

#include "codelet/dense/dense_lines_impl.hpp"
