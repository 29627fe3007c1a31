// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/simd/avx512.hpp"

#define WEFT_ISA_NAMESPACE avx512
namespace weft::codelet::avx512 {
namespace {
template <class Real>
using Simd = simd::Avx512<Real>;
constexpr int dense_registers = 10;  // of a block, each with two sums: the rest is for operands
}  // namespace
}  // namespace weft::codelet::avx512

#include "codelet/dense/dense_lines_impl.hpp"
