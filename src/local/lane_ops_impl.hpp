// SPDX-License-Identifier: BSD-3-Clause
// Bodies of lane_ops.hpp, compiled once per instruction set: each lane_ops_<isa>.cpp defines
// WEFT_ISA_NAMESPACE, weft_isa and Simd and includes this file, so nothing here is shared between
// instruction sets.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "codelet/registry.hpp"
#include "local/lane_ops.hpp"

namespace weft::local::WEFT_ISA_NAMESPACE {

using codelet::Isa;

#include "local/mirror_lines_impl.hpp"

template <class Real>
struct Ops {
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  using S = Simd<Real>;
  using Vec = typename S::Vec;
  using Row = typename S::Row;
  using Stride = codelet::simd::Stride;
  static constexpr int V = codelet::lanes(weft_isa, precision);

  /// slot[l]: where lane l lies in a planar register.
  struct Slots {
    int slot[V];
    constexpr Slots() : slot() {
      for (int l = 0; l < V; ++l) slot[l] = codelet::planar_slot(weft_isa, precision, l);
    }
  };
  static constexpr Slots slots{};

  static float widen(Half h) {
    // Exact: rebias the exponent; subnormals by a multiplication, infinities and NaN by the top
    // one.
    const std::uint32_t sign = static_cast<std::uint32_t>(h.bits & 0x8000u) << 16;
    const std::uint32_t magnitude = static_cast<std::uint32_t>(h.bits & 0x7fffu) << 13;
    float value;
    if (magnitude >= (0x7c00u << 13)) {
      const std::uint32_t bits = sign | magnitude | 0x7f800000u;
      std::memcpy(&value, &bits, 4);
      return value;
    }
    std::memcpy(&value, &magnitude, 4);
    value *= 0x1p112f;
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    bits |= sign;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  /// Round to nearest, ties to even; overflow to infinity; NaN stays NaN.
  static Half narrow(float value) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) return {static_cast<std::uint16_t>(sign | 0x7e00u)};
    if (bits >= 0x477ff000u) return {static_cast<std::uint16_t>(sign | 0x7c00u)};
    if (bits < 0x38800000u) {  // below the smallest normal half: adding 0.5 aligns the ulp at 2^-24
      float magnitude;
      std::memcpy(&magnitude, &bits, 4);
      magnitude += 0.5f;
      std::uint32_t shifted;
      std::memcpy(&shifted, &magnitude, 4);
      return {static_cast<std::uint16_t>(sign | (shifted - 0x3f000000u))};
    }
    const std::uint32_t odd = (bits >> 13) & 1u;
    return {static_cast<std::uint16_t>(sign | ((bits - 0x38000000u + 0xfffu + odd) >> 13))};
  }

  template <class Stored>
  static Real get(const Stored* p) {
    if constexpr (std::is_same_v<Stored, Half>)
      return static_cast<Real>(widen(*p));
    else
      return *p;
  }
  template <class Stored>
  static void put(Stored* p, Real value) {
    if constexpr (std::is_same_v<Stored, Half>)
      *p = narrow(static_cast<float>(value));
    else
      *p = value;
  }

  static Index row_of(const RowsRef& rows, Index i) {
    return (rows.map != nullptr ? rows.map[i] : i) * rows.row;
  }

  static Row load_planar(const Real* p) { return {S::load(p), S::load(p + V)}; }
  static void store_planar(Real* p, const Row& row) {
    S::store(p, row.re);
    S::store(p + V, row.im);
  }
  static Row load_lanes(const Real* p, Index lane) {
    if constexpr (V > 1)
      if (lane == 2) return S::load_unit(p, p + V);
    const Stride stride = Stride::of<Real>(lane);
    return S::load_strided({p, stride});
  }
  static void store_lanes(Real* p, Index lane, const Row& row) {
    if constexpr (V > 1)
      if (lane == 2) return S::store_unit(p, p + V, row);
    const Stride stride = Stride::of<Real>(lane);
    S::store_strided({p, stride}, row);
  }

