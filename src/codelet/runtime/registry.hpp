// SPDX-License-Identifier: BSD-3-Clause
// The run-time registry of generated kernels. src/local asks for a kernel by its key and gets a
// function; docs/codelet_contract.md says what it does.
//
//   const CompiledKernel* k = find_kernel({.isa = best_isa(), .precision = Precision::f64, .radix =
//   16,
//                                  .in = KernelLayout::unit, .out = KernelLayout::planar});
//   if (k) k->function(in, out, nullptr, arguments);
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

/// The key under which a kernel is built: with one lane all layouts are the same, so the
/// scalar catalogue has only strided kernels. Real ones of rows that are adjacent know their
/// addresses: 8 points take 4.6 ns instead of 6.3.
constexpr KernelKey canonical(KernelKey key) {
  if (key.isa != Isa::scalar || key.in == KernelLayout::line) return key;
  if (key.transform != KernelTransform::dft && key.in == KernelLayout::tile &&
      key.out == KernelLayout::tile)
    return key;
  key.in = key.out = KernelLayout::strided;
  if (key.twiddle == Twiddle::vector_in) key.twiddle = Twiddle::broadcast_in;
  return key;
}

/// Which sides of a kernel hold one real per row and lane.
constexpr bool has_real_input(KernelTransform transform) {
  return transform != KernelTransform::dft && transform != KernelTransform::real_backward;
}
constexpr bool has_real_output(KernelTransform transform) {
  return transform != KernelTransform::dft && transform != KernelTransform::real_forward;
}

/// The kernel with this key, or nullptr if it is not in the catalogue. Does not check the CPU: the
/// caller must choose an instruction set from available_isas().
const CompiledKernel* find_kernel(const KernelKey& key) noexcept;
/// The same of the emitted kernels only: no loops over a prime radix, no dense lines. Where a line
/// kernel is built with a scale only, that kernel is found for both keys: its scale may be 1.
const CompiledKernel* find_generated_kernel(const KernelKey& key) noexcept;
/// All kernels of this build, ordered by instruction set, precision and radix.
std::span<const CompiledKernel> kernels();

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

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const noexcept;
};

}  // namespace weft::codelet

template <>
struct std::hash<weft::codelet::KernelKey> : weft::codelet::KernelKeyHash {};
