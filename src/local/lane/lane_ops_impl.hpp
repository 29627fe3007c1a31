// SPDX-License-Identifier: BSD-3-Clause
// Bodies of lane_ops.hpp, compiled once per instruction set: each lane_ops_<isa>.cpp defines
// WEFT_ISA_NAMESPACE, weft_isa and Simd and includes this file, so nothing here is shared between
// instruction sets.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/half.hpp"
#include "codelet/runtime/registry.hpp"
#include "local/lane/lane_ops.hpp"

namespace weft::local::WEFT_ISA_NAMESPACE {

using codelet::Isa;

#include "local/lane/mirror_lines_impl.hpp"
#include "local/lane/rows_impl.hpp"
#include "local/lane/stream_rows_impl.hpp"
#include "local/lane/trig_impl.hpp"

template <class Real>
struct Ops : Rows<Real> {
  using Base = Rows<Real>;
  using Base::gather;
  using Base::get;
  using Base::load_first;
  using Base::load_lanes;
  using Base::load_planar;
  using Base::put;
  using Base::row_of;
  using Base::scatter;
  using Base::store_first;
  using Base::store_lanes;
  using Base::store_planar;
  using Base::times;
  using Base::V;
  using typename Base::Row;
  using typename Base::S;
  using typename Base::Stride;
  using typename Base::Vec;