  /// Interleaved lanes 0..valid-1, the rest zero.
  template <class Stored>
  static Row gather(const Stored* p, Index lane, Index imag, int valid_re, int valid_im) {
    alignas(64) Real re[V] = {}, im[V] = {};
    for (int l = 0; l < valid_re; ++l) re[slots.slot[l]] = get(p + l * lane);
    for (int l = 0; l < valid_im; ++l) im[slots.slot[l]] = get(p + l * lane + imag);
    return {S::load(re), S::load(im)};
  }
  template <class Stored>
  static void scatter(Stored* p, Index lane, Index imag, int valid_re, int valid_im,
                      const Row& row) {
    alignas(64) Real re[V], im[V];
    S::store(re, row.re);
    S::store(im, row.im);
    for (int l = 0; l < valid_re; ++l) put(p + l * lane, re[slots.slot[l]]);
    for (int l = 0; l < valid_im; ++l) put(p + l * lane + imag, im[slots.slot[l]]);
  }

  template <class Stored>
  static Row read(const RowsRef& src, Index i, int valid) {
    const Stored* p = static_cast<const Stored*>(src.data) + row_of(src, i);
    if constexpr (std::is_same_v<Stored, Real>) {
      if (src.planar) return load_planar(p);
      if (valid == V) return load_lanes(p, src.lane);
    }
    return gather(p, src.lane, 1, valid, valid);
  }
  template <class Stored>
  static void write(const RowsRef& dst, Index i, int valid, const Row& row) {
    Stored* p = static_cast<Stored*>(dst.data) + row_of(dst, i);
    if constexpr (std::is_same_v<Stored, Real>) {
      if (dst.planar) return store_planar(p, row);
      if (valid == V) return store_lanes(p, dst.lane, row);
    }
    scatter(p, dst.lane, 1, valid, valid, row);
  }

  static Row times(const Row& row, Vec c, Vec s) {
    return {S::fms(row.re, c, row.im * s), S::fma(row.re, s, row.im * c)};
  }

  template <class From, class To>
  static void move_rows(const RowsRef& src, const RowsRef& dst, Index rows, int valid,
                        const Real* factors, double scale) {
    const Real s = static_cast<Real>(scale);
    for (Index i = 0; i < rows; ++i) {
      Row row = read<From>(src, i, valid);
      if (factors != nullptr) {
        row = times(row, S::set(factors[2 * i] * s), S::set(factors[2 * i + 1] * s));
      } else if (scale != 1.0) {
        row.re = row.re * S::set(s);
        row.im = row.im * S::set(s);
      }
      write<To>(dst, i, valid, row);
    }
  }
  static void move(const RowsRef& src, const RowsRef& dst, Index rows, int valid,
                   const Real* factors, double scale) {
    if (src.half && dst.half) return move_rows<Half, Half>(src, dst, rows, valid, factors, scale);
    if (src.half) return move_rows<Half, Real>(src, dst, rows, valid, factors, scale);
    if (dst.half) return move_rows<Real, Half>(src, dst, rows, valid, factors, scale);
    move_rows<Real, Real>(src, dst, rows, valid, factors, scale);
  }

  static void multiply(Real* rows, Index count, const Real* factors) {
    for (Index i = 0; i < count; ++i, rows += 2 * V)
      store_planar(rows, times(load_planar(rows), S::broadcast(factors + 2 * i),
                               S::broadcast(factors + 2 * i + 1)));
  }

  static void add_row(const Real* a, const Real* b, Real* sum) {
    const Row x = load_planar(a), y = load_planar(b);
    store_planar(sum, {x.re + y.re, x.im + y.im});
  }

  template <class Stored>
  static void load_real_rows(const RowsRef& src, Index imag, Index rows, int valid_re, int valid_im,
                             Real* planar) {
    for (Index i = 0; i < rows; ++i, planar += 2 * V) {
      const Stored* p = static_cast<const Stored*>(src.data) + row_of(src, i);
      store_planar(planar, gather(p, src.lane, imag, valid_re, imag != 0 ? valid_im : 0));
    }
  }
  static void load_real(const RowsRef& src, Index imag, Index rows, int valid_re, int valid_im,
                        Real* planar) {
    if (src.half)
      load_real_rows<Half>(src, imag, rows, valid_re, valid_im, planar);
    else
      load_real_rows<Real>(src, imag, rows, valid_re, valid_im, planar);
  }

