// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the dense line kernels, compiled once per instruction set: each dense_lines_<isa>.cpp
// defines WEFT_ISA_NAMESPACE, Simd and the widths of blocks and includes this file.
//
// With e_j = x_j + x_(n-j), o_j = x_j - x_(n-j) for 0 < j < n/2, e_0 = x_0 and e_(n/2) = x_(n/2)
//   C_k = sum_j cos(2 pi j k / n) e_j,   S_k = sum_j sin(2 pi j k / n) o_j,   k = 0..n/2,
//   X_k = C_k - i S_k,   X_(n-k) = C_k + i S_k.
// Registers hold neighbouring k, so that C and S come as they are stored; e_j and o_j are
// broadcast. A real line of the spectrum goes back by the same sums over e_k = 2 Re X_k and
// o_k = 2 Im X_k. Everything is read before anything is written, so a line may run in place.
#include <cstring>
#include <utility>

#include "codelet/dense/dense_lines.hpp"
#include "codelet/prime/prime_kernels.hpp"

namespace weft::codelet::WEFT_ISA_NAMESPACE {
namespace {

constexpr int most_terms = 32, most_columns = 48;  // j = 0..31; k = 0..31 in whole registers

/// Sums and differences of mirror images: number j - 1 belongs to the points j and n - j.
template <class Real, int parts>
struct Terms {
  Real first[parts];
  alignas(64) Real even[most_terms * parts], odd[most_terms * parts];
};
template <class Real, int parts>
struct Sums {
  alignas(64) Real cosine[parts][most_columns], sine[parts][most_columns];
};

template <class Real>
const DenseTable<Real>& dense_table_in(const KernelArguments& a) {
  return *static_cast<const DenseTable<Real>*>(static_cast<const PrimeArguments&>(a).table);
}

/// `width` registers of C and S from column `first` on. Rows alternate between two sets of sums,
/// which do not wait for each other.
template <int width, class Real, int parts>
[[gnu::always_inline]] inline void multiply_block(const DenseTable<Real>& table,
                                                  const Terms<Real, parts>& x, int first,
                                                  Sums<Real, parts>& sums) {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  constexpr int sets = 2 * width * parts <= dense_registers ? 2 : 1;
  const int pairs = (table.points - 1) / 2;
  Vec c[sets][parts][width], s[sets][parts][width];
  for (int set = 0; set < sets; ++set)
    for (int part = 0; part < parts; ++part)
      for (int i = 0; i < width; ++i) {
        c[set][part][i] = set == 0 ? S::broadcast(x.first + part) : S::set(Real(0));
        s[set][part][i] = S::set(Real(0));
      }
  const Real* row = table.rows + first;
  const Real *even = x.even, *odd = x.odd;
  const auto add_row = [&](int set) __attribute__((always_inline)) {
    Vec e[parts], o[parts];
    for (int part = 0; part < parts; ++part) {
      e[part] = S::broadcast(even + part);
      o[part] = S::broadcast(odd + part);
    }
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i) {
      const Vec cosine = S::load(row + i * S::lanes);
      const Vec sine = S::load(row + table.columns + i * S::lanes);
      for (int part = 0; part < parts; ++part) {
        c[set][part][i] = S::fma(cosine, e[part], c[set][part][i]);
        s[set][part][i] = S::fma(sine, o[part], s[set][part][i]);
      }
    }
    row += 2 * table.columns, even += parts, odd += parts;
  };
  int j = 0;
  if constexpr (sets == 2)
    for (; j + 2 <= pairs; j += 2) {
      add_row(0);
      add_row(1);
    }
  for (; j < pairs; ++j) add_row(0);
  if (table.points % 2 == 0)
    for (int part = 0; part < parts; ++part)
      for (int i = 0; i < width; ++i)
        c[0][part][i] =
            S::fma(S::load(row + i * S::lanes), S::broadcast(even + part), c[0][part][i]);
  for (int part = 0; part < parts; ++part)
    for (int i = 0; i < width; ++i) {
      S::store(sums.cosine[part] + first + i * S::lanes,
               sets == 2 ? c[0][part][i] + c[sets - 1][part][i] : c[0][part][i]);
      S::store(sums.sine[part] + first + i * S::lanes,
               sets == 2 ? s[0][part][i] + s[sets - 1][part][i] : s[0][part][i]);
    }
}
template <int width, class Real, int parts>
[[gnu::always_inline]] inline void multiply_last(const DenseTable<Real>& table,
                                                 const Terms<Real, parts>& x, int first, int left,
                                                 Sums<Real, parts>& sums) {
  if (left == width) return multiply_block<width>(table, x, first, sums);
  if constexpr (width > 1) multiply_last<width - 1>(table, x, first, left, sums);
}
/// All columns, in blocks of about the same width.
template <class Real, int parts>
[[gnu::noinline]] void multiply(const DenseTable<Real>& table, const Terms<Real, parts>& x,
                                Sums<Real, parts>& sums) {
  constexpr int lanes = Simd<Real>::lanes, most = dense_registers / parts;
  int left = table.columns / lanes, first = 0;
  for (int blocks = (left + most - 1) / most; blocks > 0; --blocks) {
    const int width = (left + blocks - 1) / blocks;
    multiply_last<most>(table, x, first, width, sums);
    first += width * lanes;
    left -= width;
  }
}

/// Registers of neighbours: turned around, and two of them as one of pairs, and back.
template <class Real>
struct Shuffled {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  static constexpr int V = S::lanes;
  using Sequence = std::make_integer_sequence<int, V>;
  template <int... i>
  static Vec turned(Vec a, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, a, (V - 1 - i)...);
  }
  template <int... i>
  static Vec even(Vec a, Vec b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (2 * i)...);
  }
  template <int... i>
  static Vec odd(Vec a, Vec b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (2 * i + 1)...);
  }
  template <int... i>
  static Vec low(Vec a, Vec b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (i / 2 + i % 2 * V)...);
  }
  template <int... i>
  static Vec high(Vec a, Vec b, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, b, (V / 2 + i / 2 + i % 2 * V)...);
  }
  static Vec turned(Vec a) { return turned(a, Sequence{}); }
  static void store_pairs(Real* p, Vec re, Vec im) {
    S::store(p, low(re, im, Sequence{}));
    S::store(p + V, high(re, im, Sequence{}));
  }
  /// `count` reals to any place; the last register overlaps the one before it.
  static void copy(const Real* from, Index count, Real* to) {
    if (count < V) {
      for (Index i = 0; i < count; ++i) to[i] = from[i];
      return;
    }
    for (Index i = 0; i + V < count; i += V) S::store(to + i, S::load(from + i));
    S::store(to + count - V, S::load(from + count - V));
  }
};

