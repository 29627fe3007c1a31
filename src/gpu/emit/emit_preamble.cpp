// SPDX-License-Identifier: BSD-3-Clause
// Head of an emitted kernel: types, conversions and the few operations that differ between a GPU
// and the host that emulates it.
#include "gpu/emit/emit_preamble.hpp"

#include "base/format.hpp"

namespace weft::gpu {
namespace {

constexpr const char* on_device_or_host = R"(
#ifdef __CUDACC__
/// The shared memory of another block of the cluster.
using Peer = unsigned;
__device__ __forceinline__ Peer peer(const Shared* mine, unsigned rank) {
  Peer theirs;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"((unsigned)__cvta_generic_to_shared(mine)), "r"(rank));
  return theirs;
}
__device__ __forceinline__ Shared read_peer(Peer theirs, unsigned i) {
  Shared x;
  asm volatile("ld.shared::cluster.@PEER@ : "r"(theirs + i * (unsigned)sizeof(Shared)) : "memory");
  return x;
}
/// The cluster may read what this thread wrote to shared memory. A barrier that orders global
/// memory as well would take a trip to L2.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
  asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#endif
}
/// This thread has what it read of the cluster. Where it has already written what it made of that,
/// as it has but for a chirp's padding, nothing is still on its way and nothing need be ordered.
__device__ __forceinline__ void cluster_leave() {
  asm volatile("barrier.cluster.arrive@ORDER@.aligned;" ::: "memory");
}
/// The next pass may have its blocks ready; what the pass before wrote is there.
__device__ __forceinline__ void follow_the_pass_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
#else
static Shared* blocks[16];
using Peer = const Shared*;
inline Peer peer(const Shared*, unsigned rank) { return blocks[rank]; }
inline Shared read_peer(Peer theirs, unsigned i) { return theirs[i]; }
#endif
)";

// A tile that goes back goes through its cluster twice: every point to where it came from.
constexpr const char* writes_to_peers = R"(
#ifdef __CUDACC__
__device__ __forceinline__ void write_peer(Peer theirs, unsigned i, Shared x) {
  asm volatile("st.shared::cluster.@PEER_STORE@ : "memory");
}
/// The cluster has what this thread wrote to its shared memory.
__device__ __forceinline__ void cluster_hand_over() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#else
inline void write_peer(Peer theirs, unsigned i, Shared x) { const_cast<Shared*>(theirs)[i] = x; }
#endif
)";

constexpr const char* arithmetic = R"(
#ifndef __CUDACC__
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#endif
__device__ __forceinline__ Complex operator*(Complex a, Complex b) {
  return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
/// a + f b and a - f b, where f = w.re (1 + i w.im).
__device__ __forceinline__ void turn(Complex& a, Complex& b, Complex w) {
  const Real re = fma(-w.im, b.im, b.re), im = fma(w.im, b.re, b.im);
  b = {fma(-w.re, re, a.re), fma(-w.re, im, a.im)};
  a = {fma(w.re, re, a.re), fma(w.re, im, a.im)};
}
/// The same with -i f.
__device__ __forceinline__ void turn_back(Complex& a, Complex& b, Complex w) {
  const Real re = fma(-w.im, b.im, b.re), im = fma(w.im, b.re, b.im);
  b = {fma(-w.re, im, a.re), fma(w.re, re, a.im)};
  a = {fma(w.re, im, a.re), fma(-w.re, re, a.im)};
}
__device__ __forceinline__ Complex scaled(Complex x, Real scale) { return {x.re * scale, x.im * scale}; }
__device__ __forceinline__ unsigned turned_place(unsigned i, unsigned n) {
  return i < n / 2u ? i : i == n / 2u ? n - 1u : i - 1u;
}
/// u and v = conj(back) of two real planes become twice the one's spectrum and twice the other's.
__device__ __forceinline__ void untangle(Complex& u, Complex& back) {
  const Complex a{u.re + back.re, u.im - back.im}, b{u.im + back.im, back.re - u.re};
  u = a;
  back = b;
}
)";

// What rests in shared memory, as it is computed with or, in f16, as it is stored.
constexpr const char* shared_as_computed = R"(
using Shared = Complex;
__device__ __forceinline__ Complex expand(Complex x) { return x; }
__device__ __forceinline__ Complex compact(Complex x) { return x; }
)";
constexpr const char* shared_as_halves = R"(
using Shared = StoredComplex;
__device__ __forceinline__ Complex expand(Shared x) { return {from_half(x.bits & 0xffff), from_half(x.bits >> 16)}; }
__device__ __forceinline__ Shared compact(Complex x) { return {to_halves(x.re, x.im)}; }
)";