  template <class Stored>
  static void store_real_rows(const Real* planar, Index imag, Index rows, int valid_re,
                              int valid_im, Vec scale, const RowsRef& dst) {
    for (Index i = 0; i < rows; ++i, planar += 2 * V) {
      Stored* p = static_cast<Stored*>(dst.data) + row_of(dst, i);
      Row row = load_planar(planar);
      row.re = row.re * scale;
      row.im = row.im * scale;
      scatter(p, dst.lane, imag, valid_re, imag != 0 ? valid_im : 0, row);
    }
  }
  static void store_real(const Real* planar, Index imag, Index rows, int valid_re, int valid_im,
                         double scale, const RowsRef& dst) {
    const Vec s = S::set(static_cast<Real>(scale));
    if (dst.half)
      store_real_rows<Half>(planar, imag, rows, valid_re, valid_im, s, dst);
    else
      store_real_rows<Real>(planar, imag, rows, valid_re, valid_im, s, dst);
  }

  /// E[k] = (Z[k] + conj Z[h-k]) / 2 and O[k] = (Z[k] - conj Z[h-k]) / 2i are the transforms of the
  /// even and the odd points; X[k] = E[k] + w^k O[k], X[h-k] = conj(E[k] - w^k O[k]).
  static void real_combine(const Real* z, Index h, const Real* roots, Real* x) {
    const Vec half = S::set(Real(0.5));
    for (Index k = 0; 2 * k <= h; ++k) {
      const Row a = load_planar(z + k * 2 * V), b = load_planar(z + (k == 0 ? 0 : h - k) * 2 * V);
      const Vec even_re = half * (a.re + b.re), even_im = half * (a.im - b.im);
      const Row odd{half * (a.im + b.im), half * (b.re - a.re)};
      const Row t = times(odd, S::broadcast(roots + 2 * k), S::broadcast(roots + 2 * k + 1));
      store_planar(x + (h - k) * 2 * V, {even_re - t.re, t.im - even_im});
      store_planar(x + k * 2 * V, {even_re + t.re, even_im + t.im});
    }
  }

  /// Z[k] = (X[k] + conj X[h-k]) + i conj(w^k) (X[k] - conj X[h-k]), and the same for h-k; the
  /// imaginary parts of X[0] and X[h] are taken as zero.
  static void real_separate(const Real* x, Index h, const Real* roots, Real* z) {
    const Vec zero = S::set(Real(0));
    for (Index k = 0; 2 * k <= h; ++k) {
      Row a = load_planar(x + k * 2 * V), b = load_planar(x + (h - k) * 2 * V);
      if (k == 0) a.im = b.im = zero;
      const Vec even_re = a.re + b.re, even_im = a.im - b.im;
      const Row difference{a.re - b.re, a.im + b.im};
      const Row odd = times(difference, S::set(roots[2 * k]), S::set(-roots[2 * k + 1]));
      if (k > 0) store_planar(z + (h - k) * 2 * V, {even_re + odd.im, odd.re - even_im});
      store_planar(z + k * 2 * V, {even_re - odd.im, even_im + odd.re});
    }
  }

  /// A[k] = (Z[k] + conj Z[n-k]) / 2, B[k] = (Z[k] - conj Z[n-k]) / 2i.
  static void pair_separate(const Real* z, Index n, Real* a, Real* b) {
    const Vec half = S::set(Real(0.5));
    for (Index k = 0; 2 * k <= n; ++k) {
      const Row u = load_planar(z + k * 2 * V), v = load_planar(z + (k == 0 ? 0 : n - k) * 2 * V);
      store_planar(a + k * 2 * V, {half * (u.re + v.re), half * (u.im - v.im)});
      store_planar(b + k * 2 * V, {half * (u.im + v.im), half * (v.re - u.re)});
    }
  }
  /// Z[k] = A[k] + i B[k], Z[n-k] = conj A[k] + i conj B[k]; imaginary parts of row 0 (and of row
  /// n/2 for even n) count as zero.
  static void pair_combine(const Real* a, const Real* b, Index n, Real* z) {
    for (Index k = 0; 2 * k <= n; ++k) {
      Row u = load_planar(a + k * 2 * V), v = load_planar(b + k * 2 * V);
      if (k == 0 || 2 * k == n) u.im = v.im = S::set(Real(0));
      if (k > 0) store_planar(z + (n - k) * 2 * V, {u.re + v.im, v.re - u.im});
      store_planar(z + k * 2 * V, {u.re - v.im, u.im + v.re});
    }
  }

