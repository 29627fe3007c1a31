// SPDX-License-Identifier: BSD-3-Clause
// The run-time registry of generated kernels, and the choice of instruction set. src/local asks for
// a kernel by its key and gets a function; docs/codelet_contract.md says what it does.
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

#include "base/names.hpp"
#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

/// The key under which a kernel is built: with one lane all layouts are the same, so the
/// scalar catalogue has only strided kernels.
constexpr KernelKey canonical(KernelKey key) {
  if (key.isa != Isa::scalar || key.in == Layout::line) return key;
  key.in = key.out = Layout::strided;
  if (key.twiddle == Twiddle::vector_in) key.twiddle = Twiddle::broadcast_in;
  return key;
}

/// The kernel with this key, or nullptr if it is not in the catalogue. Does not check the CPU: the
/// caller must choose an instruction set from available_isas().
const Kernel* find_kernel(const KernelKey& key) noexcept;
/// All kernels of this build, ordered by instruction set, precision and radix.
std::span<const Kernel> kernels();

/// Lanes per register: how many transforms a kernel computes side by side.
constexpr int lanes(Isa isa, Precision precision) {
  const int f64_lanes = isa == Isa::avx512 ? 8 : isa == Isa::avx2 ? 4 : isa == Isa::neon ? 2 : 1;
  return isa == Isa::scalar || precision == Precision::f64 ? f64_lanes : 2 * f64_lanes;
}

/// The position ("slot") of lane `lane` in a planar register. On x86, adjacent complex numbers are
/// split by in-lane shuffles, which change the order of the lanes. Planar buffers and vector_in
/// tables are in slot order; unit, strided and tile data are not affected.
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
/// WEFT_ISA=scalar|neon|avx2|avx512 in the environment removes those above the given one.
std::vector<Isa> available_isas();
Isa best_isa();  ///< the last of available_isas()

/// "avx2 f64 16 unit->planar broadcast_in scaled": for messages and listings.
std::string to_string(const KernelKey& key);
const char* to_string(Isa isa);
const char* to_string(Layout layout);
const char* to_string(Twiddle twiddle);
const char* to_string(KernelTransform transform);

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const noexcept;
};

}  // namespace weft::codelet

template <>
struct std::hash<weft::codelet::KernelKey> : weft::codelet::KernelKeyHash {};
