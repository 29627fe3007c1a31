// SPDX-License-Identifier: BSD-3-Clause
// Runs one kernel of the registry on seeded data in the layout of its key, and returns its output
// as plain matrices, so that a test can compare them with the definition in long double.
#pragma once

#include <complex>
#include <vector>

#include "codelet/runtime/registry.hpp"

namespace weft::codelet::test {

using Complex = std::complex<long double>;
/// element(repetition, lane, row); real data have no imaginary parts
struct Block {
  int repetitions, lanes, rows;
  std::vector<Complex> values;
  Block(int t, int v, int r) : repetitions(t), lanes(v), rows(r), values(t * v * r) {}
  Complex& operator()(int t, int l, int i) { return values[(t * lanes + l) * rows + i]; }
  const Complex& operator()(int t, int l, int i) const {
    return values[(t * lanes + l) * rows + i];
  }
};

struct Case {
  int count = 3;
  bool negative_strides = false;  ///< rows and lanes run downwards on both sides
  bool reverse_output = false;    ///< the out_first trick: a backward transform
  bool in_place = false;
};

struct Result {
  Block input, twiddles, output;
  bool wrote_elsewhere = false;  ///< something outside the output rows changed
};

/// Whether the layouts of the key admit the case.
bool admits(const KernelKey& key, const Case& test_case);
Result run_kernel(const CompiledKernel& kernel, const Case& test_case);
/// What the contract says the output must be.
Block expected_output(const CompiledKernel& kernel, const Case& test_case, const Result& result);
/// The factor given to scaled kernels.
constexpr double test_scale = 0.375;

}  // namespace weft::codelet::test
