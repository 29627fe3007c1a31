// SPDX-License-Identifier: BSD-3-Clause
// The work around kernels that is not a DFT of a fixed length: moving rows between memory and
// planar scratch (partial lane groups, permuted rows, chirps, other storage types), pointwise
// products, and the real-input reductions. One table of functions per instruction set and
// precision; the bodies are in lane_ops_impl.hpp.
#pragma once

#include "codelet/runtime/abi.hpp"
#include "weft/types.hpp"

namespace weft::local {

/// Groups of a row that stream() and twiddle_store() take, at most.
inline constexpr int most_streamed_groups = 16;

/// Whether the instruction set has stores past the caches.
constexpr bool has_streaming_stores(codelet::Isa isa) {
  return isa == codelet::Isa::avx2 || isa == codelet::Isa::avx512;
}

/// Rows of lanes in memory. Distances in reals of the stored type.
struct RowsRef {
  void* data = nullptr;
  Index row = 0;               ///< from row to row
  Index lane = 0;              ///< from lane to lane; unused when planar
  const Index* map = nullptr;  ///< row i lies at map[i] * row when given
  bool planar = false;
  bool half = false;  ///< stored as binary16 (f32 tables only)
  Index imag = 1;     ///< from real to imaginary parts; unused when planar
};

/// A factor for every row and lane of a block, as products of few numbers: row a + b period takes
/// row a of `fine` times row b of `coarse`. Rows are planar, 2V reals per group, group after group.
template <class Real>
struct TwiddleBlock {
  const Real *fine, *coarse;
  Index period;
};

/// Real lines of n = 2h points are complex lines of h points and a step between them that pairs k
/// and h-k. With e = a + conj(b), d = a - conj(b), where a and b are points k and h-k of the input,
/// the output has half e + f d at k and conj(half e - f d) at h-k. mirror_tables.hpp makes f.
/// The pairs k = 1..h/2 come in blocks of `period`, and point 0 belongs to the first block.
template <class Real>
struct MirrorLines {
  Index h, count;
  Index in_step, out_step;  ///< from line to line, in reals
  Index first, last;        ///< the blocks to do
  Index period;
  const Real* fine;    ///< Re f twice per k = 1..period, then -Im f, Im f per k
  const Real* coarse;  ///< a complex number per block, by which its factors are multiplied
  Real half;
  bool separates;  ///< spectrum (h+1 points) to line, as in c2r; else line to spectrum
};

/// A line of a DCT or DST, n points; `turned`: as a DST it reads (types III and IV) or writes (type
/// II) its points in reverse. `mirror`: the sign of y[n-k] and of Im X[k] (types II and III); -1
/// for halfcomplex and Hartley transforms. trig_tables.hpp makes the factors.
template <class Real>
struct TrigLine {
  Index n;
  const Real *cosine, *sine;
  bool turned;
  Real mirror = 1;
};

template <class Real>
struct LaneOps {
  /// dst row i = src row i * factors[i] * scale. `factors` holds a complex number per row and may
  /// be null. Lanes from `valid` on are read as zero and not written to interleaved memory.
  void (*move)(const RowsRef& src, const RowsRef& dst, Index rows, int valid, const Real* factors,
               double scale);
  /// row i *= factors[i] (complex, same for all lanes); planar, contiguous rows.
  void (*multiply)(Real* rows, Index count, const Real* factors);
  /// sum = a + b, one planar row each.
  void (*add_row)(const Real* a, const Real* b, Real* sum);
  /// Real lanes into complex planar rows: re = src[i*row + l*lane], im = the same plus `imag`
  /// (zero when imag == 0). Lanes from `valid` on read as zero.
  void (*load_real)(const RowsRef& src, Index imag, Index rows, int valid, Real* planar);
  /// The reverse: writes re and, when imag != 0, im.
  void (*store_real)(const Real* planar, Index imag, Index rows, int valid, double scale,
                     const RowsRef& dst);
  /// Row i is made of two real rows: re = row map[2i] of src, im = row map[2i+1]; back.
  void (*load_pairs)(const RowsRef& src, Index rows, int valid, Real* planar);
  void (*store_pairs)(const Real* planar, Index rows, int valid, double scale, const RowsRef& dst);
  /// Real lanes to rows of V reals in the order of the lanes, those from `valid` on zero; back.
  void (*gather_reals)(const RowsRef& src, Index rows, int valid, Real* out);
  void (*scatter_reals)(const Real* in, Index rows, int valid, const RowsRef& dst);
  /// Even n = 2h: Z (h planar rows, natural order, transform of x[2j] + i x[2j+1]) to rows 0..h of
  /// X. `roots` holds w_n^k for k = 0..h/2.
  void (*real_combine)(const Real* z, Index h, const Real* roots, Real* x);
  /// The reverse for c2r: X rows 0..h to Z rows 0..h-1, from which the backward DFT(h) gives
  /// x[2j] + i x[2j+1] of the unnormalised backward transform.
  void (*real_separate)(const Real* x, Index h, const Real* roots, Real* z);
  /// Odd n: rows 0..n/2 of a half spectrum become all n rows, row n-k the conjugate of row k. The
  /// imaginary part of row 0 is taken as zero.
  void (*mirror_rows)(Real* x, Index n);
  void (*conjugate)(Real* rows, Index count);
  /// Row i of x from two numbers u and v of a Hartley transform, which lie at places[2i] and
  /// places[2i+1]: u = re - im, v = re + im; back.
  void (*from_hartley)(const Real* numbers, const Index* places, Index rows, Real* x);
  void (*to_hartley)(const Real* x, const Index* places, Index rows, Real* numbers);
  /// Planar rows of `groups` lane groups (planar_group reals apart) times their factors, to
  /// `groups * V` adjacent complex numbers per row; past the caches if `streamed`.
  void (*twiddle_store)(const Real* planar, Index planar_group, int groups, Index rows,
                        const TwiddleBlock<Real>& twiddles, bool streamed, Real* dst,
                        Index dst_row);

