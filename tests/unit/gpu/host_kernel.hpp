// SPDX-License-Identifier: BSD-3-Clause
// Runs emitted GPU kernels without a GPU: the text is compiled as C++, with loops in place of
// threads.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "gpu/recipe/recipe.hpp"

namespace weft::test {

/// Emitted text, compiled for the host and loaded; the files it took are removed.
class HostLibrary {
 public:
  explicit HostLibrary(const std::string& text);
  ~HostLibrary();
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  /// Null when the text does not compile or has no such function.
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;
  void* handle_ = nullptr;
};

/// Runs all steps on `input` (complex, or real parts alone where the input is real) and returns the
/// output array of `output_elements`; values travel in the precision of the passes.
std::vector<std::complex<double>> run_on_host(const gpu::Recipe& recipe,
                                              const std::vector<std::complex<double>>& input,
                                              Index output_elements, double scale = 1.0);
/// The same for several inputs, compiled once.
std::vector<std::vector<std::complex<double>>> run_each_on_host(
    const gpu::Recipe& recipe, const std::vector<std::vector<std::complex<double>>>& inputs,
    Index output_elements, double scale = 1.0);

}  // namespace weft::test
