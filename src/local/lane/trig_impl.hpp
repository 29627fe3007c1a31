// SPDX-License-Identifier: BSD-3-Clause
// The steps around the real (types II and III) or complex (type IV) transform inside a DCT or DST,
// for lane_ops_impl.hpp: compiled once per instruction set. trig_tables.hpp makes the factors. A
// line has its points in a row; rows of lanes are planar.

/// Registers of neighbours: even and odd numbers apart, together again, and turned around.
template <class Real>
struct Neighbours {
  using Vec = typename Simd<Real>::Vec;
  static constexpr int V = Rows<Real>::V;
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
  template <int... i>
  static Vec turned(Vec a, std::integer_sequence<int, i...>) {
    return __builtin_shufflevector(a, a, (V - 1 - i)...);
  }
  using Sequence = std::make_integer_sequence<int, V>;
  struct Pair {
    Vec even, odd;
  };
  /// 2V numbers in a row.
  static Pair load(const Real* p) {
    const Vec a = Simd<Real>::load(p), b = Simd<Real>::load(p + V);
    return {even(a, b, Sequence{}), odd(a, b, Sequence{})};
  }
  static void store(Real* p, const Pair& x) {
    Simd<Real>::store(p, low(x.even, x.odd, Sequence{}));
    Simd<Real>::store(p + V, high(x.even, x.odd, Sequence{}));
  }
  static Vec turned(Vec a) { return turned(a, Sequence{}); }
};

template <class Real>
struct Trig : Rows<Real> {
  using Base = Rows<Real>;
  using Base::load_planar;
  using Base::store_planar;
  using Base::times;
  using Base::V;
  using typename Base::Row;
  using typename Base::S;
  using typename Base::Vec;
  using N = Neighbours<Real>;

  /// v[j] = x[2j], v[n-1-j] = sign x[2j+1].
  static void fold_line(const Real* x, Index n, Real sign, Real* v) {
    Index j = 0;
    if constexpr (V > 1)
      for (; 2 * (j + V) <= n; j += V) {
        const auto pair = N::load(x + 2 * j);
        S::store(v + j, pair.even);
        S::store(v + n - j - V, N::turned(pair.odd * S::set(sign)));
      }
    for (; 2 * j < n; ++j) {
      v[j] = x[2 * j];
      if (2 * j + 1 < n) v[n - 1 - j] = sign * x[2 * j + 1];
    }
  }
  static void unfold_line(const Real* v, Index n, Real sign, Real* y) {
    Index j = 0;
    if constexpr (V > 1)
      for (; 2 * (j + V) <= n; j += V)
        N::store(y + 2 * j, {S::load(v + j), N::turned(S::load(v + n - j - V)) * S::set(sign)});
    for (; 2 * j < n; ++j) {
      y[2 * j] = v[j];
      if (2 * j + 1 < n) y[2 * j + 1] = sign * v[n - 1 - j];
    }
  }

  /// y[k] = Re X[k] c[k] + Im X[k] s[k], y[n-k] = mirror (Re X[k] s[k] - Im X[k] c[k]).
  static void rotate_spectrum(const Real* x, const TrigLine<Real>& line, Real* y) {
    const Index n = line.n;
    const bool turned = line.turned;
    const auto put = [&](Index k, Real value) { y[turned ? n - 1 - k : k] = value; };
    put(0, x[0] * line.cosine[0]);
    Index k = 1;
    if constexpr (V > 1)
      for (; 2 * (k + V - 1) < n; k += V) {
        const auto z = N::load(x + 2 * k);
        const Vec c = S::load(line.cosine + k), s = S::load(line.sine + k);
        const Vec low = S::fma(z.even, c, z.odd * s);
        const Vec high = S::set(line.mirror) * S::fms(z.even, s, z.odd * c);
        S::store(turned ? y + n - k - V : y + k, turned ? N::turned(low) : low);
        S::store(turned ? y + k - 1 : y + n - k - V + 1, turned ? high : N::turned(high));
      }
    for (; 2 * k < n; ++k) {
      const Real re = x[2 * k], im = x[2 * k + 1], c = line.cosine[k], s = line.sine[k];
      put(k, re * c + im * s);
      put(n - k, line.mirror * (re * s - im * c));
    }
    if (2 * k == n) put(k, x[2 * k] * line.cosine[k]);
  }
  /// X[k] = (c[k] x[k] + s[k] x[n-k]) + i mirror (s[k] x[k] - c[k] x[n-k]).
  static void make_spectrum(const Real* x, const TrigLine<Real>& line, Real* spectrum) {
    const Index n = line.n;
    const bool turned = line.turned;
    const auto get = [&](Index k) { return x[turned ? n - 1 - k : k]; };
    spectrum[0] = get(0) * line.cosine[0];
    spectrum[1] = 0;
    Index k = 1;
    if constexpr (V > 1)
      for (; 2 * (k + V - 1) < n; k += V) {
        Vec u = S::load(turned ? x + n - k - V : x + k);
        Vec v = S::load(turned ? x + k - 1 : x + n - k - V + 1);
        (turned ? u : v) = N::turned(turned ? u : v);
        const Vec c = S::load(line.cosine + k), s = S::load(line.sine + k);
        N::store(spectrum + 2 * k,
                 {S::fma(u, c, v * s), S::set(line.mirror) * S::fms(u, s, v * c)});
      }
    for (; 2 * k <= n; ++k) {
      const Real u = get(k), v = get(n - k), c = line.cosine[k], s = line.sine[k];
      spectrum[2 * k] = c * u + s * v;
      spectrum[2 * k + 1] = line.mirror * (s * u - c * v);
    }
  }