/// Two adjacent reals.
template <class Real>
struct Pair {
  using Vec [[gnu::vector_size(2 * sizeof(Real))]] = Real;
  static Vec load(const Real* p) {
    Vec v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(Real* p, Vec v) { std::memcpy(p, &v, sizeof v); }
};

template <class Real, bool scaled, bool backward>
void dense_dft(const void* in, void* out, const void*, const KernelArguments& a) {
  using S = Simd<Real>;
  using P = Pair<Real>;
  using Line = Shuffled<Real>;
  const DenseTable<Real>& table = dense_table_in<Real>(a);
  const int n = table.points, pairs = (n - 1) / 2;
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  const auto factor = S::set(static_cast<Real>(a.scale));
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    Terms<Real, 2> terms;
    Sums<Real, 2> sums;
    alignas(64) Real low[2 * most_columns], high[2 * most_columns];
    P::store(terms.first, P::load(x));
    for (int j = 1; j <= pairs; ++j) {
      const auto u = P::load(x + 2 * j), v = P::load(x + 2 * (n - j));
      P::store(terms.even + 2 * j - 2, u + v);
      P::store(terms.odd + 2 * j - 2, u - v);
    }
    if (n % 2 == 0) P::store(terms.even + n - 2, P::load(x + n));
    multiply(table, terms, sums);
    for (int k = 0; k < table.columns; k += S::lanes) {
      auto c_re = S::load(sums.cosine[0] + k), c_im = S::load(sums.cosine[1] + k);
      auto s_re = S::load(sums.sine[0] + k), s_im = S::load(sums.sine[1] + k);
      if constexpr (scaled) c_re *= factor, c_im *= factor, s_re *= factor, s_im *= factor;
      Line::store_pairs((backward ? high : low) + 2 * k, c_re + s_im, c_im - s_re);
      Line::store_pairs((backward ? low : high) + 2 * k, c_re - s_im, c_im + s_re);
    }
    Line::copy(low, 2 * (n / 2 + 1), y);
    for (int k = 1; k <= pairs; ++k) P::store(y + 2 * (n - k), P::load(high + 2 * k));
  }
}

