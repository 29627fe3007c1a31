// SPDX-License-Identifier: BSD-3-Clause
// FP16 instructions that use the host CPU's conversions between half and float (F16C): the same
// results as the portable arithmetic of kernel.cpp, bit for bit, but several times faster.
#include "fabric/wafer/f16_vectors.hpp"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define WEFT_FABRIC_F16C __attribute__((target("avx2,fma,f16c")))

namespace weft::fabric {
namespace {

constexpr int vector_lanes = 8;
static_assert(kernel_lanes % vector_lanes == 0);

WEFT_FABRIC_F16C inline __m256 rounded(__m256 value) {
  return _mm256_cvtph_ps(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}

/// a * b + c, rounded once. The product of two halves is exact in a float. The sum is rounded to
/// odd (to the neighbour whose last bit is 1), so that the later rounding to half sees on which
/// side of a tie it was.
WEFT_FABRIC_F16C inline __m256 fused(__m256 a, __m256 b, __m256 c) {
  const __m256 product = _mm256_mul_ps(a, b);
  const __m256 sum = _mm256_add_ps(product, c);
  const __m256 part = _mm256_sub_ps(sum, product);
  const __m256 error =
      _mm256_add_ps(_mm256_sub_ps(product, _mm256_sub_ps(sum, part)), _mm256_sub_ps(c, part));
  const __m256i bits = _mm256_castps_si256(sum);
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i inexact =
      _mm256_castps_si256(_mm256_cmp_ps(error, _mm256_setzero_ps(), _CMP_NEQ_OQ));
  const __m256i even = _mm256_cmpeq_epi32(_mm256_and_si256(bits, one), _mm256_setzero_si256());
  // Moves by one unit towards the exact value: up in magnitude if the signs agree, otherwise down.
  const __m256i differ = _mm256_srai_epi32(_mm256_xor_si256(bits, _mm256_castps_si256(error)), 31);
  const __m256i step = _mm256_or_si256(differ, one);
  const __m256i moved =
      _mm256_add_epi32(bits, _mm256_and_si256(step, _mm256_and_si256(inexact, even)));
  return rounded(_mm256_castsi256_ps(moved));
}

template <VectorOp op>
WEFT_FABRIC_F16C inline __m256 apply(__m256 a, __m256 b, __m256 scalar) {
  if constexpr (op == VectorOp::multiply_scalar) return rounded(_mm256_mul_ps(a, scalar));
  if constexpr (op == VectorOp::multiply_accumulate_scalar) return fused(a, scalar, b);
  if constexpr (op == VectorOp::multiply) return rounded(_mm256_mul_ps(a, b));
  if constexpr (op == VectorOp::add) return rounded(_mm256_add_ps(a, b));
  if constexpr (op == VectorOp::subtract) return rounded(_mm256_sub_ps(a, b));
  return a;
}

template <VectorOp op>
WEFT_FABRIC_F16C void sweep(const VectorInstruction& instruction, float* memory) {
  const auto& [outer, middle, inner] = instruction.extents;
  const __m256 scalar = _mm256_set1_ps(instruction.scalar);
  const Operand &to = instruction.dst, &left = instruction.a, &right = instruction.b;
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < middle; ++j) {
      std::ptrdiff_t dst = to.base + i * to.strides[0] + j * to.strides[1];
      std::ptrdiff_t a = left.base + i * left.strides[0] + j * left.strides[1];
      std::ptrdiff_t b = right.base + i * right.strides[0] + j * right.strides[1];
      for (int k = 0; k < inner; ++k) {
        for (int lane = 0; lane < kernel_lanes; lane += vector_lanes)
          _mm256_storeu_ps(memory + dst * kernel_lanes + lane,
                           apply<op>(_mm256_loadu_ps(memory + a * kernel_lanes + lane),
                                     _mm256_loadu_ps(memory + b * kernel_lanes + lane), scalar));
        dst += to.strides[2];
        a += left.strides[2];
        b += right.strides[2];
      }
    }
}

}  // namespace

bool can_run_f16_vectors() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("f16c") != 0;
}

void run_f16_vectors(std::span<const VectorInstruction> instructions, float* memory) {
  for (const VectorInstruction& instruction : instructions) switch (instruction.op) {
      case VectorOp::multiply_scalar: sweep<VectorOp::multiply_scalar>(instruction, memory); break;
      case VectorOp::multiply_accumulate_scalar:
        sweep<VectorOp::multiply_accumulate_scalar>(instruction, memory);
        break;
      case VectorOp::multiply: sweep<VectorOp::multiply>(instruction, memory); break;
      case VectorOp::add: sweep<VectorOp::add>(instruction, memory); break;
      case VectorOp::subtract: sweep<VectorOp::subtract>(instruction, memory); break;
      case VectorOp::move:
      case VectorOp::move_block: sweep<VectorOp::move>(instruction, memory); break;
    }
}

}  // namespace weft::fabric

#else

namespace weft::fabric {

bool can_run_f16_vectors() { return false; }
void run_f16_vectors(std::span<const VectorInstruction>, float*) {}

}  // namespace weft::fabric

#endif