  /// z[j] = (x[2j] + i x[n-1-2j]) (c[j] + i s[j]); x turned around: the two change places.
  static void pair_ends(const Real* x, const TrigLine<Real>& line, Real* z) {
    const Index n = line.n;
    Index j = 0;
    if constexpr (V > 1)
      for (; 2 * (j + V) <= n; j += V) {
        const Vec first = N::load(x + 2 * j).even;
        const Vec last = N::turned(N::load(x + n - 2 * (j + V)).odd);
        const Vec u = line.turned ? last : first, v = line.turned ? first : last;
        const Row w = times({u, v}, S::load(line.cosine + j), S::load(line.sine + j));
        N::store(z + 2 * j, {w.re, w.im});
      }
    for (; 2 * j < n; ++j) {
      const Real first = x[2 * j], last = x[n - 1 - 2 * j];
      const Real u = line.turned ? last : first, v = line.turned ? first : last;
      z[2 * j] = u * line.cosine[j] - v * line.sine[j];
      z[2 * j + 1] = u * line.sine[j] + v * line.cosine[j];
    }
  }
  /// y[2k] + i y[n-1-2k] = Z[k] (c[k] + i s[k]), the imaginary part times -1 unless turned.
  static void part_ends(const Real* z, const TrigLine<Real>& line, Real* y) {
    const Index n = line.n, h = n / 2;
    const Real sign = line.turned ? Real(1) : Real(-1);
    Index k = 0;
    if constexpr (V > 1) {
      const auto rotated = [&](Index at) {
        const auto pair = N::load(z + 2 * at);
        return times({pair.even, pair.odd}, S::load(line.cosine + at), S::load(line.sine + at));
      };
      // A block and its mirror image, which may overlap in the middle.
      for (; h - 2 * k >= V; k += V) {
        const Index mirror = h - k - V;
        const Row a = rotated(k), b = rotated(mirror);
        N::store(y + 2 * k, {a.re, N::turned(b.im) * S::set(sign)});
        N::store(y + 2 * mirror, {b.re, N::turned(a.im) * S::set(sign)});
      }
    }
    for (const Index end = std::max(k, h - k); k < end; ++k) {
      const Real re = z[2 * k], im = z[2 * k + 1], c = line.cosine[k], s = line.sine[k];
      y[2 * k] = re * c - im * s;
      y[n - 1 - 2 * k] = sign * (re * s + im * c);
    }
  }

  // The same for rows of lanes. Row k holds y[k] and y[n-k]; row 0 holds y[0] and y[h], n = 2h.

  /// X[k] as real_combine() gives it, turned by its factor.
  static Row turn(const Vec& re, const Vec& im, const Real* factor) {
    const Vec c = S::broadcast(factor), s = S::broadcast(factor + 1);
    return {S::fma(re, c, im * s), S::fms(re, s, im * c)};
  }
  /// z: h rows of the transform of pairs; `factors`: c and s of k = 0..h.
  static void combine_turned(const Real* z, Index h, const Real* roots, const Real* factors,
                             Real* y) {
    const Vec half = S::set(Real(0.5));
    const Row first = load_planar(z);
    store_planar(y, {(first.re + first.im) * S::broadcast(factors),
                     (first.re - first.im) * S::broadcast(factors + 2 * h)});
    for (Index k = 1; 2 * k <= h; ++k) {
      const Row a = load_planar(z + k * 2 * V), b = load_planar(z + (h - k) * 2 * V);
      const Vec even_re = half * (a.re + b.re), even_im = half * (a.im - b.im);
      const Row odd{half * (a.im + b.im), half * (b.re - a.re)};
      const Row t = times(odd, S::broadcast(roots + 2 * k), S::broadcast(roots + 2 * k + 1));
      store_planar(y + (h - k) * 2 * V,
                   turn(even_re - t.re, t.im - even_im, factors + 2 * (h - k)));
      store_planar(y + k * 2 * V, turn(even_re + t.re, even_im + t.im, factors + 2 * k));
    }
  }
  /// The way back: rows of x[k] and x[n-k] to the rows that the backward transform makes pairs of.
  static void separate_turned(const Real* x, Index h, const Real* roots, const Real* factors,
                              Real* z) {
    const Row ends = load_planar(x);
    const Vec first = ends.re * S::broadcast(factors);
    const Vec last = ends.im * (S::broadcast(factors + 2 * h) + S::broadcast(factors + 2 * h + 1));
    store_planar(z, {first + last, first - last});
    for (Index k = 1; 2 * k <= h; ++k) {
      const Row u = load_planar(x + k * 2 * V), v = load_planar(x + (h - k) * 2 * V);
      const Row a = turn(u.re, u.im, factors + 2 * k);
      const Row b = turn(v.re, v.im, factors + 2 * (h - k));
      const Vec even_re = a.re + b.re, even_im = a.im - b.im;
      const Row odd =
          times({a.re - b.re, a.im + b.im}, S::set(roots[2 * k]), S::set(-roots[2 * k + 1]));
      store_planar(z + (h - k) * 2 * V, {even_re + odd.im, odd.re - even_im});
      store_planar(z + k * 2 * V, {even_re - odd.im, even_im + odd.re});
    }
  }
  static void negate(Real* reals, Index count) {
    for (Index i = 0; i < count; ++i, reals += V) S::store(reals, S::set(Real(0)) - S::load(reals));
  }
};
