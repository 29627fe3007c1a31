// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the kernels of prime radix, compiled once per instruction set: each
// prime_kernels_<isa>.cpp defines WEFT_ISA_NAMESPACE, Simd and sizes of blocks and includes this
// file.
//
// With s_j = x_j + x_(p-j), d_j = x_j - x_(p-j) for j = 1..h the DFT is
//   A_k = x_0 + sum_j cos(2 pi j k / p) s_j,   B_k = sum_j sin(2 pi j k / p) d_j,
//   X_k = A_k - i B_k,   X_(p-k) = A_k + i B_k,
// two products with real matrices of h x h. The order of rows that prime_kernels.hpp explains makes
// both matrices circulant. The results of K rows stay in registers, each pair is read once per K
// rows. The kernels are flattened, as emitted ones are: GCC would call the functions that load and
// store sixteen lanes, with a branch for every lane.
#include <iterator>

#include "codelet/prime/prime_kernels.hpp"

namespace weft::codelet::WEFT_ISA_NAMESPACE {
namespace {

constexpr int most_pairs = largest_prime_radix / 2;

template <class Real>
constexpr KernelLayout planar_or_strided =
    Simd<Real>::lanes == 1 ? KernelLayout::strided : KernelLayout::planar;

/// Rows of complex or real numbers in memory, by layout.
template <class Real, KernelLayout layout>
struct PrimeRows {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  using Row = typename S::Row;
  const simd::Stride lane;

  explicit PrimeRows(Index reals) : lane(simd::Stride::of<Real>(reals)) {}

