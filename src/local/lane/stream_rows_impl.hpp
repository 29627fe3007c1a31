// SPDX-License-Identifier: BSD-3-Clause
// Stores past the caches, compiled once per instruction set by lane_ops_impl.hpp.

template <class Real>
struct StreamRows {
  static constexpr int V =
      codelet::lanes(weft_isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32);
  using S = Simd<Real>;
  using Vec = typename S::Vec;

  /// p is a multiple of the register's bytes.
  static void store(Real* p, Vec v) {
#if WEFT_X86_REGISTER_BITS == 512
    if constexpr (sizeof(Real) == 8)
      _mm512_stream_pd(p, v);
    else
      _mm512_stream_ps(p, v);
#elif WEFT_X86_REGISTER_BITS == 256
    if constexpr (sizeof(Real) == 8)
      _mm256_stream_pd(p, v);
    else
      _mm256_stream_ps(p, v);
#else
    S::store(p, v);
#endif
  }

  /// Whether all rows, pieces of 2 V reals, begin and end with a cache line.
  static bool are_whole(const Real* dst, Index dst_row) {
    return reinterpret_cast<std::uintptr_t>(dst) % line_bytes == 0 &&
           dst_row * real_bytes % line_bytes == 0 && 2 * V * real_bytes % line_bytes == 0;
  }

  /// A row at any address: its whole cache lines past the caches, what lies before and after them
  /// as usual.
  static void store_row(const Real* row, Index count, Real* dst) {
    constexpr Index line = line_bytes / real_bytes;
    const Index before = Index(reinterpret_cast<std::uintptr_t>(dst) % line_bytes) / real_bytes;
    const Index head = std::min(count, (line - before) % line);
    Index i = 0;
    for (; i < head; ++i) dst[i] = row[i];
    for (; i + line <= count; i += line)
      for (Index v = 0; v < line; v += V) store(dst + i + v, S::load(row + i + v));
    for (; i < count; ++i) dst[i] = row[i];
  }

  /// Other threads read what was written once a task is done.
  static void end() {
#if WEFT_X86_REGISTER_BITS > 0
    _mm_sfence();
#endif
  }

 private:
  static constexpr Index line_bytes = 64, real_bytes = sizeof(Real);
};
