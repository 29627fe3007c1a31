// SPDX-License-Identifier: BSD-3-Clause
// Line kernels of 17 to 255 points for which this build has no generated one: one transform at a
// time, as products of a vector with the matrices of cosines and sines. Arithmetic grows with the
// square of the length, but it fills all registers and needs no shuffles: that is faster than
// passes over lanes, which would use one lane of a register. find_kernel() finds these kernels,
// too. They keep the contract of generated ones, but take PrimeArguments.
#pragma once

#include <span>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

inline constexpr int shortest_dense_line = 17, longest_dense_line = 255;

/// The matrices of n points. Row j has the cosines and then the sines of 2 pi j k / n, each filled
/// up to `columns`; rows are j = 1..n/2. k runs from 1 to (n-1)/2, or to n/4 if n is even.
template <class Real>
struct DenseTable {
  int points = 0, columns = 0;
  const Real* rows = nullptr;
};

/// Whether the kernel with this key is a dense one. The scalar instruction set has none.
bool is_dense_line(const KernelKey& key);
/// The kernel with this key if it is one of these, or nullptr.
const CompiledKernel* find_dense_line(const KernelKey& key) noexcept;
/// All of an instruction set of this build.
std::span<const CompiledKernel> dense_lines(Isa isa);
/// A DenseTable; made when first asked for, lasts until the program ends.
const void* dense_table_of(const KernelKey& key);
/// The size of its matrices.
Index dense_table_bytes(const KernelKey& key);

/// Lines per call of any line kernel, and the registers that hold one.
int lines_of(const KernelKey& line);
int registers_of(const KernelKey& line);

/// The function of every kind, without length: one list per instruction set and precision.
struct DenseFunction {
  KernelTransform transform;
  bool scaled, backward;
  KernelFunction function;
};

}  // namespace weft::codelet