  [[gnu::always_inline]] Row load(const Real* p) const {
    if constexpr (layout == KernelLayout::planar)
      return {S::load(p), S::load(p + S::lanes)};
    else if constexpr (layout == KernelLayout::unit)
      return S::load_unit(p, p + S::lanes);
    else
      return S::load_strided({p, lane});
  }
  [[gnu::always_inline]] void store(Real* p, const Row& row) const {
    if constexpr (layout == KernelLayout::planar) {
      S::store(p, row.re);
      S::store(p + S::lanes, row.im);
    } else if constexpr (layout == KernelLayout::unit) {
      S::store_unit(p, p + S::lanes, row);
    } else {
      S::store_strided({p, lane}, row);
    }
  }
  [[gnu::always_inline]] Vec load_real(const Real* p) const {
    if constexpr (layout == KernelLayout::unit)
      return S::load_real_unit(p);
    else
      return S::load_real_strided({p, lane});
  }
  [[gnu::always_inline]] void store_real(Real* p, Vec v) const {
    if constexpr (layout == KernelLayout::unit)
      S::store_real_unit(p, v);
    else
      S::store_real_strided({p, lane}, v);
  }
};

/// The sums and differences of mirror images; of real rows there is no imaginary part.
template <class Real>
struct ComplexPair {
  using Row = typename Simd<Real>::Row;
  Row sum, difference;
};
template <class Real>
struct RealPair {
  typename Simd<Real>::Vec sum, difference;
};

/// A_k and B_k of K rows k, whose first cosine is at `roots`.
template <int K, class Real>
[[gnu::always_inline]] inline void multiply_pairs(const ComplexPair<Real>* pairs, int h,
                                                  const Real* roots,
                                                  const typename Simd<Real>::Row& first,
                                                  ComplexPair<Real> (&result)[K]) {
  using S = Simd<Real>;
  for (int k = 0; k < K; ++k) result[k] = {first, {S::set(Real(0)), S::set(Real(0))}};
  for (int q = 0; q < h; ++q, ++pairs, roots += 2) {
    const ComplexPair<Real> x = *pairs;
#pragma GCC unroll 16
    for (int k = 0; k < K; ++k) {
      const auto c = S::broadcast(roots + 2 * k), s = S::broadcast(roots + 2 * k + 1);
      result[k].sum.re = S::fma(c, x.sum.re, result[k].sum.re);
      result[k].sum.im = S::fma(c, x.sum.im, result[k].sum.im);
      result[k].difference.re = S::fma(s, x.difference.re, result[k].difference.re);
      result[k].difference.im = S::fma(s, x.difference.im, result[k].difference.im);
    }
  }
}
template <int K, class Real>
[[gnu::always_inline]] inline void multiply_pairs(const RealPair<Real>* pairs, int h,
                                                  const Real* roots,
                                                  const typename Simd<Real>::Vec& first,
                                                  RealPair<Real> (&result)[K]) {
  using S = Simd<Real>;
  for (int k = 0; k < K; ++k) result[k] = {first, S::set(Real(0))};
  for (int q = 0; q < h; ++q, ++pairs, roots += 2) {
    const RealPair<Real> x = *pairs;
#pragma GCC unroll 16
    for (int k = 0; k < K; ++k) {
      result[k].sum = S::fma(S::broadcast(roots + 2 * k), x.sum, result[k].sum);
      result[k].difference =
          S::fma(S::broadcast(roots + 2 * k + 1), x.difference, result[k].difference);
    }
  }
}

template <int K, class Pair, class Real, class First>
[[gnu::always_inline]] inline void one_block(const Pair* pairs, int h, const Real* roots,
                                             const First& first, Pair* results) {
  Pair block[K];
  multiply_pairs<K>(pairs, h, roots, first, block);
#pragma GCC unroll 16
  for (int k = 0; k < K; ++k) results[k] = block[k];
}
/// The last rows, K or fewer.
template <int K, class Pair, class Real, class First>
[[gnu::always_inline]] inline void last_block(const Pair* pairs, int h, int left, const Real* roots,
                                              const First& first, Pair* results) {
  if (left == K) return one_block<K>(pairs, h, roots, first, results);
  if constexpr (K > 1) last_block<K - 1>(pairs, h, left, roots, first, results);
}
/// All h rows, block by block; one function for all layouts.
template <BlockSizes block_sizes, class Pair, class Real, class First>
[[gnu::noinline]] void multiply_all(const Pair* pairs, int h, const Real* roots, const First& first,
                                    Pair* results) {
  int left = h;
  for (; left > block_sizes.most; left -= block_sizes.usual) {
    one_block<block_sizes.usual>(pairs, h, roots, first, results);
    roots += 2 * block_sizes.usual;
    results += block_sizes.usual;
  }
  last_block<block_sizes.most>(pairs, h, left, roots, first, results);
}

/// Row i times its factor, if there are factors.
template <class Real, Twiddle twiddle>
[[gnu::always_inline]] inline typename Simd<Real>::Row twiddled(typename Simd<Real>::Row x,
                                                                const Real* factors, int i) {
  using S = Simd<Real>;
  if constexpr (twiddle == Twiddle::none) return x;
  typename S::Vec c, s;
  if constexpr (twiddle == Twiddle::vector_in) {
    c = S::load(factors + 2 * S::lanes * (i - 1));
    s = S::load(factors + 2 * S::lanes * (i - 1) + S::lanes);
  } else {
    c = S::broadcast(factors + 2 * (i - 1));
    s = S::broadcast(factors + 2 * (i - 1) + 1);
  }
  return {S::fms(x.re, c, x.im * s), S::fma(x.re, s, x.im * c)};
}

template <class Real>
const PrimeTable<Real>& table_in(const KernelArguments& a) {
  return *static_cast<const PrimeTable<Real>*>(static_cast<const PrimeArguments&>(a).table);
}

template <class Real, KernelLayout in_layout, KernelLayout out_layout, Twiddle twiddle, bool scaled>
[[gnu::flatten]] void prime_dft(const void* in, void* out, const void* twiddles,
                                const KernelArguments& a) {
  using S = Simd<Real>;
  using Row = typename S::Row;
  const PrimeTable<Real>& table = table_in<Real>(a);
  const int p = table.radix, h = p / 2;
  const int* rows = table.rows.data();
  const PrimeRows<Real, in_layout> source(a.in_lane);
  const PrimeRows<Real, out_layout> target(a.out_lane);
  const auto scale = S::set(static_cast<Real>(a.scale));
  const auto* x = static_cast<const Real*>(in);
  const auto* factors = static_cast<const Real*>(twiddles);
  auto* y = static_cast<Real*>(out);
  ComplexPair<Real> pairs[most_pairs], results[most_pairs];
  const auto store = [&](Index at, Row row) {
    if constexpr (scaled) row = {row.re * scale, row.im * scale};
    target.store(y + at, row);
  };
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step, factors += a.twiddle_step) {
    const Row first = source.load(x);
    Row sum = first;
    for (int q = 0; q < h; ++q) {
      const int j = rows[q];
      const Row u = twiddled<Real, twiddle>(source.load(x + j * a.in_row), factors, j);
      const Row v = twiddled<Real, twiddle>(source.load(x + (p - j) * a.in_row), factors, p - j);
      pairs[q] = {{u.re + v.re, u.im + v.im}, {u.re - v.re, u.im - v.im}};
      sum = {sum.re + pairs[q].sum.re, sum.im + pairs[q].sum.im};
    }
    store(a.out_first, sum);
    multiply_all<complex_blocks>(pairs, h, table.roots.data(), first, results);
    for (int r = 0; r < h; ++r) {
      const ComplexPair<Real>& k = results[r];
      store(rows[r] * a.out_row, {k.sum.re + k.difference.im, k.sum.im - k.difference.re});
      store((p - rows[r]) * a.out_row, {k.sum.re - k.difference.im, k.sum.im + k.difference.re});
    }
  }
}

/// X_k = A_k - i B_k for k <= h, and only one of k and p - k is asked for.
template <class Real, KernelLayout in_layout, KernelLayout out_layout>
[[gnu::flatten]] void prime_real_forward(const void* in, void* out, const void*,
                                         const KernelArguments& a) {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  const PrimeTable<Real>& table = table_in<Real>(a);
  const int p = table.radix, h = p / 2;
  const int* rows = table.rows.data();
  const PrimeRows<Real, in_layout> source(a.in_lane);
  const PrimeRows<Real, out_layout> target(a.out_lane);
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  RealPair<Real> pairs[most_pairs], results[most_pairs];
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    const Vec first = source.load_real(x);
    Vec sum = first;
    for (int q = 0; q < h; ++q) {
      const Vec u = source.load_real(x + rows[q] * a.in_row);
      const Vec v = source.load_real(x + (p - rows[q]) * a.in_row);
      pairs[q] = {u + v, u - v};
      sum = sum + pairs[q].sum;
    }
    target.store(y + a.out_first, {sum, S::set(Real(0))});
    multiply_all<real_blocks>(pairs, h, table.roots.data(), first, results);
    for (int r = 0; r < h; ++r) {
      const RealPair<Real>& k = results[r];
      const bool is_kept = rows[r] <= h;
      target.store(y + (is_kept ? rows[r] : p - rows[r]) * a.out_row,
                   {k.sum, is_kept ? S::set(Real(0)) - k.difference : k.difference});
    }
  }
}