  static void stream_store(Real* p, Vec v) {
#if defined(__AVX512F__)
    if constexpr (sizeof(Real) == 8)
      _mm512_stream_pd(p, v);
    else
      _mm512_stream_ps(p, v);
#elif defined(__AVX__)
    if constexpr (sizeof(Real) == 8)
      _mm256_stream_pd(p, v);
    else
      _mm256_stream_ps(p, v);
#else
    S::store(p, v);
#endif
  }
  /// V adjacent complex numbers past the caches; p is a multiple of the registers' bytes.
  static void stream_lanes(Real* p, const Row& row) {
    alignas(64) Real pair[2 * V];
    store_lanes(pair, 2, row);
    stream_store(p, S::load(pair));
    stream_store(p + V, S::load(pair + V));
  }
  static void end_stream() {
#if defined(__AVX__)
    _mm_sfence();  // other threads read what was written once this task is done
#endif
  }
  static void stream(const Real* planar, Index planar_group, int groups, Index rows, double scale,
                     Real* dst, Index dst_row) {
    const Vec s = S::set(static_cast<Real>(scale));
    for (Index i = 0; i < rows; ++i, planar += 2 * V, dst += dst_row)
      for (int g = 0; g < groups; ++g) {
        Row row = load_planar(planar + g * planar_group);
        row.re = row.re * s;
        row.im = row.im * s;
        stream_lanes(dst + g * 2 * V, row);
      }
    end_stream();
  }

  template <bool streamed>
  static void twiddle_rows(const Real* planar, Index planar_group, int groups, Index rows,
                           const TwiddleBlock<Real>& twiddles, Real* dst, Index dst_row) {
    const Real* coarse = twiddles.coarse;
    for (Index begin = 0; begin < rows; begin += twiddles.period, coarse += groups * 2 * V) {
      const Real* fine = twiddles.fine;
      const Index count = std::min(twiddles.period, rows - begin);
      for (Index k = 0; k < count; ++k, planar += 2 * V, dst += dst_row)
        for (int g = 0; g < groups; ++g, fine += 2 * V) {
          const Row b = load_planar(coarse + g * 2 * V);
          const Row w = times(load_planar(fine), b.re, b.im);
          const Row row = times(load_planar(planar + g * planar_group), w.re, w.im);
          if constexpr (streamed)
            stream_lanes(dst + g * 2 * V, row);
          else
            store_lanes(dst + g * 2 * V, 2, row);
        }
    }
  }
  static void twiddle_store(const Real* planar, Index planar_group, int groups, Index rows,
                            const TwiddleBlock<Real>& twiddles, bool streamed, Real* dst,
                            Index dst_row) {
    if (!streamed)
      return twiddle_rows<false>(planar, planar_group, groups, rows, twiddles, dst, dst_row);
    twiddle_rows<true>(planar, planar_group, groups, rows, twiddles, dst, dst_row);
    end_stream();
  }

  /// X[k] and X[h-k] from Z[k] and Z[h-k]; see real_combine.
  static void combine_one(const Real* z, Index h, Index k, const Real* roots, Real scale, Real* out,
                          Index out_row) {
    const Real *a = z + 2 * k, *b = z + 2 * (k == 0 ? 0 : h - k);
    const Real c = roots[2 * k], s = roots[2 * k + 1], half = Real(0.5) * scale;
    const Real even_re = half * (a[0] + b[0]), even_im = half * (a[1] - b[1]);
    const Real odd_re = half * (a[1] + b[1]), odd_im = half * (b[0] - a[0]);
    const Real re = c * odd_re - s * odd_im, im = c * odd_im + s * odd_re;
    out[(h - k) * out_row] = even_re - re;
    out[(h - k) * out_row + 1] = im - even_im;
    out[k * out_row] = even_re + re;
    out[k * out_row + 1] = even_im + im;
  }
  static void line_combine(const Real* z, Index h, const Real* roots, double scale, Real* out,
                           Index out_row) {
    const Real s = static_cast<Real>(scale);
    combine_one(z, h, 0, roots, s, out, out_row);
    Index k = 1;
    const Vec half = S::set(Real(0.5) * s);
    const Stride down = Stride::of<Real>(-2);
    for (; 2 * (k + V - 1) < h; k += V) {
      const Row a = load_lanes(z + 2 * k, 2), b = S::load_strided({z + 2 * (h - k), down});
      const Vec even_re = half * (a.re + b.re), even_im = half * (a.im - b.im);
      const Row odd{half * (a.im + b.im), half * (b.re - a.re)};
      const Row w = load_lanes(roots + 2 * k, 2), t = times(odd, w.re, w.im);
      store_lanes(out + k * out_row, out_row, {even_re + t.re, even_im + t.im});
      store_lanes(out + (h - k) * out_row, -out_row, {even_re - t.re, t.im - even_im});
    }
    for (; 2 * k <= h; ++k) combine_one(z, h, k, roots, s, out, out_row);
  }

