// SPDX-License-Identifier: BSD-3-Clause
// Enumerators as text, for listings, messages and emitted code. The texts are the C++ names.
#include "codelet/runtime/names.hpp"

#include "codelet/runtime/registry.hpp"

namespace weft::codelet {

const char* to_string(Isa isa) {
  constexpr const char* names[] = {"scalar", "neon", "avx2", "avx512"};
  return names[static_cast<int>(isa)];
}

const char* to_string(KernelLayout layout) {
  constexpr const char* names[] = {"unit", "strided", "tile", "planar", "line"};
  return names[static_cast<int>(layout)];
}

const char* to_string(Twiddle twiddle) {
  constexpr const char* names[] = {"none", "broadcast_in", "vector_in"};
  return names[static_cast<int>(twiddle)];
}

const char* to_string(KernelTransform transform) {
  constexpr const char* names[] = {
      "dft",    "real_forward", "real_backward", "halfcomplex_forward", "halfcomplex_backward",
      "hartley"};
  return names[static_cast<int>(transform)];
}

std::string to_string(const KernelKey& key) {
  std::string text = std::string(to_string(key.isa)) + " " + to_string(key.precision) + " " +
                     to_string(key.transform) + " " + std::to_string(key.radix) + " " +
                     to_string(key.in) + "->" + to_string(key.out);
  if (key.twiddle != Twiddle::none) text += std::string(" ") + to_string(key.twiddle);
  if (key.scaled) text += " scaled";
  if (key.backward) text += " backward";
  return text;
}

}  // namespace weft::codelet
