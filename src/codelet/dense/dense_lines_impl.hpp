// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the dense line kernels, compiled once per instruction set: each dense_lines_<isa>.cpp
// defines WEFT_ISA_NAMESPACE, Simd and the widths of blocks and includes this file.
//
// With e_j = x_j + x_(n-j), o_j = x_j - x_(n-j) for 0 < j < n/2, e_0 = x_0 and e_(n/2) = x_(n/2)
//   C_k = sum_j cos(2 pi j k / n) e_j,   S_k = sum_j sin(2 pi j k / n) o_j,
//   X_k = C_k - i S_k,   X_(n-k) = C_k + i S_k,   k = 1..(n-1)/2.
// If n = 2 m is even, the terms of even j and those of odd j are summed apart. The sums of both
// give X_k and X_(n-k) as above, their differences X_(m+k) and X_(m-k) in the same way, so that k
// need only run to n/4. Sums without cosines give X_0 and X_m. Registers hold neighbouring k, so
// that C and S come as they are stored; e_j and o_j are broadcast. A real line of the spectrum goes
// back by the same sums over e_k = 2 Re X_k and o_k = 2 Im X_k. Everything is read before anything
// is written, so a line may run in place.
#include <cstring>
#include <utility>

#include "codelet/dense/dense_lines.hpp"
#include "codelet/prime/prime_kernels.hpp"

namespace weft::codelet::WEFT_ISA_NAMESPACE {
namespace {

constexpr int most_numbers = (longest_dense_line / 2 / 16 + 1) * 16;  // j or k in whole registers

/// Sums and differences of mirror images: number j - 1 belongs to the points j and n - j.
template <class Real, int parts>
struct Terms {
  Real first[parts];
  alignas(64) Real even[most_numbers * parts], odd[most_numbers * parts];
};
/// Number k - 1 belongs to frequency k. `total` is C_0.
template <class Real, int parts>
struct Sums {
  alignas(64) Real cosine[parts][most_numbers], sine[parts][most_numbers];
  Real total[parts];
};
/// If n is odd, the sums over all j are in `even`.
template <class Real, int parts>
struct BothSums {
  Sums<Real, parts> even, odd;
};

template <class Real>
const DenseTable<Real>& dense_table_in(const KernelArguments& a) {
  return *static_cast<const DenseTable<Real>*>(static_cast<const PrimeArguments&>(a).table);
}

/// `width` registers of C and S from column `first` on, while j grows.
template <int width, class Real, int parts>
struct Block {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  Vec c[parts][width], s[parts][width], total[parts];