  static void separate_one(const Real* in, Index in_row, Index h, Index k, const Real* roots,
                           Real* z) {
    const Real *a = in + k * in_row, *b = in + (h - k) * in_row;
    const Real a_im = k == 0 ? Real(0) : a[1], b_im = k == 0 ? Real(0) : b[1];
    const Real c = roots[2 * k], s = -roots[2 * k + 1];
    const Real even_re = a[0] + b[0], even_im = a_im - b_im, re = a[0] - b[0], im = a_im + b_im;
    const Real odd_re = c * re - s * im, odd_im = c * im + s * re;
    if (k > 0) {
      z[2 * (h - k)] = even_re + odd_im;
      z[2 * (h - k) + 1] = odd_re - even_im;
    }
    z[2 * k] = even_re - odd_im;
    z[2 * k + 1] = even_im + odd_re;
  }
  static void line_separate(const Real* in, Index in_row, Index h, const Real* roots, Real* z) {
    separate_one(in, in_row, h, 0, roots, z);
    Index k = 1;
    const Stride down = Stride::of<Real>(-2);
    for (; 2 * (k + V - 1) < h; k += V) {
      const Row a = load_lanes(in + k * in_row, in_row),
                b = load_lanes(in + (h - k) * in_row, -in_row);
      const Vec even_re = a.re + b.re, even_im = a.im - b.im;
      const Row w = load_lanes(roots + 2 * k, 2);
      const Row odd = times({a.re - b.re, a.im + b.im}, w.re, -w.im);
      store_lanes(z + 2 * k, 2, {even_re - odd.im, even_im + odd.re});
      S::store_strided({z + 2 * (h - k), down}, {even_re + odd.im, odd.re - even_im});
    }
    for (; 2 * k <= h; ++k) separate_one(in, in_row, h, k, roots, z);
  }

  static void multiply_line(const Real* x, const Real* w, Index count, Real scale, Real* out) {
    const Vec by = S::set(scale);
    Index i = 0;
    for (; i + V <= count; i += V) {
      const Row factor = load_lanes(w + 2 * i, 2);
      store_lanes(out + 2 * i, 2, times(load_lanes(x + 2 * i, 2), factor.re * by, factor.im * by));
    }
    for (; i < count; ++i) {
      const Real re = x[2 * i], im = x[2 * i + 1], c = w[2 * i] * scale, s = w[2 * i + 1] * scale;
      out[2 * i] = re * c - im * s;
      out[2 * i + 1] = re * s + im * c;
    }
  }

  static void widen_line(const Half* in, Index stride, Index width, Index count, Real* out) {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < width; ++j) out[i * width + j] = get(in + i * stride + j);
  }
  static void narrow_line(const Real* in, Index width, Index count, Half* out, Index stride) {
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < width; ++j) put(out + i * stride + j, in[i * width + j]);
  }

  static constexpr LaneOps<Real> table{
      .move = &move,
      .multiply = &multiply,
      .add_row = &add_row,
      .load_real = &load_real,
      .store_real = &store_real,
      .real_combine = &real_combine,
      .real_separate = &real_separate,
      .pair_separate = &pair_separate,
      .pair_combine = &pair_combine,
      .twiddle_store = &twiddle_store,
      .stream = &stream,
      .line_combine = &line_combine,
      .line_separate = &line_separate,
      .mirror_lines = &Mirror<Real>::run,
      .multiply_line = &multiply_line,
      .widen_line = &widen_line,
      .narrow_line = &narrow_line,
  };
};

const LaneOps<float>& float_ops() { return Ops<float>::table; }
const LaneOps<double>& double_ops() { return Ops<double>::table; }

}  // namespace weft::local::WEFT_ISA_NAMESPACE