/// x_j = A_j - B_j with the sums over 2 Re X_k and 2 Im X_k, X_(p-k) being the conjugate of X_k.
template <class Real, KernelLayout in_layout, KernelLayout out_layout, bool scaled>
[[gnu::flatten]] void prime_real_backward(const void* in, void* out, const void*,
                                          const KernelArguments& a) {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  using Row = typename S::Row;
  const PrimeTable<Real>& table = table_in<Real>(a);
  const int p = table.radix, h = p / 2;
  const int* rows = table.rows.data();
  const PrimeRows<Real, in_layout> source(a.in_lane);
  const PrimeRows<Real, out_layout> target(a.out_lane);
  const auto scale = S::set(static_cast<Real>(a.scale));
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  RealPair<Real> pairs[most_pairs], results[most_pairs];
  const auto store = [&](Index at, Vec v) {
    if constexpr (scaled) v = v * scale;
    target.store_real(y + at, v);
  };
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    const Vec first = source.load(x).re;
    Vec sum = first;
    for (int q = 0; q < h; ++q) {
      const bool is_kept = rows[q] <= h;
      const Row u = source.load(x + (is_kept ? rows[q] : p - rows[q]) * a.in_row);
      const Vec im = is_kept ? u.im : S::set(Real(0)) - u.im;
      pairs[q] = {u.re + u.re, im + im};
      sum = sum + pairs[q].sum;
    }
    store(a.out_first, sum);
    multiply_all<real_blocks>(pairs, h, table.roots.data(), first, results);
    for (int r = 0; r < h; ++r) {
      store(rows[r] * a.out_row, results[r].sum - results[r].difference);
      store((p - rows[r]) * a.out_row, results[r].sum + results[r].difference);
    }
  }
}

