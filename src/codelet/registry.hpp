// SPDX-License-Identifier: BSD-3-Clause
// The run-time registry of generated kernels and the choice of instruction set. Second stage of the
// way of the data seen from src/local: ask for a key, get a function that obeys
// docs/codelet_contract.md.
//
//   const Kernel* k = find_kernel({.isa = best_isa(), .precision = Precision::f64, .radix = 16,
//                                  .in = Layout::unit, .out = Layout::planar});
//   if (k) k->function(in, out, nullptr, arguments);
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codelet/abi.hpp"

namespace weft::codelet {

/// The kernel of that key, or nullptr when it is not in the catalogue. Independent of the CPU: the
/// caller asks for an instruction set out of available_isas().
const Kernel* find_kernel(const KernelKey& key) noexcept;
/// All kernels of this build, ordered by instruction set, precision and radix.
std::span<const Kernel> kernels();

/// Lanes per register: how many transforms a kernel computes side by side.
constexpr int lanes(Isa isa, Precision precision) {
  const int f64_lanes = isa == Isa::avx512 ? 8 : isa == Isa::avx2 ? 4 : isa == Isa::neon ? 2 : 1;
  return isa == Isa::scalar || precision == Precision::f64 ? f64_lanes : 2 * f64_lanes;
}

/// Where lane `lane` lies within a planar register: x86 splits adjacent complex numbers by in-lane
/// shuffles, which leave the lanes in a fixed order other than their own. Planar buffers and
/// vector_in tables are in slot order; unit, strided and tile data are not affected.
constexpr int planar_slot(Isa isa, Precision precision, int lane) {
  const int v = lanes(isa, precision);
  const int half = v / 2;
  if (isa == Isa::avx2 && precision == Precision::f64) return lane % half * 2 + lane / half;
  if (isa == Isa::avx512 && precision == Precision::f64) return lane % half * 2 + lane / half;
  if ((isa == Isa::avx2 || isa == Isa::avx512) && precision == Precision::f32)
    return lane % half / 2 * 4 + lane / half * 2 + lane % 2;  // pairs of lanes stay together
  return lane;
}

/// Instruction sets that this build, this CPU and this operating system support, slowest first.
/// WEFT_ISA=scalar|neon|avx2|avx512 in the environment drops those above the named one.
std::vector<Isa> available_isas();
Isa best_isa();  ///< the last of available_isas()

/// "avx2 f64 16 unit->planar broadcast_in scaled": for messages and listings.
std::string to_string(const KernelKey& key);
const char* to_string(Isa isa);
const char* to_string(Precision precision);
const char* to_string(Layout layout);
const char* to_string(Twiddle twiddle);
const char* to_string(KernelTransform transform);

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const noexcept;
};

}  // namespace weft::codelet

template <>
struct std::hash<weft::codelet::KernelKey> : weft::codelet::KernelKeyHash {};
