// SPDX-License-Identifier: BSD-3-Clause
// Whether the input and the output of a plan share memory.
#pragma once

#include <cstdint>

#include "problem/array_problem.hpp"

namespace weft::problem {

/// Whether writing the output would destroy input that is still needed: true if the two arrays
/// share memory and are not exactly the same array.
bool overlap_harmfully(const ArrayProblem& problem, const void* in, const void* out);

/// Where an array begins; `imag` is null unless it is split.
struct SplitPointers {
  const void *data, *imag;
};
bool overlap_harmfully(const ArrayProblem& problem, const SplitPointers& in,
                       const SplitPointers& out);
/// Whether the two arrays of a split output share memory.
bool shares_memory_with_itself(const ArrayProblem& problem, const SplitPointers& out);

/// The quick check of every execution: a few comparisons, which are enough in most cases.
class Apartness {
 public:
  explicit Apartness(const ArrayProblem& problem);

  /// True if both are aligned and not null, and they are separate ranges of memory or the same
  /// array. If false, they may still be valid: overlap_harmfully() tells.
  bool is_certain(const void* in, const void* out) const noexcept {
    const auto a = reinterpret_cast<std::uintptr_t>(in), b = reinterpret_cast<std::uintptr_t>(out);
    if (a == 0 || b == 0 || ((a | b) & misaligned_) != 0) return false;
    const auto distance = static_cast<std::intptr_t>(b - a);
    return distance >= after_ || distance <= before_ || (distance == 0 && works_in_place_);
  }

 private:
  std::uintptr_t misaligned_;  // bits of an address
  // From input to output, in bytes. Nothing is certain of empty and of split arrays.
  std::intptr_t after_ = INTPTR_MAX, before_ = INTPTR_MIN;
  bool works_in_place_ = false;
};

}  // namespace weft::problem