// Neighbouring blocks read neighbouring halves of a line: L2 fetches all of it at once.
constexpr const char* wide_storage = R"(
struct alignas(2 * sizeof(Real)) StoredComplex { Real re, im; };
using StoredReal = Real;
#ifdef __CUDACC__
__device__ __forceinline__ Complex load(const StoredComplex* p) {
  Complex x;
  asm volatile("ld.global.L2::128B.v2.@TYPE@ {%0, %1}, [%2];" : "=@LETTER@"(x.re), "=@LETTER@"(x.im) : "l"(p) : "memory");
  return x;
}
#else
inline Complex load(const StoredComplex* p) { return {p->re, p->im}; }
#endif
__device__ __forceinline__ Complex load(const StoredReal* p) { return {*p, Real(0)}; }
__device__ __forceinline__ void store(StoredComplex* p, Complex x) { *p = StoredComplex{x.re, x.im}; }
__device__ __forceinline__ void store(StoredReal* p, Complex x) { *p = x.re; }
)";

constexpr const char* half_storage = R"(
struct alignas(4) StoredComplex { unsigned bits; };
struct alignas(2) StoredReal { unsigned short bits; };
#ifdef __CUDACC__
__device__ __forceinline__ Real from_half(unsigned short bits) {
  Real x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
__device__ __forceinline__ unsigned short to_half(Real x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
__device__ __forceinline__ unsigned to_halves(Real low, Real high) {
  unsigned bits;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(high), "f"(low));
  return bits;
}
#else
inline Real from_half(unsigned short bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const Real magnitude = exponent == 0 ? __builtin_ldexp(Real(fraction), -24)
                                       : __builtin_ldexp(Real(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
inline unsigned short to_half(Real x) {
  const unsigned sign = __builtin_signbit(x) ? 0x8000 : 0;
  int exponent = -13;  // of subnormal numbers and zero
  if (x != 0) __builtin_frexp(x, &exponent);
  if (exponent < -13) exponent = -13;
  const int units = int(__builtin_nearbyint(__builtin_ldexp(__builtin_fabs(x), 11 - exponent)));
  return sign + ((exponent + 13) << 10) + units;
}
inline unsigned to_halves(Real low, Real high) { return to_half(low) | unsigned(to_half(high)) << 16; }
#endif
__device__ __forceinline__ Complex load(const StoredComplex* p) {
#ifdef __CUDACC__
  unsigned bits;
  asm volatile("ld.global.L2::128B.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
#else
  const unsigned bits = p->bits;
#endif
  return {from_half(bits & 0xffff), from_half(bits >> 16)};
}
__device__ __forceinline__ Complex load(const StoredReal* p) { return {from_half(p->bits), 0}; }
__device__ __forceinline__ void store(StoredComplex* p, Complex x) { p->bits = to_halves(x.re, x.im); }
__device__ __forceinline__ void store(StoredReal* p, Complex x) { p->bits = to_half(x.re); }
)";

// Two real planes as one complex one.
constexpr const char* planes_in_pairs = R"(
__device__ __forceinline__ Complex hermitian(Complex x, Complex mirror) {
  return {Real(0.5) * (x.re + mirror.re), Real(0.5) * (x.im - mirror.im)};
}
__device__ __forceinline__ void tangle(Complex& x, Complex& y) {
  const Complex a = leaving(x), b = leaving(y);
  x = {a.re - b.im, a.im + b.re};
  y = {a.re + b.im, b.re - a.im};
}
__device__ __forceinline__ void store_pair(StoredReal* a, StoredReal* b, Complex x) {
  store(a, x);
  store(b, Complex{x.im, 0});
}
)";

// Real lines as complex ones of half the length.
constexpr const char* halved_lines = R"(
__device__ __forceinline__ Complex exchanged(Complex x) { return {x.im, x.re}; }
/// e + t and conj(e - t), where e = half (u + conj v) and t = w (u - conj v).
__device__ __forceinline__ void combine(Complex& u, Complex& v, Complex w, Real half) {
  const Complex e{half * (u.re + v.re), half * (u.im - v.im)};
  const Complex t = w * Complex{u.re - v.re, u.im + v.im};
  u = {e.re + t.re, e.im + t.im};
  v = {e.re - t.re, t.im - e.im};
}
__device__ __forceinline__ bool is_aligned(const StoredReal* p) {
  return reinterpret_cast<unsigned long long>(p) % sizeof(StoredComplex) == 0;
}
__device__ __forceinline__ const StoredComplex* both(const StoredReal* p) {
  return reinterpret_cast<const StoredComplex*>(p);
}
__device__ __forceinline__ StoredComplex* both(StoredReal* p) { return reinterpret_cast<StoredComplex*>(p); }
__device__ __forceinline__ void store_apart(StoredReal* a, StoredReal* b, Complex x) {
  store(a, x);
  store(b, Complex{x.im, 0});
}
)";

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

RealSide real_side(const TilePass& pass) {
  RealSide real = RealSide::none;
  for (const TileAxis& tile_axis : pass.tile_axes)
    if (tile_axis.real != RealSide::none) real = tile_axis.real;
  return real;
}

/// Backward is forward with real and imaginary parts exchanged on both sides. A real side has no
/// imaginary part to exchange: there the other side is conjugated, which comes to the same.
const char* on_this_side(const TilePass& pass, bool is_output) {
  // The side of the spectrum. On the other one stages do it, see TileAxis::is_halved.
  if (const TileAxis& line = pass.tile_axes[0]; line.is_halved) {
    if (line.is_twinned() && is_output != line.makes_spectrum())
      return is_output ? "{x.im, x.re}" : "x";
    const bool is_usual = line.makes_spectrum() == (pass.direction == Direction::forward);
    return is_usual ? "x" : "{x.re, -x.im}";
  }
  if (pass.direction == Direction::forward) return "x";
  const bool conjugates =
      real_side(pass) == RealSide::output && pass.tile_axes[0].chirp.role == Chirp::Role::none;
  if (!conjugates) return "{x.im, x.re}";
  return is_output ? "x" : "{x.re, -x.im}";
}

std::string sides_of(const TilePass& reads, const TilePass& writes) {
  const bool real_in = (real_side(reads) == RealSide::input &&
                        reads.tile_axes[0].chirp.role != Chirp::Role::second) ||
                       reads.pair > 0;
  const bool real_out =
      (real_side(writes) == RealSide::output && !writes.tile_axes[0].chirp.reads()) ||
      writes.out_pair > 0;
  return weft::format(
      "using Input = {};\nusing Output = {};\n"
      "__device__ __forceinline__ Complex entering(Complex x) {{ return {}; }}\n"
      "__device__ __forceinline__ Complex leaving(Complex x) {{ return {}; }}\n",
      real_in ? "StoredReal" : "StoredComplex", real_out ? "StoredReal" : "StoredComplex",
      on_this_side(reads, false), on_this_side(writes, true));
}

}  // namespace

std::string emit_numbers(Precision precision) {
  const bool is_double = precision == Precision::f64;
  std::string text = weft::format(
      "using Real = {};\nstruct alignas(2 * sizeof(Real)) Complex {{ Real re, im; }};\n",
      is_double ? "double" : "float");
  std::string storage = precision == Precision::f16 ? half_storage : wide_storage;
  replace_all(storage, "@TYPE@", is_double ? "f64" : "f32");
  replace_all(storage, "@LETTER@", is_double ? "d" : "f");
  return text + storage;
}

std::string emit_arithmetic() {
  return std::string(
             "__device__ __forceinline__ constexpr Real constant(double c) { return Real(c); }\n") +
         arithmetic;
}

std::string emit_preamble(const TilePass& pass) { return emit_preamble(pass, pass); }

std::string emit_preamble(const TilePass& pass, const TilePass& writes) {
  const bool is_double = pass.precision == Precision::f64;
  std::string text =
      "#ifndef __CUDACC__\n#define __device__\n#define __forceinline__ inline\n#endif\n";
  text += emit_numbers(pass.precision);
  text += emit_arithmetic();
  text += pass.half_shared ? shared_as_halves : shared_as_computed;
  std::string peers = on_device_or_host;
  replace_all(peers, "@PEER@",
              pass.half_shared ? R"(b32 %0, [%1];" : "=r"(x.bits))"
              : is_double      ? R"(v2.f64 {%0, %1}, [%2];" : "=d"(x.re), "=d"(x.im))"
                               : R"(v2.f32 {%0, %1}, [%2];" : "=f"(x.re), "=f"(x.im))");
  replace_all(peers, "@ORDER@",
              pass.tile_axes[0].chirp.role == Chirp::Role::none ? ".relaxed" : "");
  text += peers;
  if (&writes != &pass || (pass.cluster > 1 && crossing_stage(pass) == 0)) {
    std::string stores = writes_to_peers;
    replace_all(
        stores, "@PEER_STORE@",
        pass.half_shared
            ? R"(b32 [%0], %1;" :: "r"(theirs + i * (unsigned)sizeof(Shared)), "r"(x.bits))"
        : is_double
            ? R"(v2.f64 [%0], {%1, %2};" :: "r"(theirs + i * (unsigned)sizeof(Shared)), "d"(x.re), "d"(x.im))"
            : R"(v2.f32 [%0], {%1, %2};" :: "r"(theirs + i * (unsigned)sizeof(Shared)), "f"(x.re), "f"(x.im))");
    text += stores;
  }
  text += sides_of(pass, writes);
  if (pass.tile_axes[0].is_halved || pass.pair != 0 || pass.out_pair != 0) text += halved_lines;
  if (writes.tangles || writes.out_pair > 0) text += planes_in_pairs;
  return text;
}

}  // namespace weft::gpu
