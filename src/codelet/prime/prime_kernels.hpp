// SPDX-License-Identifier: BSD-3-Clause
// Kernels of odd prime radix from 17 to 127. They are not generated: one function per layout does
// every such radix, as a loop over a small table of cosines and sines. find_kernel() finds them
// beside the generated ones, and they keep the same contract, but they are called with
// PrimeArguments, which name the table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

inline constexpr int largest_prime_radix = 127;

/// The prime radices, ascending.
std::span<const int> prime_radices();
bool is_prime_radix(int radix);

/// What a prime radix p is computed from. With a generator g of the residues modulo p, the points
/// g^q and p - g^q, q < h = (p-1)/2, are the pairs of mirror images, and the product of the points
/// g^q and g^r is the point g^(q+r): the cosines that row r needs are the h neighbours from r on.
template <class Real>
struct PrimeTable {
  int radix = 0;
  std::vector<int> rows;    ///< g^q mod p, q < h
  std::vector<Real> roots;  ///< cosine and sine of 2 pi g^m / p, m < 2h
};
/// Made when first asked for; lasts until the program ends.
template <class Real>
const PrimeTable<Real>* prime_table(int radix);

/// The arguments of a kernel that may be one of prime radix, or a dense line.
struct PrimeArguments : KernelArguments {
  const void* table = nullptr;  ///< a PrimeTable or DenseTable; generated kernels ignore it
};
/// Null for a generated kernel.
const void* table_of(const KernelKey& key);

/// The kernel with this key if its radix is a prime one, or nullptr.
const CompiledKernel* find_prime_kernel(const KernelKey& key) noexcept;
/// All kernels of prime radix for an instruction set of this build.
std::span<const CompiledKernel> prime_kernels(Isa isa);

/// The function of every layout, without radix: one list per instruction set and precision.
struct PrimeFunction {
  KernelLayout in, out;
  Twiddle twiddle;
  bool scaled;
  KernelTransform transform;
  KernelFunction function;
};
inline constexpr std::size_t most_prime_functions = 23;

}  // namespace weft::codelet
