// SPDX-License-Identifier: BSD-3-Clause
// What a compute element does between two exchanges, as a program of vector instructions over its
// memory: executed on real numbers, in the arithmetic of the machine, and charged with cycles by
// one table of rates. All elements run the same program, so it is executed on many pencils at once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/types.hpp"

namespace weft::fabric {

enum class VectorOp : std::uint8_t {
  multiply_scalar,             ///< dst = a * scalar
  multiply_accumulate_scalar,  ///< dst = b + a * scalar, one rounding
  multiply,                    ///< dst = a * b
  add,                         ///< dst = a + b
  subtract,                    ///< dst = a - b
  move,                        ///< dst = a
  move_block,                  ///< the same, a short run inside one array (Listing 1's reshape)
};

/// Where an operand of a vector instruction lies: a nest of three loops over real numbers.
struct Operand {
  std::int32_t base = 0;
  std::array<std::int32_t, 3> strides = {0, 0, 0};
  friend bool operator==(const Operand&, const Operand&) = default;
};

struct VectorInstruction {
  VectorOp op = VectorOp::move;
  std::array<std::int32_t, 3> extents = {1, 1, 1};  ///< slowest first
  Operand dst, a, b;
  float scalar = 0;

  std::int64_t count() const { return std::int64_t{extents[0]} * extents[1] * extents[2]; }
};

/// Cycles per real number, and per piece of control code. FP16 packs four numbers into a word of
/// the data path, FP32 two or one, and only runs of consecutive numbers profit.
struct KernelRates {
  double multiply = 1, multiply_strided = 1;
  double accumulate = 1, accumulate_strided = 1;
  double add = 0.5, add_strided = 1;  ///< also subtract
  double move = 0.5, move_block = 1.5;
  int pack = 2;           ///< consecutive numbers that a packed add or move wants
  double issue = 1;       ///< start of a vector instruction
  double descriptor = 2;  ///< update of one operand descriptor
  double scalar = 1;      ///< load, negation, addition, branch
};

/// Control code between the vector instructions: how often, and of what.
struct ScalarWork {
  std::int64_t times = 0;
  double issues = 0, descriptors = 0, scalars = 0;
};

struct KernelProgram {
  std::string name;
  std::int64_t length = 0;  ///< complex numbers of one pencil
  std::vector<VectorInstruction> instructions;
  std::vector<float> constants;  ///< roots of unity, at `constants_base` of the memory
  std::int32_t constants_base = 0;
  std::int32_t memory_reals = 0;       ///< everything it touches, constants included
  std::int32_t input = 0, output = 0;  ///< addresses of the first real number
  std::vector<ScalarWork> scalar_work;
  /// After so many of each the even outputs are complete (halves_kernel).
  std::size_t half_instructions = 0, half_scalar_work = 0;

  double cycles(const KernelRates& rates) const;
  double cycles_of_first_half(const KernelRates& rates) const;
  std::int64_t bytes(Precision precision) const;
};

/// Listing 1 of the wsFFT paper in its running form: radix 2, halves that stay contiguous by moving
/// them after each stage. `length` must be a power of two.
KernelProgram listing1_kernel(std::int64_t length, Direction direction, Precision precision);

/// Mixed radix without moves: every stage writes where the next one reads (Stockham), first stage
/// without twiddles, twiddles as scalars while runs are long and as vectors when they are short.
/// Any length; prime factors over 5 are done by their definition.
KernelProgram stockham_kernel(std::int64_t length, Direction direction, Precision precision,
                              const KernelRates& rates);

/// The same on two halves of an even length: the even outputs are complete first. They lie in
/// front, the odd ones behind them.
KernelProgram halves_kernel(std::int64_t length, Direction direction, Precision precision,
                            const KernelRates& rates);

/// Executes the program on `lanes` pencils side by side: number k of pencil l is at
/// memory[k * lanes + l]. FP16 rounds every result to a half.
inline constexpr int kernel_lanes = 16;
void execute(const KernelProgram& program, Precision precision, std::span<float> memory);
/// The same numbers without conversions of the host: for tests, and for hosts that have none.
void execute_portably(const KernelProgram& program, Precision precision, std::span<float> memory);

/// The nearest half, ties to even, kept as a float; overflow becomes infinity.
float round_to_half(float value);

}  // namespace weft::fabric
