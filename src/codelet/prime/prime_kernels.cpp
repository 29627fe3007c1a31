// SPDX-License-Identifier: BSD-3-Clause
// The kernels of prime radix of this build, and their tables. The build defines WEFT_HAS_<ISA> for
// the instruction sets that it compiles.
#include "codelet/prime/prime_kernels.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "base/index.hpp"
#include "base/roots.hpp"
#include "codelet/dense/dense_lines.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet {

#ifdef WEFT_HAS_SCALAR
namespace scalar {
std::span<const PrimeFunction> prime_functions(Precision precision);
}
#endif
#ifdef WEFT_HAS_NEON
namespace neon {
std::span<const PrimeFunction> prime_functions(Precision precision);
}
#endif
#ifdef WEFT_HAS_AVX2
namespace avx2 {
std::span<const PrimeFunction> prime_functions(Precision precision);
}
#endif
#ifdef WEFT_HAS_AVX512
namespace avx512 {
std::span<const PrimeFunction> prime_functions(Precision precision);
}
#endif

namespace {

constexpr int radices[] = {17, 19, 23, 29, 31, 37, 41,  43,  47,  53,  59,  61, 67,
                           71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127};

std::span<const PrimeFunction> functions_of(Isa isa, Precision precision) {
#ifdef WEFT_HAS_SCALAR
  if (isa == Isa::scalar) return scalar::prime_functions(precision);
#endif
#ifdef WEFT_HAS_NEON
  if (isa == Isa::neon) return neon::prime_functions(precision);
#endif
#ifdef WEFT_HAS_AVX2
  if (isa == Isa::avx2) return avx2::prime_functions(precision);
#endif
#ifdef WEFT_HAS_AVX512
  if (isa == Isa::avx512) return avx512::prime_functions(precision);
#endif
  static_cast<void>(isa), static_cast<void>(precision);
  return {};
}

OperationCount count_of(const PrimeFunction& function, int radix) {
  const int h = radix / 2;
  OperationCount count;
  if (function.transform == KernelTransform::dft) {
    count.additions = 10 * h;
    count.fused = 4 * h * h;
    if (function.twiddle != Twiddle::none) {
      count.multiplications = 2 * (radix - 1);
      count.fused += 2 * (radix - 1);
    }
    if (function.scaled) count.multiplications += 2 * radix;
  } else {
    count.additions = 5 * h;
    count.fused = 2 * h * h;
    if (function.scaled) count.multiplications = radix;
  }
  return count;
}

/// The kernels of an instruction set, by precision, radix and layout. Nothing is allocated.
struct PrimeKernels {
  std::array<CompiledKernel, 2 * std::size(radices) * most_prime_functions> all;
  std::size_t layouts = 0;

  explicit PrimeKernels(Isa isa) {
    CompiledKernel* next = all.data();
    for (Precision precision : {Precision::f32, Precision::f64}) {
      const auto functions = functions_of(isa, precision);
      layouts = functions.size();
      for (int radix : radices)
        for (const PrimeFunction& f : functions) {
          KernelKey key{.isa = isa,
                        .precision = precision,
                        .radix = radix,
                        .in = f.in,
                        .out = f.out,
                        .twiddle = f.twiddle,
                        .scaled = f.scaled};
          key.transform = f.transform;
          *next++ = {key, f.function, count_of(f, radix)};
        }
    }
  }
  std::span<const CompiledKernel> of(Precision precision, std::size_t radix) const {
    const std::size_t first = (precision == Precision::f64 ? std::size(radices) : 0) + radix;
    return std::span(all).subspan(first * layouts, layouts);
  }
};

const PrimeKernels& kernels_of(Isa isa) {
  static const std::array<PrimeKernels, 4> kernels{PrimeKernels(Isa::scalar),
                                                   PrimeKernels(Isa::neon), PrimeKernels(Isa::avx2),
                                                   PrimeKernels(Isa::avx512)};
  return kernels[static_cast<std::size_t>(isa)];
}

std::size_t place_of(int radix) {
  return static_cast<std::size_t>(std::ranges::lower_bound(radices, radix) - std::begin(radices));
}

template <class Real>
PrimeTable<Real> make_table(int radix) {
  PrimeTable<Real> table{.radix = radix, .rows = {}, .roots = {}};
  const auto generator = static_cast<int>(primitive_root(radix));
  int power = 1;
  for (int m = 0; m + 1 < radix; ++m, power = power * generator % radix) {
    if (m < radix / 2) table.rows.push_back(power);
    const auto root = root_of_unity(radix, power);
    table.roots.push_back(static_cast<Real>(root.real()));
    table.roots.push_back(static_cast<Real>(-root.imag()));
  }
  return table;
}

}  // namespace

std::span<const int> prime_radices() { return radices; }

bool is_prime_radix(int radix) { return std::ranges::binary_search(radices, radix); }

template <class Real>
const PrimeTable<Real>* prime_table(int radix) {
  struct Entry {
    std::once_flag made;
    PrimeTable<Real> table;
  };
  static std::array<Entry, std::size(radices)> entries;
  Entry& entry = entries[place_of(radix)];
  std::call_once(entry.made, [&] { entry.table = make_table<Real>(radix); });
  return &entry.table;
}
template const PrimeTable<float>* prime_table(int);
template const PrimeTable<double>* prime_table(int);

const void* table_of(const KernelKey& key) {
  if (is_dense_line(key)) return dense_table_of(key);
  if (!is_prime_radix(key.radix)) return nullptr;
  if (key.precision == Precision::f64) return prime_table<double>(key.radix);
  return prime_table<float>(key.radix);
}

const CompiledKernel* find_prime_kernel(const KernelKey& key) noexcept {
  if (!is_prime_radix(key.radix)) return nullptr;
  KernelKey wanted = key;
  if (wanted.isa == Isa::scalar && wanted.in == KernelLayout::tile)
    wanted.in = wanted.out = KernelLayout::strided;
  wanted = canonical(wanted);
  // A tile is read as lanes that lie apart.
  if (wanted.in == KernelLayout::tile) wanted.in = KernelLayout::strided;
  for (const CompiledKernel& kernel : kernels_of(key.isa).of(key.precision, place_of(key.radix)))
    if (kernel.key == wanted) return &kernel;
  return nullptr;
}

std::span<const CompiledKernel> prime_kernels(Isa isa) {
  const PrimeKernels& kernels = kernels_of(isa);
  return std::span(kernels.all).first(2 * std::size(radices) * kernels.layouts);
}

}  // namespace weft::codelet