  template <class From, class To>
  static void move_rows(const RowsRef& src, const RowsRef& dst, Index rows, int valid,
                        const Real* factors, double scale) {
    const Real s = static_cast<Real>(scale);
    for (Index i = 0; i < rows; ++i) {
      Row row = Base::template read<From>(src, i, valid);
      if (factors != nullptr) {
        row = times(row, S::set(factors[2 * i] * s), S::set(factors[2 * i + 1] * s));
      } else if (scale != 1.0) {
        row.re = row.re * S::set(s);
        row.im = row.im * S::set(s);
      }
      Base::template write<To>(dst, i, valid, row);
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
  static void load_real_rows(const RowsRef& src, Index imag, Index rows, int valid, Real* planar) {
    for (Index i = 0; i < rows; ++i, planar += 2 * V)
      store_planar(planar, gather(static_cast<const Stored*>(src.data) + row_of(src, i), src.lane,
                                  imag, valid));
  }
  static void load_real(const RowsRef& src, Index imag, Index rows, int valid, Real* planar) {
    if (src.half)
      load_real_rows<Half>(src, imag, rows, valid, planar);
    else
      load_real_rows<Real>(src, imag, rows, valid, planar);
  }

  template <class Stored>
  static void store_real_rows(const Real* planar, Index imag, Index rows, int valid, Vec scale,
                              const RowsRef& dst) {
    for (Index i = 0; i < rows; ++i, planar += 2 * V) {
      Stored* p = static_cast<Stored*>(dst.data) + row_of(dst, i);
      Row row = load_planar(planar);
      row.re = row.re * scale;
      row.im = row.im * scale;
      scatter(p, dst.lane, imag, valid, row);
    }
  }
  static void store_real(const Real* planar, Index imag, Index rows, int valid, double scale,
                         const RowsRef& dst) {
    const Vec s = S::set(static_cast<Real>(scale));
    if (dst.half)
      store_real_rows<Half>(planar, imag, rows, valid, s, dst);
    else
      store_real_rows<Real>(planar, imag, rows, valid, s, dst);
  }

  template <class Stored>
  static void load_real_pairs(const RowsRef& src, Index rows, int valid, Real* planar) {
    const auto* data = static_cast<const Stored*>(src.data);
    for (Index i = 0; i < rows; ++i, planar += 2 * V) {
      const Index re = row_of(src, 2 * i), im = row_of(src, 2 * i + 1);
      store_planar(planar, gather(data + re, src.lane, im - re, valid));
    }
  }
  static void load_pairs(const RowsRef& src, Index rows, int valid, Real* planar) {
    if (src.half)
      load_real_pairs<Half>(src, rows, valid, planar);
    else
      load_real_pairs<Real>(src, rows, valid, planar);
  }
  template <class Stored>
  static void store_real_pairs(const Real* planar, Index rows, int valid, Vec scale,
                               const RowsRef& dst) {
    auto* data = static_cast<Stored*>(dst.data);
    for (Index i = 0; i < rows; ++i, planar += 2 * V) {
      const Index re = row_of(dst, 2 * i), im = row_of(dst, 2 * i + 1);
      const Row row = load_planar(planar);
      scatter(data + re, dst.lane, im - re, valid, {row.re * scale, row.im * scale});
    }
  }
  static void store_pairs(const Real* planar, Index rows, int valid, double scale,
                          const RowsRef& dst) {
    const Vec s = S::set(static_cast<Real>(scale));
    if (dst.half)
      store_real_pairs<Half>(planar, rows, valid, s, dst);
    else
      store_real_pairs<Real>(planar, rows, valid, s, dst);
  }

  template <class Stored>
  static void gather_real_rows(const RowsRef& src, Index rows, int valid, Real* out) {
    for (Index i = 0; i < rows; ++i, out += V) {
      const Stored* p = static_cast<const Stored*>(src.data) + row_of(src, i);
      if constexpr (std::is_same_v<Stored, Real>)
        if (src.lane == 1) {
          S::store(out, load_first(p, valid));
          continue;
        }
      for (int l = 0; l < V; ++l) out[l] = l < valid ? get(p + l * src.lane) : Real(0);
    }
  }
  static void gather_reals(const RowsRef& src, Index rows, int valid, Real* out) {
    if (src.half)
      gather_real_rows<Half>(src, rows, valid, out);
    else
      gather_real_rows<Real>(src, rows, valid, out);
  }
  template <class Stored>
  static void scatter_real_rows(const Real* in, Index rows, int valid, const RowsRef& dst) {
    for (Index i = 0; i < rows; ++i, in += V) {
      Stored* p = static_cast<Stored*>(dst.data) + row_of(dst, i);
      if constexpr (std::is_same_v<Stored, Real>)
        if (dst.lane == 1) {
          store_first(p, valid, S::load(in));
          continue;
        }
      for (int l = 0; l < valid; ++l) put(p + l * dst.lane, in[l]);
    }
  }
  static void scatter_reals(const Real* in, Index rows, int valid, const RowsRef& dst) {
    if (dst.half)
      scatter_real_rows<Half>(in, rows, valid, dst);
    else
      scatter_real_rows<Real>(in, rows, valid, dst);
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

  static void mirror_rows(Real* x, Index n) {
    const Vec zero = S::set(Real(0));
    S::store(x + V, zero);
    for (Index k = 1; 2 * k < n; ++k) {
      const Row row = load_planar(x + k * 2 * V);
      store_planar(x + (n - k) * 2 * V, {row.re, zero - row.im});
    }
  }

  static void conjugate(Real* rows, Index count) {
    const Vec zero = S::set(Real(0));
    for (Index i = 0; i < count; ++i, rows += 2 * V) S::store(rows + V, zero - S::load(rows + V));
  }

  static void from_hartley(const Real* numbers, const Index* places, Index rows, Real* x) {
    const Vec half = S::set(Real(0.5));
    for (Index i = 0; i < rows; ++i, x += 2 * V) {
      const Vec u = S::load(numbers + places[2 * i]), v = S::load(numbers + places[2 * i + 1]);
      store_planar(x, {half * (u + v), half * (v - u)});
    }
  }
  static void to_hartley(const Real* x, const Index* places, Index rows, Real* numbers) {
    for (Index i = 0; i < rows; ++i, x += 2 * V) {
      const Row row = load_planar(x);
      S::store(numbers + places[2 * i], row.re - row.im);
      S::store(numbers + places[2 * i + 1], row.re + row.im);
    }
  }

  using Stream = StreamRows<Real>;
  static constexpr Index most_row_reals = Index{most_streamed_groups} * 2 * V;
  /// V adjacent complex numbers past the caches; p is a multiple of the registers' bytes.
  static void stream_lanes(Real* p, const Row& row) {
    alignas(64) Real pair[2 * V];
    store_lanes(pair, 2, row);
    Stream::store(p, S::load(pair));
    Stream::store(p + V, S::load(pair + V));
  }
  static void stream(const Real* planar, Index planar_group, int groups, Index rows, double scale,
                     Real* dst, Index dst_row) {
    if (Stream::are_whole(dst, dst_row))
      stream_rows<true>(planar, planar_group, groups, rows, scale, dst, dst_row);
    else
      stream_rows<false>(planar, planar_group, groups, rows, scale, dst, dst_row);
    Stream::end();
  }
  template <bool whole>
  static void stream_rows(const Real* planar, Index planar_group, int groups, Index rows,
                          double scale, Real* dst, Index dst_row) {
    alignas(64) Real line[whole ? 1 : most_row_reals];
    const Vec s = S::set(static_cast<Real>(scale));
    for (Index i = 0; i < rows; ++i, planar += 2 * V, dst += dst_row) {
      for (int g = 0; g < groups; ++g) {
        Row row = load_planar(planar + g * planar_group);
        row.re = row.re * s;
        row.im = row.im * s;
        if constexpr (whole)
          stream_lanes(dst + g * 2 * V, row);
        else
          store_lanes(line + g * 2 * V, 2, row);
      }
      if constexpr (!whole) Stream::store_row(line, groups * 2 * V, dst);
    }
  }

  enum class Storing { ordinary, streamed, streamed_anywhere };
  template <Storing storing>
  static void twiddle_rows(const Real* planar, Index planar_group, int groups, Index rows,
                           const TwiddleBlock<Real>& twiddles, Real* dst, Index dst_row) {
    constexpr bool anywhere = storing == Storing::streamed_anywhere;
    alignas(64) Real line[anywhere ? most_row_reals : 1];
    const Real* coarse = twiddles.coarse;
    for (Index begin = 0; begin < rows; begin += twiddles.period, coarse += groups * 2 * V) {
      const Real* fine = twiddles.fine;
      const Index count = std::min(twiddles.period, rows - begin);
      for (Index k = 0; k < count; ++k, planar += 2 * V, dst += dst_row) {
        for (int g = 0; g < groups; ++g, fine += 2 * V) {
          const Row b = load_planar(coarse + g * 2 * V);
          const Row w = times(load_planar(fine), b.re, b.im);
          const Row row = times(load_planar(planar + g * planar_group), w.re, w.im);
          if constexpr (storing == Storing::streamed)
            stream_lanes(dst + g * 2 * V, row);
          else
            store_lanes((anywhere ? line : dst) + g * 2 * V, 2, row);
        }
        if constexpr (anywhere) Stream::store_row(line, groups * 2 * V, dst);
      }
    }
  }
  static void twiddle_store(const Real* planar, Index planar_group, int groups, Index rows,
                            const TwiddleBlock<Real>& twiddles, bool streamed, Real* dst,
                            Index dst_row) {
    const auto run = !streamed                         ? &twiddle_rows<Storing::ordinary>
                     : Stream::are_whole(dst, dst_row) ? &twiddle_rows<Storing::streamed>
                                                       : &twiddle_rows<Storing::streamed_anywhere>;
    run(planar, planar_group, groups, rows, twiddles, dst, dst_row);
    if (streamed) Stream::end();
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
    const Stride down = Stride::template of<Real>(-2);
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
    const Stride down = Stride::template of<Real>(-2);
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
      .load_pairs = &load_pairs,
      .store_pairs = &store_pairs,
      .gather_reals = &gather_reals,
      .scatter_reals = &scatter_reals,
      .real_combine = &real_combine,
      .real_separate = &real_separate,
      .mirror_rows = &mirror_rows,
      .conjugate = &conjugate,
      .from_hartley = &from_hartley,
      .to_hartley = &to_hartley,
      .twiddle_store = &twiddle_store,
      .stream = &stream,
      .stream_line = &Stream::store_row,
      .end_stream = &Stream::end,
      .line_combine = &line_combine,
      .line_separate = &line_separate,
      .mirror_lines = &Mirror<Real>::run,
      .multiply_line = &multiply_line,
      .fold_line = &Trig<Real>::fold_line,
      .unfold_line = &Trig<Real>::unfold_line,
      .rotate_spectrum = &Trig<Real>::rotate_spectrum,
      .make_spectrum = &Trig<Real>::make_spectrum,
      .pair_ends = &Trig<Real>::pair_ends,
      .part_ends = &Trig<Real>::part_ends,
      .combine_turned = &Trig<Real>::combine_turned,
      .separate_turned = &Trig<Real>::separate_turned,
      .negate = &Trig<Real>::negate,
      .widen_line = &widen_line,
      .narrow_line = &narrow_line,
  };
};

const LaneOps<float>& float_ops() { return Ops<float>::table; }
const LaneOps<double>& double_ops() { return Ops<double>::table; }

}  // namespace weft::local::WEFT_ISA_NAMESPACE