  /// Planar rows of `groups` lane groups (planar_group reals apart) to `groups * V` adjacent
  /// complex numbers per row, times scale, past the caches.
  void (*stream)(const Real* planar, Index planar_group, int groups, Index rows, double scale,
                 Real* dst, Index dst_row);
  /// `count` adjacent reals past the caches, to any address; end_stream() after the last.
  void (*stream_line)(const Real* line, Index count, Real* dst);
  void (*end_stream)();

  // One line of interleaved complex numbers instead of rows of lanes.
  /// As real_combine: z holds h contiguous points; X[k] goes to out + k * out_row, k = 0..h.
  /// `roots` holds w_n^k for k = 0..h/2, contiguous.
  void (*line_combine)(const Real* z, Index h, const Real* roots, double scale, Real* out,
                       Index out_row);
  /// As real_separate, X at in + k * in_row, z contiguous.
  void (*line_separate)(const Real* in, Index in_row, Index h, const Real* roots, Real* z);
  /// Contiguous lines and spectra; `in` and `out` are the same or do not overlap.
  void (*mirror_lines)(const Real* in, Real* out, const MirrorLines<Real>& work);
  /// out[i] = x[i] w[i] scale, all contiguous; x may be out.
  void (*multiply_line)(const Real* x, const Real* w, Index count, Real scale, Real* out);
  // The steps around the transform inside a DCT or DST; trig_impl.hpp has the formulas.
  /// Types II and III: the points of even number in a row, then those of odd number backwards,
  /// times `sign`; back.
  void (*fold_line)(const Real* x, Index n, Real sign, Real* v);
  void (*unfold_line)(const Real* v, Index n, Real sign, Real* y);
  /// Type II, R2HC, DHT: the half spectrum to the result. Type III, HC2R: the input to the half
  /// spectrum.
  void (*rotate_spectrum)(const Real* x, const TrigLine<Real>& line, Real* y);
  void (*make_spectrum)(const Real* x, const TrigLine<Real>& line, Real* spectrum);
  /// Type IV: points 2j and n-1-2j to complex point j; back.
  void (*pair_ends)(const Real* x, const TrigLine<Real>& line, Real* z);
  void (*part_ends)(const Real* z, const TrigLine<Real>& line, Real* y);
  /// Types II and III for planar rows: real_combine() and then the factors; the factors and then
  /// real_separate(). Row k of the real side holds points k and 2h-k, row 0 points 0 and h.
  void (*combine_turned)(const Real* z, Index h, const Real* roots, const Real* factors, Real* y);
  void (*separate_turned)(const Real* x, Index h, const Real* roots, const Real* factors, Real* z);
  void (*negate)(Real* reals, Index count);  ///< `count` registers

  /// `count` elements of `width` adjacent binary16 numbers, `stride` apart, to contiguous reals;
  /// back.
  void (*widen_line)(const Half* in, Index stride, Index width, Index count, Real* out);
  void (*narrow_line)(const Real* in, Index width, Index count, Half* out, Index stride);
};

template <class Real>
const LaneOps<Real>& lane_ops(codelet::Isa isa);

}  // namespace weft::local