  [[gnu::always_inline]] void clear() {
    for (int part = 0; part < parts; ++part) {
      total[part] = S::set(Real(0));
      for (int i = 0; i < width; ++i) c[part][i] = s[part][i] = S::set(Real(0));
    }
  }
  /// e_0, whose cosines are 1.
  [[gnu::always_inline]] void add_first(const Real* x) {
    for (int part = 0; part < parts; ++part) {
      const Vec e = S::broadcast(x + part);
      total[part] += e;
      for (int i = 0; i < width; ++i) c[part][i] += e;
    }
  }
  [[gnu::always_inline]] void add(const DenseTable<Real>& table, const Terms<Real, parts>& x, int j,
                                  int first) {
    const Real* const row = table.rows + Index{2} * table.columns * (j - 1) + first;
    Vec e[parts], o[parts];
    for (int part = 0; part < parts; ++part) {
      e[part] = S::broadcast(x.even + (j - 1) * parts + part);
      o[part] = S::broadcast(x.odd + (j - 1) * parts + part);
      total[part] += e[part];
    }
#pragma GCC unroll 16
    for (int i = 0; i < width; ++i) {
      const Vec cosine = S::load(row + i * S::lanes);
      const Vec sine = S::load(row + table.columns + i * S::lanes);
      for (int part = 0; part < parts; ++part) {
        c[part][i] = S::fma(cosine, e[part], c[part][i]);
        s[part][i] = S::fma(sine, o[part], s[part][i]);
      }
    }
  }
  /// The point n/2, whose cosines alternate between -1 and 1 and whose sines are 0.
  [[gnu::always_inline]] void add_middle(const DenseTable<Real>& table, const Terms<Real, parts>& x,
                                         int first) {
    const int j = table.points / 2;
    const Real* const row = table.rows + Index{2} * table.columns * (j - 1) + first;
    for (int part = 0; part < parts; ++part) {
      const Vec e = S::broadcast(x.even + (j - 1) * parts + part);
      total[part] += e;
      for (int i = 0; i < width; ++i)
        c[part][i] = S::fma(S::load(row + i * S::lanes), e, c[part][i]);
    }
  }
  [[gnu::always_inline]] void add(const Block& other) {
    for (int part = 0; part < parts; ++part) {
      total[part] += other.total[part];
      for (int i = 0; i < width; ++i) {
        c[part][i] += other.c[part][i];
        s[part][i] += other.s[part][i];
      }
    }
  }
  /// To the sums of earlier rows, if there are any.
  [[gnu::always_inline]] void store(int first, bool has_earlier, Sums<Real, parts>& sums) {
    for (int part = 0; part < parts; ++part) {
      Real* const cosine = sums.cosine[part] + first;
      Real* const sine = sums.sine[part] + first;
      sums.total[part] = has_earlier ? sums.total[part] + total[part][0] : total[part][0];
      for (int i = 0; i < width; ++i) {
        if (has_earlier) {
          c[part][i] += S::load(cosine + i * S::lanes);
          s[part][i] += S::load(sine + i * S::lanes);
        }
        S::store(cosine + i * S::lanes, c[part][i]);
        S::store(sine + i * S::lanes, s[part][i]);
      }
    }
  }
};

/// So many rows are summed apart from the others: errors grow with the root of the number of terms.
constexpr int rows_together = 16;

/// Rows `begin` <= j < `end`; begin is odd. Few columns sum the even and the odd j at the same
/// time: twice as many sums, which do not wait for each other.
template <int width, class Real, int parts>
[[gnu::always_inline]] inline void multiply_rows(const DenseTable<Real>& table,
                                                 const Terms<Real, parts>& x, int first, int begin,
                                                 int end, BothSums<Real, parts>& sums) {
  const bool is_even = table.points % 2 == 0, has_earlier = begin > 1;
  const bool has_middle = is_even && 2 * end == table.points;
  const bool middle_is_even = table.points % 4 == 0;
  Block<width, Real, parts> even;
  even.clear();
  if (!has_earlier) even.add_first(x.first);
  if constexpr (2 * width * parts <= dense_registers) {
    Block<width, Real, parts> odd;
    odd.clear();
    int j = begin;
    for (; j + 1 < end; j += 2) {
      odd.add(table, x, j, first);
      even.add(table, x, j + 1, first);
    }
    if (j < end) odd.add(table, x, j, first);
    if (!is_even) {
      even.add(odd);
      return even.store(first, has_earlier, sums.even);
    }
    if (has_middle && middle_is_even) even.add_middle(table, x, first);
    if (has_middle && !middle_is_even) odd.add_middle(table, x, first);
    even.store(first, has_earlier, sums.even);
    odd.store(first, has_earlier, sums.odd);
  } else if (is_even) {
    for (int j = begin + 1; j < end; j += 2) even.add(table, x, j, first);
    if (has_middle && middle_is_even) even.add_middle(table, x, first);
    even.store(first, has_earlier, sums.even);
    Block<width, Real, parts> odd;
    odd.clear();
    for (int j = begin; j < end; j += 2) odd.add(table, x, j, first);
    if (has_middle && !middle_is_even) odd.add_middle(table, x, first);
    odd.store(first, has_earlier, sums.odd);
  } else {
    for (int j = begin; j < end; ++j) even.add(table, x, j, first);
    even.store(first, has_earlier, sums.even);
  }
}
template <int width, class Real, int parts>
[[gnu::always_inline]] inline void multiply_block(const DenseTable<Real>& table,
                                                  const Terms<Real, parts>& x, int first,
                                                  BothSums<Real, parts>& sums) {
  const int end = (table.points + 1) / 2;
  for (int begin = 1; begin < end; begin += rows_together)
    multiply_rows<width>(table, x, first, begin,
                         end - begin < rows_together ? end : begin + rows_together, sums);
}
template <int width, class Real, int parts>
[[gnu::always_inline]] inline void multiply_last(const DenseTable<Real>& table,
                                                 const Terms<Real, parts>& x, int first, int left,
                                                 BothSums<Real, parts>& sums) {
  if (left == width) return multiply_block<width>(table, x, first, sums);
  if constexpr (width > 1) multiply_last<width - 1>(table, x, first, left, sums);
}
/// All columns, in blocks of about the same width.
template <class Real, int parts>
[[gnu::noinline]] void multiply(const DenseTable<Real>& table, const Terms<Real, parts>& x,
                                BothSums<Real, parts>& sums) {
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
  template <int parts, int... i>
  static Vec turned(Vec a, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, a, (V - parts - i + 2 * (i % parts))...);
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
  /// Numbers of `parts` reals in the opposite order.
  template <int parts>
  static Vec turned(Vec a) {
    return turned<parts>(a, Sequence{});
  }
  static Vec low(Vec re, Vec im) { return low(re, im, Sequence{}); }
  static Vec high(Vec re, Vec im) { return high(re, im, Sequence{}); }
};

/// Where numbers of `parts` reals go that lie on both sides of a point of the line: number k - 1 of
/// `ahead` k places after it, number k - 1 of `behind` k places before it.
template <class Real, int parts>
struct Sides {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  static constexpr int numbers = S::lanes / parts;  // per register
  Real *ahead, *behind;  // where number 0 of one side begins, and where that of the other ends

