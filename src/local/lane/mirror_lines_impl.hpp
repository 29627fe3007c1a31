// SPDX-License-Identifier: BSD-3-Clause
// The body of LaneOps::mirror_lines, compiled once per instruction set by lane_ops_impl.hpp.
// Registers hold adjacent complex numbers, real and imaginary parts alternating, as in line
// kernels.

template <class Real>
struct Mirror {
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  static constexpr int width = codelet::lanes(weft_isa, precision) / 2;  // complex numbers
  using S = LineSimd<Real>;
  using Vec = typename S::Vec;

  static void run(const Real* in, Real* out, const MirrorLines<Real>& work) {
    for (Index t = 0; t < work.count; ++t, in += work.in_step, out += work.out_step) {
      if (work.first == 0) edge(in, out, work);
      for (Index c = work.first; c < work.last; ++c) block(in, out, work, c);
    }
  }

 private:
  /// Points 0 and h, which have no imaginary part on the side of the spectrum.
  static void edge(const Real* in, Real* out, const MirrorLines<Real>& work) {
    const Index h = work.h;
    if (work.separates) {
      const Real first = in[0], last = in[2 * h];
      out[0] = first + last;
      out[1] = first - last;
      return;
    }
    const Real scale = 2 * work.half, re = in[0] * scale, im = in[1] * scale;
    out[0] = re + im;
    out[1] = 0;
    out[2 * h] = re - im;
    out[2 * h + 1] = 0;
  }

  /// Pair k = first + j of the block that begins with `first`, whose factors are turned by c.
  static void one(const Real* in, Real* out, const MirrorLines<Real>& work, Index first, Index j,
                  Real c_re, Real c_im) {
    const Index k = first + j;
    const Real *a = in + 2 * k, *b = in + 2 * (work.h - k);
    const Real g_re = work.fine[2 * j], g_im = work.fine[2 * (work.period + j) + 1];
    const Real f_re = g_re * c_re - g_im * c_im, f_im = g_re * c_im + g_im * c_re;
    const Real sum_re = work.half * (a[0] + b[0]), sum_im = work.half * (a[1] - b[1]);
    const Real d_re = a[0] - b[0], d_im = a[1] + b[1];
    const Real t_re = f_re * d_re - f_im * d_im, t_im = f_re * d_im + f_im * d_re;
    out[2 * (work.h - k)] = sum_re - t_re;
    out[2 * (work.h - k) + 1] = t_im - sum_im;
    out[2 * k] = sum_re + t_re;
    out[2 * k + 1] = sum_im + t_im;
  }

  static void block(const Real* in, Real* out, const MirrorLines<Real>& work, Index c) {
    const Index first = 1 + c * work.period;
    const Index pairs = std::min(work.period, work.h / 2 + 1 - first);
    const Real c_re = work.coarse[2 * c], c_im = work.coarse[2 * c + 1];
    if constexpr (width > 0)
      if (pairs >= width)
        return c == 0 ? vectors<false>(in, out, work, first, pairs, c_re, c_im)
                      : vectors<true>(in, out, work, first, pairs, c_re, c_im);
    for (Index j = 0; j < pairs; ++j) one(in, out, work, first, j, c_re, c_im);
  }

  /// The pairs of a block by registers, at least one.
  template <bool Turned>
  static void vectors(const Real* in, Real* out, const MirrorLines<Real>& work, Index first,
                      Index pairs, Real c_re, Real c_im) {
    alignas(64) Real signs[2 * width + 2];
    for (int i = 0; i < 2 * width; ++i) signs[i] = i % 2 == 0 ? Real(1) : Real(-1);
    const Vec conjugate = S::load(signs), half = S::set(work.half);
    const Vec turn_re = S::set(c_re), turn_im = conjugate * S::set(c_im);
    const Real *re = work.fine, *im = work.fine + 2 * work.period;
    // Reads from `from`, whose first point is number `base`.
    const auto group = [&](Index j, const Real* from, Index base) {
      const Index k = first + j, mirror = work.h - k - width + 1;
      const Vec a = S::load(from + 2 * (k - base));
      const Vec b = S::reverse(S::load(from + 2 * (mirror - base)));
      Vec f_re = S::load(re + 2 * j), f_im = S::load(im + 2 * j);
      if constexpr (Turned) {
        const Vec turned_re = S::fma(f_im, turn_im, f_re * turn_re);
        f_im = S::fnma(f_re, turn_im, f_im * turn_re);
        f_re = turned_re;
      }
      const Vec sum = S::fma(conjugate, b, a), d = S::fnma(conjugate, b, a);
      const Vec product = S::fma(f_re, d, f_im * S::swap(d));
      S::store(out + 2 * k, S::fma(half, sum, product));
      S::store(out + 2 * mirror, S::reverse(conjugate * S::fms(half, sum, product)));
    };
    // The last group may overlap the one before, and then writes the same again. In place it may
    // also meet its own mirror image, and reads what was there before.
    const Index last = pairs - width;
    const bool meets = in == out && first + pairs > work.h / 2;
    alignas(64) Real middle[4 * width];
    if (meets) std::copy(in + 2 * (first + last), in + 2 * (work.h - first - last + 1), middle);
    for (Index j = 0; j < last; j += width) group(j, in, 0);
    group(last, meets ? middle : in, meets ? first + last : 0);
  }
};
