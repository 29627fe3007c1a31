// SPDX-License-Identifier: BSD-3-Clause
// Emitted kernels on a machine without a GPU: the text is compiled as C++ and run with loops for
// threads.
#pragma once

#include <complex>
#include <vector>

#include "gpu/recipe.hpp"

namespace weft::test {

/// Runs all steps on `input` (complex, or real parts alone where the input is real) and returns the
/// output array of `output_elements`; values travel in the precision of the passes.
std::vector<std::complex<double>> run_on_host(const gpu::Recipe& recipe,
                                              const std::vector<std::complex<double>>& input,
                                              Index output_elements, double scale = 1.0);

}  // namespace weft::test