  /// From number `first` on, of which only `left` are wanted.
  [[gnu::always_inline]] void store_ahead(int first, Vec v, int left) const {
    Real* to = ahead + parts * first;
    if (left >= numbers) return S::store(to, v);
    if (left <= 0) return;
    alignas(64) Real all[S::lanes];
    S::store(all, v);
    const Real* from = all;
    copy_pieces<numbers / 2>(left, [&](int reals) __attribute__((always_inline)) {
      std::memcpy(to, from, sizeof(Real) * static_cast<std::size_t>(reals));
      from += reals, to += reals;
    });
  }
  [[gnu::always_inline]] void store_behind(int first, Vec v, int left) const {
    Real* end = behind - parts * first;
    const Vec turned = Shuffled<Real>::template turned<parts>(v);
    if (left >= numbers) return S::store(end - S::lanes, turned);
    if (left <= 0) return;
    alignas(64) Real all[S::lanes];
    S::store(all, turned);
    const Real* from = all + S::lanes;
    copy_pieces<numbers / 2>(left, [&](int reals) __attribute__((always_inline)) {
      from -= reals, end -= reals;
      std::memcpy(end, from, sizeof(Real) * static_cast<std::size_t>(reals));
    });
  }

 private:
  /// Fewer numbers than a register holds, as pieces of powers of two.
  template <int piece, class Copy>
  [[gnu::always_inline]] static void copy_pieces(int left, const Copy& copy) {
    if (left & piece) copy(piece * parts);
    if constexpr (piece > 1) copy_pieces<piece / 2>(left, copy);
  }
};

/// C and S on one side of n/4: `use(k - 1, C, S)` takes a register of each part from frequency k
/// on. `sign` is 1 around X_0 and -1 around X_(n/2).
template <bool scaled, class Real, int parts, class Use>
[[gnu::always_inline]] inline void for_each_sum(const BothSums<Real, parts>& sums, bool has_odd,
                                                Real sign, Real factor, int count, const Use& use) {
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  const Vec scale = S::set(factor), odd_sign = S::set(sign);
  for (int k = 0; k < count; k += S::lanes) {
    Vec c[parts], s[parts];
    for (int part = 0; part < parts; ++part) {
      c[part] = S::load(sums.even.cosine[part] + k);
      s[part] = S::load(sums.even.sine[part] + k);
      if (has_odd) {
        c[part] = S::fma(odd_sign, S::load(sums.odd.cosine[part] + k), c[part]);
        s[part] = S::fma(odd_sign, S::load(sums.odd.sine[part] + k), s[part]);
      }
      if constexpr (scaled) c[part] *= scale, s[part] *= scale;
    }
    use(k, c, s);
  }
}

/// How many frequencies lie on each side of X_0 and, if n is even, of X_(n/2).
struct Counts {
  int around_first, around_middle;
  explicit Counts(int n)
      : around_first(n % 2 == 0 ? n / 4 : n / 2),
        around_middle(n % 2 == 0 ? n / 2 - 1 - n / 4 : 0) {}
};

/// C_0 of all terms, and of the even ones without the odd ones.
template <class Real, int parts>
Real first_total(const BothSums<Real, parts>& sums, bool has_odd, int part) {
  return has_odd ? sums.even.total[part] + sums.odd.total[part] : sums.even.total[part];
}
template <class Real, int parts>
Real middle_total(const BothSums<Real, parts>& sums, int part) {
  return sums.even.total[part] - sums.odd.total[part];
}

/// e_j and o_j of the points of a line in memory, numbers of `parts` reals. A register beyond the
/// last pair reads points of the line, since n > 16.
template <class Real, int parts>
[[gnu::always_inline]] inline void pair_up(const Real* x, int n, Terms<Real, parts>& terms) {
  using S = Simd<Real>;
  constexpr int numbers = S::lanes / parts;
  const int pairs = (n - 1) / 2;
  for (int part = 0; part < parts; ++part) terms.first[part] = x[part];
  for (int j = 0; j < pairs; j += numbers) {
    const auto u = S::load(x + parts * (1 + j)),
               v = Shuffled<Real>::template turned<parts>(S::load(x + parts * (n - j - numbers)));
    S::store(terms.even + parts * j, u + v);
    S::store(terms.odd + parts * j, u - v);
  }
  if (n % 2 == 0)
    for (int part = 0; part < parts; ++part)
      terms.even[parts * pairs + part] = x[parts * (n / 2) + part];
}

/// The frequencies around one of the two, as complex numbers.
template <class Real, bool scaled, bool backward>
[[gnu::always_inline]] inline void store_complex(const BothSums<Real, 2>& sums, bool has_odd,
                                                 Real sign, Real factor, int count,
                                                 Sides<Real, 2> to) {
  using Line = Shuffled<Real>;
  constexpr int half = Simd<Real>::lanes / 2;
  for_each_sum<scaled>(
      sums, has_odd, sign, factor, count,
      [&](int k, const auto* c, const auto* s) __attribute__((always_inline)) {
        auto re = c[0] + s[1], im = c[1] - s[0], other_re = c[0] - s[1], other_im = c[1] + s[0];
        if constexpr (backward) std::swap(re, other_re), std::swap(im, other_im);
        to.store_ahead(k, Line::low(re, im), count - k);
        to.store_ahead(k + half, Line::high(re, im), count - k - half);
        to.store_behind(k, Line::low(other_re, other_im), count - k);
        to.store_behind(k + half, Line::high(other_re, other_im), count - k - half);
      });
}

template <class Real, bool scaled, bool backward>
void dense_dft(const void* in, void* out, const void*, const KernelArguments& a) {
  const DenseTable<Real>& table = dense_table_in<Real>(a);
  const int n = table.points;
  const bool is_even = n % 2 == 0;
  const Counts counts(n);
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  const Real factor = scaled ? static_cast<Real>(a.scale) : Real(1);
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    Terms<Real, 2> terms;
    BothSums<Real, 2> sums;
    pair_up(x, n, terms);
    multiply(table, terms, sums);
    for (int part = 0; part < 2; ++part) {
      y[part] = factor * first_total(sums, is_even, part);
      if (is_even) y[n + part] = factor * middle_total(sums, part);
    }
    store_complex<Real, scaled, backward>(sums, is_even, Real(1), factor, counts.around_first,
                                          {y + 2, y + 2 * n});
    store_complex<Real, scaled, backward>(sums, is_even, Real(-1), factor, counts.around_middle,
                                          {y + n + 2, y + n});
  }
}

template <class Real, bool scaled>
void dense_real_forward(const void* in, void* out, const void*, const KernelArguments& a) {
  using Line = Shuffled<Real>;
  constexpr int half = Simd<Real>::lanes / 2;
  const DenseTable<Real>& table = dense_table_in<Real>(a);
  const int n = table.points;
  const bool is_even = n % 2 == 0;
  const Counts counts(n);
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  const Real factor = scaled ? static_cast<Real>(a.scale) : Real(1);
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    Terms<Real, 1> terms;
    BothSums<Real, 1> sums;
    pair_up(x, n, terms);
    multiply(table, terms, sums);
    y[0] = factor * first_total(sums, is_even, 0);
    y[1] = 0;
    if (is_even) {
      y[n] = factor * middle_total(sums, 0);
      y[n + 1] = 0;
    }
    const Sides<Real, 2> first{y + 2, nullptr}, middle{nullptr, y + n};
    for_each_sum<scaled>(sums, is_even, Real(1), factor, counts.around_first,
                         [&](int k, const auto* c, const auto* s) __attribute__((always_inline)) {
                           first.store_ahead(k, Line::low(c[0], -s[0]), counts.around_first - k);
                           first.store_ahead(k + half, Line::high(c[0], -s[0]),
                                             counts.around_first - k - half);
                         });
    for_each_sum<scaled>(sums, is_even, Real(-1), factor, counts.around_middle,
                         [&](int k, const auto* c, const auto* s) __attribute__((always_inline)) {
                           middle.store_behind(k, Line::low(c[0], s[0]), counts.around_middle - k);
                           middle.store_behind(k + half, Line::high(c[0], s[0]),
                                               counts.around_middle - k - half);
                         });
  }
}

