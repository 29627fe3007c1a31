// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets that can be used: the CPU has them, the operating system saves their
// registers, and the registry has kernels for them.
#include "codelet/runtime/isa.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet {
namespace {

bool cpu_supports(Isa isa) {
  if (isa == Isa::scalar) return true;
#if defined(__x86_64__)
  // GCC's run-time check includes XGETBV: it is false if the operating system does not save the
  // registers.
  __builtin_cpu_init();
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
  if (isa == Isa::neon) return true;
#endif
  return false;
}

bool is_built(Isa isa) {
  return std::ranges::any_of(kernels(),
                             [&](const CompiledKernel& kernel) { return kernel.key.isa == isa; });
}

std::vector<Isa> detect() {
  const char* limit = std::getenv("WEFT_ISA");
  std::vector<Isa> isas;
  for (Isa isa : {Isa::scalar, Isa::neon, Isa::avx2, Isa::avx512}) {
    if (cpu_supports(isa) && is_built(isa)) isas.push_back(isa);
    if (limit != nullptr && std::string(limit) == to_string(isa)) break;
  }
  return isas;
}

}  // namespace

std::vector<Isa> available_isas() {
  static const std::vector<Isa> isas = detect();
  return isas;
}

Isa best_isa() { return available_isas().back(); }

}  // namespace weft::codelet