using enum KernelLayout;
using enum Twiddle;
using enum KernelTransform;

template <class Real, KernelLayout in, KernelLayout out, Twiddle twiddle, bool scaled = false>
constexpr PrimeFunction complex_function{in,     out, twiddle,
                                         scaled, dft, &prime_dft<Real, in, out, twiddle, scaled>};
template <class Real, KernelLayout in, KernelLayout out = planar_or_strided<Real>>
constexpr PrimeFunction forward_function{in,    out,          none,
                                         false, real_forward, &prime_real_forward<Real, in, out>};
template <class Real, KernelLayout out, bool scaled, KernelLayout in = planar_or_strided<Real>>
constexpr PrimeFunction backward_function{
    in, out, none, scaled, real_backward, &prime_real_backward<Real, in, out, scaled>};

template <class Real>
struct PrimeFunctions {
  static constexpr PrimeFunction list[] = {
      complex_function<Real, unit, unit, none>,
      complex_function<Real, unit, unit, none, true>,
      complex_function<Real, strided, strided, none>,
      complex_function<Real, strided, strided, none, true>,
      complex_function<Real, unit, planar, none>,
      complex_function<Real, strided, planar, none>,
      complex_function<Real, planar, planar, none>,
      complex_function<Real, planar, planar, broadcast_in>,
      complex_function<Real, planar, unit, broadcast_in>,
      complex_function<Real, planar, unit, broadcast_in, true>,
      complex_function<Real, planar, strided, broadcast_in>,
      complex_function<Real, planar, strided, broadcast_in, true>,
      complex_function<Real, strided, unit, vector_in>,
      complex_function<Real, strided, unit, vector_in, true>,
      forward_function<Real, unit>,
      forward_function<Real, unit, unit>,
      backward_function<Real, unit, false, unit>,
      backward_function<Real, unit, true, unit>,
      forward_function<Real, strided>,
      backward_function<Real, unit, false>,
      backward_function<Real, unit, true>,
      backward_function<Real, strided, false>,
      backward_function<Real, strided, true>};
  static_assert(std::size(list) <= most_prime_functions);
};
/// With one lane all layouts are the same.
template <class Real>
  requires(Simd<Real>::lanes == 1)
struct PrimeFunctions<Real> {
  static constexpr PrimeFunction list[] = {
      complex_function<Real, strided, strided, none>,
      complex_function<Real, strided, strided, none, true>,
      complex_function<Real, strided, strided, broadcast_in>,
      complex_function<Real, strided, strided, broadcast_in, true>,
      forward_function<Real, strided>,
      backward_function<Real, strided, false>,
      backward_function<Real, strided, true>};
};

}  // namespace

std::span<const PrimeFunction> prime_functions(Precision precision) {
  if (precision == Precision::f64) return PrimeFunctions<double>::list;
  return PrimeFunctions<float>::list;
}

}  // namespace weft::codelet::WEFT_ISA_NAMESPACE