/// 2 Re X_k and 2 Im X_k, k = 1..(n-1)/2.
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
  const DenseTable<Real>& table = dense_table_in<Real>(a);
  const int n = table.points, pairs = (n - 1) / 2;
  const bool is_even = n % 2 == 0;
  const Counts counts(n);
  const auto* x = static_cast<const Real*>(in);
  auto* y = static_cast<Real*>(out);
  const Real factor = scaled ? static_cast<Real>(a.scale) : Real(1);
  for (Index t = 0; t < a.count; ++t, x += a.in_step, y += a.out_step) {
    Terms<Real, 1> terms;
    BothSums<Real, 1> sums;
    terms.first[0] = x[0];
    split_spectrum(x, pairs, terms);
    if (is_even) terms.even[pairs] = x[n];
    multiply(table, terms, sums);
    y[0] = factor * first_total(sums, is_even, 0);
    if (is_even) y[n / 2] = factor * middle_total(sums, 0);
    const auto store = [&](Real sign, int count, Sides<Real, 1> to) __attribute__((always_inline)) {
      for_each_sum<scaled>(sums, is_even, sign, factor, count,
                           [&](int j, const auto* c, const auto* s) __attribute__((always_inline)) {
                             to.store_ahead(j, c[0] - s[0], count - j);
                             to.store_behind(j, c[0] + s[0], count - j);
                           });
    };
    store(Real(1), counts.around_first, {y + 1, y + n});
    store(Real(-1), counts.around_middle, {y + n / 2 + 1, y + n / 2});
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
