// SPDX-License-Identifier: BSD-3-Clause
// The factors of DCTs and DSTs of types II, III and IV and of halfcomplex and Hartley transforms,
// and how a sine transform is done by its cosine twin: rows in reverse, and a sign for every other
// row.
//   II   y[k] = 2 Re(w_4n^k V[k]), V the real transform of the folded input
//   III  the way back: V[k] = conj(w_4n^k) (x[k] - i x[n-k])
//   IV   z[j] = (x[2j] + i x[n-1-2j]) exp(-pi i (4j+1)/4n), Z = DFT(n/2) z; y[2k] and -y[n-1-2k]
//   are
//        the real and imaginary parts of 2 exp(-pi i k/n) Z[k]; n even
#pragma once

#include <cmath>

#include "base/buffer.hpp"
#include "base/roots.hpp"
#include "weft/plan.hpp"

namespace weft::local {

/// 1 to 4; 0 for the kinds that are neither DCT nor DST.
constexpr int trig_type(R2r kind) {
  switch (kind) {
    case R2r::dct1:
    case R2r::dst1: return 1;
    case R2r::dct2:
    case R2r::dst2: return 2;
    case R2r::dct3:
    case R2r::dst3: return 3;
    case R2r::dct4:
    case R2r::dst4: return 4;
    default: return 0;
  }
}
constexpr bool is_sine(R2r kind) { return kind >= R2r::dst1 && kind <= R2r::dst4; }

/// Cosines and sines of `count` numbers, times a factor: exp(-i phi) is cosine - i sine, as
/// trig_impl.hpp wants them for types II and III; for type IV `sine` is the imaginary part.
template <class Real>
struct TrigFactors {
  Buffer<Real> cosine, sine;

  /// exp(-2 pi i (step k + first) / n), `sign`: of the imaginary part.
  TrigFactors(Index n, Index step, Index first, Index count, double factor, int sign)
      : cosine(count), sine(count) {
    const RootPowers<long double> roots(n);
    for (Index k = 0; k < count; ++k) {
      const auto w = roots((step * k + first) % n);
      cosine[k] = static_cast<Real>(w.real() * factor);
      sine[k] = static_cast<Real>(w.imag() * factor * sign);
    }
  }
  TrigFactors() = default;
};

/// Of the spectrum, k = 0 .. n/2 (types II and III), the scale and orthogonalization included.
template <class Real>
TrigFactors<Real> spectrum_factors(R2r kind, Index n, double scale, bool orthogonalize) {
  const bool type_two = trig_type(kind) == 2;
  TrigFactors<Real> factors(4 * n, 1, 0, n / 2 + 1, type_two ? 2 * scale : scale, -1);
  if (orthogonalize)
    factors.cosine[0] = static_cast<Real>((type_two ? 2 * std::sqrt(0.5) : std::sqrt(2.0)) * scale);
  return factors;
}
/// Of the spectrum of R2HC, HC2R and DHT, for TrigLine::mirror = -1. The imaginary part of the
/// middle of an even line is zero on the way back.
template <class Real>
TrigFactors<Real> halfcomplex_factors(R2r kind, Index n, double scale) {
  TrigFactors<Real> factors;
  factors.cosine = Buffer<Real>(n / 2 + 1);
  factors.sine = Buffer<Real>(n / 2 + 1);
  const double sine = kind == R2r::dht ? -scale : 0;
  for (Index k = 0; k <= n / 2; ++k) {
    factors.cosine[k] = static_cast<Real>(scale);
    factors.sine[k] = static_cast<Real>(sine);
  }
  if (kind == R2r::hc2r && n % 2 == 0)
    factors.cosine[n / 2] = factors.sine[n / 2] = static_cast<Real>(scale / 2);
  return factors;
}
/// Of the input and of the output (type IV).
template <class Real>
TrigFactors<Real> input_factors(Index n) {
  return {8 * n, 4, 1, n / 2, 1.0, 1};
}
template <class Real>
TrigFactors<Real> output_factors(Index n, double scale) {
  return {2 * n, 1, 0, n / 2, 2 * scale, 1};
}

}  // namespace weft::local
