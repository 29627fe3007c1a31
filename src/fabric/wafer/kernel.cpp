// SPDX-License-Identifier: BSD-3-Clause
// Cycles of vector programs, and their execution in FP32 and FP16.
#include "fabric/wafer/kernel.hpp"

#include <cmath>
#include <limits>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WEFT_FABRIC_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define WEFT_FABRIC_CLONES
#endif

namespace weft::fabric {
namespace {

constexpr int lanes = kernel_lanes;

/// Consecutive numbers at the end of the nest, seen from one operand.
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
  const std::int64_t wanted = std::min<std::int64_t>(pack, instruction.count());
  return run_length(instruction, instruction.dst) >= wanted &&
         run_length(instruction, instruction.a) >= wanted &&
         (!two || run_length(instruction, instruction.b) >= wanted);
}

double rate_of(const VectorInstruction& instruction, const KernelRates& rates) {
  const bool packed = is_packed(instruction, rates.pack);
  switch (instruction.op) {
    case VectorOp::multiply_scalar:
    case VectorOp::multiply:
      return packed ? rates.multiply : rates.multiply_strided;
    case VectorOp::multiply_accumulate_scalar:
      return packed ? rates.accumulate : rates.accumulate_strided;
    case VectorOp::add:
    case VectorOp::subtract:
      return packed ? rates.add : rates.add_strided;
    case VectorOp::move:
      return rates.move;
    case VectorOp::move_block:
      return rates.move_block;
  }
  return 0;
}

struct Single {
  static float round(float value) { return value; }
  static float fused(float a, float b, float c) { return std::fma(a, b, c); }
};

/// Sums and products of halves, rounded to a half. A product of two halves is exact in float, and a
/// float has more than twice the digits of a half plus two, so rounding twice rounds once. A fused
/// multiply-add needs the exact sum: double holds it wherever it decides the rounding.
struct HalfArithmetic {
  static float round(float value) {
    const float magnitude = std::fabs(value);
    const float scaled = value * 8193.0F;  // 2^13 + 1: splits off the 13 digits a half lacks
    const float normal = scaled - (scaled - value);
    const float tiny = (value + 0.75F) - 0.75F;  // subnormal halves are multiples of 2^-24
    float result = magnitude < 6.103515625e-05F ? tiny : normal;
    if (magnitude >= 65520.0F) result = std::copysign(std::numeric_limits<float>::infinity(), value);
    return value != value ? value : result;
  }
  static float fused(float a, float b, float c) {
    const double exact = static_cast<double>(a * b) + static_cast<double>(c);
    const auto nearest = static_cast<float>(exact);
    // Round to odd on the way from double to float keeps the final rounding single.
    const double lost = exact - static_cast<double>(nearest);
    if (lost == 0.0 || !std::isfinite(nearest)) return round(nearest);
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, &nearest, sizeof bits);
    if ((bits & 1U) == 0) {
      const bool away = (lost > 0) == (nearest > 0 || (nearest == 0 && exact > 0));
      bits = away ? bits + 1 : bits - 1;
    }
    float odd = 0;
    __builtin_memcpy(&odd, &bits, sizeof odd);
    return round(odd);
  }
};

/// One instruction over all lanes; `apply(a, b)` gives the element.
template <class Apply>
inline void sweep(const VectorInstruction& instruction, float* memory, const Apply& apply) {
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
inline void run(const VectorInstruction& instruction, float* memory) {
  const float scalar = instruction.scalar;
  switch (instruction.op) {
    case VectorOp::multiply_scalar:
      return sweep(instruction, memory,
                   [=](float a, float) { return Arithmetic::round(a * scalar); });
    case VectorOp::multiply_accumulate_scalar:
      return sweep(instruction, memory,
                   [=](float a, float b) { return Arithmetic::fused(a, scalar, b); });
    case VectorOp::multiply:
      return sweep(instruction, memory,
                   [](float a, float b) { return Arithmetic::round(a * b); });
    case VectorOp::add:
      return sweep(instruction, memory,
                   [](float a, float b) { return Arithmetic::round(a + b); });
    case VectorOp::subtract:
      return sweep(instruction, memory,
                   [](float a, float b) { return Arithmetic::round(a - b); });
    case VectorOp::move:
    case VectorOp::move_block:
      return sweep(instruction, memory, [](float a, float) { return a; });
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

}  // namespace

double KernelProgram::cycles(const KernelRates& rates) const {
  double sum = 0;
  for (const VectorInstruction& instruction : instructions)
    sum += static_cast<double>(instruction.count()) * rate_of(instruction, rates);
  for (const ScalarWork& work : scalar_work) sum += static_cast<double>(work.times) * work.cycles;
  return sum;
}

std::int64_t KernelProgram::bytes(Precision precision) const {
  return std::int64_t{memory_reals} * (precision == Precision::f16 ? 2 : 4);
}

void execute(const KernelProgram& program, Precision precision, std::span<float> memory) {
  const VectorInstruction* begin = program.instructions.data();
  const VectorInstruction* end = begin + program.instructions.size();
  (precision == Precision::f16 ? run_half : run_single)(begin, end, memory.data());
}

float round_to_half(float value) { return HalfArithmetic::round(value); }

}  // namespace weft::fabric
