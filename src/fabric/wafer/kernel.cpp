// SPDX-License-Identifier: BSD-3-Clause
// Cycle counts of vector programs, and their execution in FP32 and FP16.
#include "fabric/wafer/kernel.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "fabric/wafer/f16_vectors.hpp"

// One version for AVX2 and FMA and one for any CPU; the loader chooses when the program starts. Not
// under sanitizers, which cannot handle code that runs that early.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEFT_FABRIC_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define WEFT_FABRIC_CLONES
#endif
// Functions that such a version calls must be inlined; otherwise they are compiled for any CPU.
#if defined(__GNUC__)
#define WEFT_FABRIC_INLINE __attribute__((always_inline)) inline
#else
#define WEFT_FABRIC_INLINE inline
#endif

namespace weft::fabric {
namespace {

constexpr int lanes = kernel_lanes;

/// Number of consecutive reals that one operand touches in the innermost loops.
std::int64_t run_length(const VectorInstruction& instruction, const Operand& operand) {
  std::int64_t run = 1;
  for (int level = 2; level >= 0; --level) {
    const auto index = static_cast<std::size_t>(level);
    if (instruction.extents[index] == 1) continue;
    if (operand.strides[index] != run) break;
    run *= instruction.extents[index];
  }
  return run;
}

bool is_packed(const VectorInstruction& instruction, int pack) {
  const bool two = instruction.op == VectorOp::add || instruction.op == VectorOp::subtract ||
                   instruction.op == VectorOp::multiply ||
                   instruction.op == VectorOp::multiply_accumulate_scalar;
  if (instruction.count() == 1 && pack > 1) return false;
  const std::int64_t wanted = std::min<std::int64_t>(pack, instruction.count());
  return run_length(instruction, instruction.dst) >= wanted &&
         run_length(instruction, instruction.a) >= wanted &&
         (!two || run_length(instruction, instruction.b) >= wanted);
}

double rate_of(const VectorInstruction& instruction, const KernelRates& rates) {
  const bool packed = is_packed(instruction, rates.pack);
  switch (instruction.op) {
    case VectorOp::multiply_scalar:
    case VectorOp::multiply: return packed ? rates.multiply : rates.multiply_strided;
    case VectorOp::multiply_accumulate_scalar:
      return packed ? rates.accumulate : rates.accumulate_strided;
    case VectorOp::add:
    case VectorOp::subtract: return packed ? rates.add : rates.add_strided;
    case VectorOp::move: return rates.move;
    case VectorOp::move_block: return rates.move_block;
  }
  return 0;
}

struct Single {
  WEFT_FABRIC_INLINE static float round(float value) { return value; }
  WEFT_FABRIC_INLINE static float fused(float a, float b, float c) { return std::fma(a, b, c); }
};

/// Rounds an IEEE number to the nearest half, ties to even. Uses only integer operations and
/// selections, so that loops over it vectorise.
template <class Real, class Bits>
WEFT_FABRIC_INLINE Real nearest_half(Real value) {
  constexpr int digits = std::numeric_limits<Real>::digits;
  constexpr int dropped = digits - 11;
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  constexpr Bits smallest_normal = std::bit_cast<Bits>(static_cast<Real>(6.103515625e-05));
  constexpr Bits first_infinite = std::bit_cast<Bits>(static_cast<Real>(65520));
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  constexpr Real units = static_cast<Real>(1.5) *
                         static_cast<Real>(std::int64_t{1} << (digits - 1)) *
                         static_cast<Real>(5.9604644775390625e-08);  // 2^-24, the smallest half
  const Bits bits = std::bit_cast<Bits>(value);
  using Signed = std::make_signed_t<Bits>;  // vector instructions compare signed numbers
  const auto magnitude = static_cast<Signed>(bits & ~sign);
  const Bits half_way = (Bits{1} << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  const Bits normal = (bits + half_way) & ~((Bits{1} << dropped) - 1);
  const Bits tiny =  // multiples of 2^-24; a zero keeps its sign
      std::bit_cast<Bits>((value + units) - units) | (bits & sign);
  Bits result = magnitude < static_cast<Signed>(smallest_normal) ? tiny : normal;
  result = magnitude >= static_cast<Signed>(first_infinite) ? (bits & sign) | infinity : result;
  return std::bit_cast<Real>(magnitude > static_cast<Signed>(infinity) ? bits : result);
}

/// Sums and products of halves, rounded to a half. A float has more than 2p + 2 bits, where p is
/// the precision of a half, so rounding first to float and then to half gives the correctly rounded
/// result. A fused multiply-add uses double, which holds the exact sum whenever the rounding
/// depends on it.
struct HalfArithmetic {
  WEFT_FABRIC_INLINE static float round(float value) {
    return nearest_half<float, std::uint32_t>(value);
  }
  WEFT_FABRIC_INLINE static float fused(float a, float b, float c) {
    const double exact = static_cast<double>(a * b) + static_cast<double>(c);
    return static_cast<float>(nearest_half<double, std::uint64_t>(exact));
  }
};

/// One instruction over all lanes; `apply(a, b)` gives the element.
template <class Apply>
WEFT_FABRIC_INLINE void sweep(const VectorInstruction& instruction, float* memory,
                              const Apply& apply) {
  const auto& [outer, middle, inner] = instruction.extents;
  for (int i = 0; i < outer; ++i)
    for (int j = 0; j < middle; ++j) {
      const auto at = [&](const Operand& operand) {
        return memory + static_cast<std::ptrdiff_t>(operand.base + i * operand.strides[0] +
                                                    j * operand.strides[1]) *
                            lanes;
      };
      float* dst = at(instruction.dst);
      const float* a = at(instruction.a);
      const float* b = at(instruction.b);
      const std::ptrdiff_t dst_step = std::ptrdiff_t{instruction.dst.strides[2]} * lanes;
      const std::ptrdiff_t a_step = std::ptrdiff_t{instruction.a.strides[2]} * lanes;
      const std::ptrdiff_t b_step = std::ptrdiff_t{instruction.b.strides[2]} * lanes;
      for (int k = 0; k < inner; ++k, dst += dst_step, a += a_step, b += b_step) {
        float result[lanes];
        for (int lane = 0; lane < lanes; ++lane) result[lane] = apply(a[lane], b[lane]);
        for (int lane = 0; lane < lanes; ++lane) dst[lane] = result[lane];
      }
    }
}

template <class Arithmetic>
WEFT_FABRIC_INLINE void run(const VectorInstruction& instruction, float* memory) {
  const float scalar = instruction.scalar;
  switch (instruction.op) {
    case VectorOp::multiply_scalar:
      return sweep(instruction, memory,
                   [=](float a, float) { return Arithmetic::round(a * scalar); });
    case VectorOp::multiply_accumulate_scalar:
      return sweep(instruction, memory,
                   [=](float a, float b) { return Arithmetic::fused(a, scalar, b); });
    case VectorOp::multiply:
      return sweep(instruction, memory, [](float a, float b) { return Arithmetic::round(a * b); });
    case VectorOp::add:
      return sweep(instruction, memory, [](float a, float b) { return Arithmetic::round(a + b); });
    case VectorOp::subtract:
      return sweep(instruction, memory, [](float a, float b) { return Arithmetic::round(a - b); });
    case VectorOp::move:
    case VectorOp::move_block: return sweep(instruction, memory, [](float a, float) { return a; });
  }
}

WEFT_FABRIC_CLONES void run_single(const VectorInstruction* begin, const VectorInstruction* end,
                                   float* memory) {
  for (; begin != end; ++begin) run<Single>(*begin, memory);
}
WEFT_FABRIC_CLONES void run_half(const VectorInstruction* begin, const VectorInstruction* end,
                                 float* memory) {
  for (; begin != end; ++begin) run<HalfArithmetic>(*begin, memory);
}

double cycles_of(std::span<const VectorInstruction> instructions,
                 std::span<const ScalarWork> scalar_work, const KernelRates& rates) {
  double sum = 0;
  for (const VectorInstruction& instruction : instructions)
    sum += static_cast<double>(instruction.count()) * rate_of(instruction, rates);
  for (const ScalarWork& work : scalar_work)
    sum += static_cast<double>(work.times) *
           (work.issues * rates.issue + work.descriptors * rates.descriptor +
            work.scalars * rates.scalar);
  return sum;
}

}  // namespace

double KernelProgram::cycles(const KernelRates& rates) const {
  return cycles_of(instructions, scalar_work, rates);
}

double KernelProgram::cycles_of_first_part(const KernelRates& rates) const {
  return cycles_of(std::span(instructions).first(part_instructions),
                   std::span(scalar_work).first(part_scalar_work), rates);
}

std::int64_t KernelProgram::bytes(Precision precision) const {
  return std::int64_t{memory_reals} * (precision == Precision::f16 ? 2 : 4);
}

void execute(const KernelProgram& program, Precision precision, std::span<float> memory) {
  static const bool has_f16_vectors = can_run_f16_vectors();
  if (precision == Precision::f16 && has_f16_vectors)
    run_f16_vectors(program.instructions, memory.data());
  else
    execute_portably(program, precision, memory);
}

void execute_portably(const KernelProgram& program, Precision precision, std::span<float> memory) {
  const VectorInstruction* begin = program.instructions.data();
  const VectorInstruction* end = begin + program.instructions.size();
  (precision == Precision::f16 ? run_half : run_single)(begin, end, memory.data());
}

float round_to_half(float value) { return HalfArithmetic::round(value); }

}  // namespace weft::fabric
