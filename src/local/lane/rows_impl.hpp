// SPDX-License-Identifier: BSD-3-Clause
// Rows of lanes between memory and registers, for lane_ops_impl.hpp: compiled once per instruction
// set. What differs follows WEFT_X86_REGISTER_BITS and not the compiler's macros, which tell of
// more than the set where a user adds -march=native.

template <class Real>
struct Rows {
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

  template <class Stored>
  static Real get(const Stored* p) {
    if constexpr (std::is_same_v<Stored, Half>)
      return static_cast<Real>(HalfNumber::widen(*p));
    else
      return *p;
  }
  template <class Stored>
  static void put(Stored* p, Real value) {
    if constexpr (std::is_same_v<Stored, Half>)
      *p = HalfNumber::narrow(static_cast<float>(value));
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

#if WEFT_X86_REGISTER_BITS == 256
  static __m256i first_slots(int count) {
    if constexpr (sizeof(Real) == 8)
      return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    else
      return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                                _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
#endif
  /// The first `count` numbers at p, the rest zero; nothing else is touched.
  static Vec load_first(const Real* p, int count) {
#if WEFT_X86_REGISTER_BITS == 512
    const auto first = (1u << count) - 1;
    if constexpr (sizeof(Real) == 8)
      return _mm512_maskz_loadu_pd(static_cast<__mmask8>(first), p);
    else
      return _mm512_maskz_loadu_ps(static_cast<__mmask16>(first), p);
#elif WEFT_X86_REGISTER_BITS == 256
    if constexpr (sizeof(Real) == 8)
      return _mm256_maskload_pd(p, first_slots(count));
    else
      return _mm256_maskload_ps(p, first_slots(count));
#else
    alignas(64) Real numbers[V] = {};
    for (int i = 0; i < count; ++i) numbers[i] = p[i];
    return S::load(numbers);
#endif
  }
  static void store_first(Real* p, int count, Vec v) {
#if WEFT_X86_REGISTER_BITS == 512
    const auto first = (1u << count) - 1;
    if constexpr (sizeof(Real) == 8)
      _mm512_mask_storeu_pd(p, static_cast<__mmask8>(first), v);
    else
      _mm512_mask_storeu_ps(p, static_cast<__mmask16>(first), v);
#elif WEFT_X86_REGISTER_BITS == 256
    if constexpr (sizeof(Real) == 8)
      _mm256_maskstore_pd(p, first_slots(count), v);
    else
      _mm256_maskstore_ps(p, first_slots(count), v);
#else
    alignas(64) Real numbers[V];
    S::store(numbers, v);
    for (int i = 0; i < count; ++i) p[i] = numbers[i];
#endif
  }
  /// Reals of all lanes, or of adjacent ones: the first `valid`, the rest zero.
  static Vec load_reals(const Real* p, Index lane, int valid) {
    if constexpr (V > 1) {
      if (lane == 1 && valid < V) {
        alignas(64) Real natural[V];
        S::store(natural, load_first(p, valid));
        return S::load_real_unit(natural);
      }
      if (lane == 1) return S::load_real_unit(p);
    }
#if WEFT_X86_REGISTER_BITS == 512
    // Sixteen numbers put together in memory would wait for their stores.
    if constexpr (sizeof(Real) == 4) {
      const auto quarter = [&](int l) {
        return _mm_setr_ps(p[l * lane], p[(l + 1) * lane], p[(l + 8) * lane], p[(l + 9) * lane]);
      };
      return S::four_quarters(quarter(0), quarter(2), quarter(4), quarter(6));
    }
#endif
    const Stride stride = Stride::of<Real>(lane);
    return S::load_real_strided({p, stride});
  }
  static void store_reals(Real* p, Index lane, int valid, Vec v) {
    if constexpr (V > 1) {
      if (lane == 1 && valid < V) {
        alignas(64) Real natural[V];
        S::store_real_unit(natural, v);
        return store_first(p, valid, S::load(natural));
      }
      if (lane == 1) return S::store_real_unit(p, v);
    }
    const Stride stride = Stride::of<Real>(lane);
    S::store_real_strided({p, stride}, v);
  }
  /// The first complex numbers of a row of adjacent ones, the rest zero.
  static Row load_some_unit(const Real* p, int valid) {
    const int low = std::min(2 * valid, V);
    return S::split(load_first(p, low), load_first(p + V, 2 * valid - low));
  }
  static void store_some_unit(Real* p, int valid, const Row& row) {
    alignas(64) Real pair[2 * V];
    S::store_unit(pair, pair + V, row);
    const int low = std::min(2 * valid, V);
    store_first(p, low, S::load(pair));
    store_first(p + V, 2 * valid - low, S::load(pair + V));
  }

  /// Lanes 0..valid-1, the rest zero; imaginary parts lie at `imag`, 0: there are none.
  template <class Stored>
  static Row gather(const Stored* p, Index lane, Index imag, int valid) {
    if constexpr (std::is_same_v<Stored, Real>) {
      if (imag == 1 && valid == V) return load_lanes(p, lane);
      if constexpr (V > 1)
        if (imag == 1 && lane == 2) return load_some_unit(p, valid);
      if (imag != 1 && (valid == V || lane == 1))
        return {load_reals(p, lane, valid),
                imag == 0 ? S::set(Real(0)) : load_reals(p + imag, lane, valid)};
    }
    alignas(64) Real re[V] = {}, im[V] = {};
    for (int l = 0; l < valid; ++l) re[slots.slot[l]] = get(p + l * lane);
    for (int l = 0; l < valid && imag != 0; ++l) im[slots.slot[l]] = get(p + l * lane + imag);
    return {S::load(re), S::load(im)};
  }
  template <class Stored>
  static void scatter(Stored* p, Index lane, Index imag, int valid, const Row& row) {
    if constexpr (std::is_same_v<Stored, Real>) {
      if (imag == 1 && valid == V) return store_lanes(p, lane, row);
      if constexpr (V > 1)
        if (imag == 1 && lane == 2) return store_some_unit(p, valid, row);
      if (imag != 1 && (valid == V || lane == 1)) {
        store_reals(p, lane, valid, row.re);
        if (imag != 0) store_reals(p + imag, lane, valid, row.im);
        return;
      }
    }
    alignas(64) Real re[V], im[V];
    S::store(re, row.re);
    S::store(im, row.im);
    for (int l = 0; l < valid; ++l) put(p + l * lane, re[slots.slot[l]]);
    for (int l = 0; l < valid && imag != 0; ++l) put(p + l * lane + imag, im[slots.slot[l]]);
  }

  template <class Stored>
  static Row read(const RowsRef& src, Index i, int valid) {
    const Stored* p = static_cast<const Stored*>(src.data) + row_of(src, i);
    if constexpr (std::is_same_v<Stored, Real>) {
      if (src.planar) return load_planar(p);
    }
    return gather(p, src.lane, src.imag, valid);
  }
  template <class Stored>
  static void write(const RowsRef& dst, Index i, int valid, const Row& row) {
    Stored* p = static_cast<Stored*>(dst.data) + row_of(dst, i);
    if constexpr (std::is_same_v<Stored, Real>) {
      if (dst.planar) return store_planar(p, row);
    }
    scatter(p, dst.lane, dst.imag, valid, row);
  }

  static Row times(const Row& row, Vec c, Vec s) {
    return {S::fms(row.re, c, row.im * s), S::fma(row.re, s, row.im * c)};
  }
};
