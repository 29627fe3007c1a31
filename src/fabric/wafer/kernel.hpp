// SPDX-License-Identifier: BSD-3-Clause
// What a processing element computes between two exchanges, as a program of vector instructions on
// its memory. The program is executed on actual data in the machine's arithmetic, and a table of
// rates gives its cycles. All elements run the same program, so it is executed on many pencils
// (lines of numbers) at once.
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
  move_block,  ///< the same for a short run inside one array (the reshape of Listing 1)
};

/// The addresses of an operand of a vector instruction: three nested loops over reals.
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

/// Cycles per real number and per control operation. The data path takes four FP16 numbers or one
/// or two FP32 numbers at once, but only if they are consecutive.
struct KernelRates {
  double multiply = 1, multiply_strided = 1;
  double accumulate = 1, accumulate_strided = 1;
  double add = 0.5, add_strided = 1;  ///< also subtract
  double move = 0.5, move_block = 1.5;
  int pack = 2;           ///< number of consecutive numbers in a packed add or move
  double issue = 1;       ///< start of a vector instruction
  double descriptor = 2;  ///< update of one operand descriptor
  double scalar = 1;      ///< load, negation, addition, branch
};

/// Control code between the vector instructions: how often it runs, and its operations.
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
  std::int32_t memory_reals = 0;       ///< all memory that it uses, including constants
  std::int32_t input = 0, output = 0;  ///< addresses of the first real number
  std::vector<ScalarWork> scalar_work;
  /// After this many instructions and this much scalar work the first part of the outputs is
  /// complete (parts_kernel).
  std::size_t part_instructions = 0, part_scalar_work = 0;

  double cycles(const KernelRates& rates) const;
  double cycles_of_first_part(const KernelRates& rates) const;
  std::int64_t bytes(Precision precision) const;
};

/// Listing 1 of the wsFFT paper, corrected so that it runs: radix 2; after each stage the data are
/// moved so that both halves stay contiguous. `length` must be a power of two.
KernelProgram listing1_kernel(std::int64_t length, Direction direction, Precision precision);

/// Mixed radix (Stockham) without extra moves: every stage writes where the next one reads. The
/// first stage has no twiddle factors; the others use them as scalars if runs are long and as
/// vectors if they are short. Any length with prime factors up to 512; factors larger than 5 are
/// computed by the definition of the DFT.
KernelProgram stockham_kernel(std::int64_t length, Direction direction, Precision precision,
                              const KernelRates& rates);

/// The same in two or four parts, of which the first is complete before the others: output number
/// k of part q is y[parts k + q], and the parts are stored one after another. `length` is a
/// multiple of `parts`.
KernelProgram parts_kernel(int parts, std::int64_t length, Direction direction, Precision precision,
                           const KernelRates& rates);

/// Executes the program on `lanes` pencils side by side: number k of pencil l is at
/// memory[k * lanes + l]. With FP16 every result is rounded to half precision.
inline constexpr int kernel_lanes = 16;
void execute(const KernelProgram& program, Precision precision, std::span<float> memory);
/// The same results without the host's conversion instructions: for tests, and for hosts without
/// them.
void execute_portably(const KernelProgram& program, Precision precision, std::span<float> memory);

/// Rounds to the nearest half, ties to even, and returns it as float; overflow gives infinity.
float round_to_half(float value);

}  // namespace weft::fabric
