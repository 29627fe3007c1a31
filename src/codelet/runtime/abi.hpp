// SPDX-License-Identifier: BSD-3-Clause
// The interface between a generated kernel and its caller: the key of a kernel, its signature and
// its arguments. docs/codelet_contract.md explains them. Every emitted file includes this header,
// so it is kept small.
#pragma once

#include "weft/index.hpp"

namespace weft::codelet {

enum class Isa { scalar, neon, avx2, avx512 };
enum class KernelLayout { unit, strided, tile, planar, line };
enum class Twiddle { none, broadcast_in, vector_in };
/// The last three have real numbers on both sides: FFTW's halfcomplex order, and Hartley's
/// transform.
enum class KernelTransform {
  dft,
  real_forward,
  real_backward,
  halfcomplex_forward,
  halfcomplex_backward,
  hartley
};

/// Identifies a kernel: everything in which two entries of the registry differ.
struct KernelKey {
  Isa isa = Isa::scalar;
  Precision precision = Precision::f64;
  int radix = 2;
  KernelLayout in = KernelLayout::strided;
  KernelLayout out = KernelLayout::strided;
  Twiddle twiddle = Twiddle::none;
  bool scaled = false;    ///< multiplies the result by KernelArguments::scale
  bool backward = false;  ///< exp(+2 pi i/r); only where the caller cannot reverse the output rows
  KernelTransform transform = KernelTransform::dft;

  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

/// Distances are signed and counted in reals; see docs/codelet_contract.md.
struct KernelArguments {
  Index in_row = 0, in_lane = 0, in_step = 0;
  Index out_row = 0, out_lane = 0, out_step = 0;
  Index out_first = 0;  ///< from `out` to output row 0
  Index twiddle_step = 0;
  Index count = 1;
  double scale = 1.0;
};

using KernelFunction = void (*)(const void* in, void* out, const void* twiddles,
                                const KernelArguments& arguments);

/// Real operations per repetition and lane as emitted.
struct OperationCount {
  int additions = 0;
  int multiplications = 0;
  int fused = 0;
  int negations = 0;

  /// Instructions: a fused operation counts once.
  constexpr int total() const { return additions + multiplications + fused + negations; }
  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

struct CompiledKernel {
  KernelKey key;
  KernelFunction function = nullptr;
  OperationCount count;
};

}  // namespace weft::codelet
