// SPDX-License-Identifier: BSD-3-Clause
// The body of LaneOps::mirror_lines, compiled once per instruction set by lane_ops_impl.hpp.
// Registers hold adjacent complex numbers, real and imaginary parts in turn, as in line kernels.

template <class Real>
struct Mirror {
  static constexpr Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  static constexpr int width = codelet::lanes(weft_isa, precision) / 2;  // complex numbers
  using S = LineSimd<Real>;
  using Vec = typename S::Vec;

  static void run(const Real* in, Real* out, const MirrorLines<Real>& work) {
    if constexpr (width > 0)
      if (work.h > width) return run_vectors(in, out, work);
    for (Index t = 0; t < work.count; ++t, in += work.in_step, out += work.out_step) {
      edge(in, out, work);
      for (Index k = 1; 2 * k <= work.h; ++k) one(in, out, work, k);
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

  static void one(const Real* in, Real* out, const MirrorLines<Real>& work, Index k) {
    const Real *a = in + 2 * k, *b = in + 2 * (work.h - k);
    const Real f_re = work.factors[2 * k], f_im = work.factors[2 * (work.h + k) + 1];
    const Real sum_re = work.half * (a[0] + b[0]), sum_im = work.half * (a[1] - b[1]);
    const Real d_re = a[0] - b[0], d_im = a[1] + b[1];
    const Real t_re = f_re * d_re - f_im * d_im, t_im = f_re * d_im + f_im * d_re;
    out[2 * (work.h - k)] = sum_re - t_re;
    out[2 * (work.h - k) + 1] = t_im - sum_im;
    out[2 * k] = sum_re + t_re;
    out[2 * k + 1] = sum_im + t_im;
  }

  static void run_vectors(const Real* in, Real* out, const MirrorLines<Real>& work) {
    alignas(64) Real signs[2 * width + 2];
    for (int i = 0; i < 2 * width; ++i) signs[i] = i % 2 == 0 ? Real(1) : Real(-1);
    const Vec conjugate = S::load(signs), half = S::set(work.half);
    const Index h = work.h;
    for (Index t = 0; t < work.count; ++t, in += work.in_step, out += work.out_step) {
      edge(in, out, work);
      for (Index first = 1; 2 * first <= h; first += width) {
        // The last group may overlap the one before: what is written twice is the same.
        const Index k = first < h - width ? first : h - width, mirror = h - k - width + 1;
        const Vec a = S::load(in + 2 * k), b = S::reverse(S::load(in + 2 * mirror));
        const Vec sum = S::fma(conjugate, b, a), d = S::fnma(conjugate, b, a);
        const Vec turned = S::load(work.factors + 2 * (h + k)) * S::swap(d);
        const Vec product = S::fma(S::load(work.factors + 2 * k), d, turned);
        S::store(out + 2 * k, S::fma(half, sum, product));
        S::store(out + 2 * mirror, S::reverse(conjugate * S::fms(half, sum, product)));
      }
    }
  }
};