template <class Real, bool scaled>
void dense_real_forward(const void* in, void* out, const void*, const KernelArguments& a) {
  using S = Simd<Real>;
  using Line = Shuffled<Real>;
  const DenseTable<Real>& table = dense_table_in<Real>(a);
  const int n = table.points, pairs = (n - 1) / 2;
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  const auto factor = S::set(scaled ? static_cast<Real>(a.scale) : Real(1));
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    Terms<Real, 1> terms;
    Sums<Real, 1> sums;
    alignas(64) Real spectrum[2 * most_columns];
    terms.first[0] = x[0];
    // A register beyond the last pair reads points of the line, since n > 16.
    for (int j = 0; j < pairs; j += S::lanes) {
      const auto u = S::load(x + 1 + j), v = Line::turned(S::load(x + n - j - S::lanes));
      S::store(terms.even + j, u + v);
      S::store(terms.odd + j, u - v);
    }
    if (n % 2 == 0) terms.even[pairs] = x[n / 2];
    multiply(table, terms, sums);
    for (int k = 0; k < table.columns; k += S::lanes)
      Line::store_pairs(spectrum + 2 * k, S::load(sums.cosine[0] + k) * factor,
                        S::load(sums.sine[0] + k) * -factor);
    Line::copy(spectrum, 2 * (n / 2 + 1), y);
    y[1] = 0;
    if (n % 2 == 0) y[n + 1] = 0;
  }
}

/// 2 Re X_k and 2 Im X_k, k = 1..n/2.
template <class Real>
void split_spectrum(const Real* x, int count, Terms<Real, 1>& terms) {
  using S = Simd<Real>;
  using Line = Shuffled<Real>;
  const auto block = [&](int k) {
    const auto a = S::load(x + 2 + 2 * k), b = S::load(x + 2 + 2 * k + S::lanes);
    const auto re = Line::even(a, b, typename Line::Sequence{});
    const auto im = Line::odd(a, b, typename Line::Sequence{});
    S::store(terms.even + k, re + re);
    S::store(terms.odd + k, im + im);
  };
  int k = 0;
  for (; k + S::lanes <= count; k += S::lanes) block(k);
  if (k < count && count >= S::lanes) return block(count - S::lanes);
  for (; k < count; ++k) {
    terms.even[k] = 2 * x[2 + 2 * k];
    terms.odd[k] = 2 * x[3 + 2 * k];
  }
}

template <class Real, bool scaled>
void dense_real_backward(const void* in, void* out, const void*, const KernelArguments& a) {
  using S = Simd<Real>;
  using Line = Shuffled<Real>;
  const DenseTable<Real>& table = dense_table_in<Real>(a);
  const int n = table.points, pairs = (n - 1) / 2, columns = table.columns;
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  const auto factor = S::set(static_cast<Real>(a.scale));
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    Terms<Real, 1> terms;
    Sums<Real, 1> sums;
    alignas(64) Real low[most_columns], high[most_columns];  // the second half turned around
    terms.first[0] = x[0];
    split_spectrum(x, pairs, terms);
    if (n % 2 == 0) terms.even[pairs] = x[n];
    multiply(table, terms, sums);
    for (int j = 0; j < columns; j += S::lanes) {
      auto c = S::load(sums.cosine[0] + j), s = S::load(sums.sine[0] + j);
      if constexpr (scaled) c *= factor, s *= factor;
      S::store(low + j, c - s);
      S::store(high + columns - j - S::lanes, Line::turned(c + s));
    }
    Line::copy(low, n / 2 + 1, y);
    Line::copy(high + columns - 1 - pairs, pairs, y + n - pairs);
  }
}

using enum KernelTransform;

template <class Real>
constexpr DenseFunction dense_list[] = {
    {dft, false, false, &dense_dft<Real, false, false>},
    {dft, false, true, &dense_dft<Real, false, true>},
    {dft, true, false, &dense_dft<Real, true, false>},
    {dft, true, true, &dense_dft<Real, true, true>},
    {real_forward, false, false, &dense_real_forward<Real, false>},
    {real_forward, true, false, &dense_real_forward<Real, true>},
    {real_backward, false, false, &dense_real_backward<Real, false>},
    {real_backward, true, false, &dense_real_backward<Real, true>}};

}  // namespace

std::span<const DenseFunction> dense_functions(Precision precision) {
  if (precision == Precision::f64) return dense_list<double>;
  return dense_list<float>;
}

}  // namespace weft::codelet::WEFT_ISA_NAMESPACE
