// SPDX-License-Identifier: BSD-3-Clause
#include "local/axis/r2r_formula.hpp"

#include <cmath>

namespace weft::local {

using namespace formula;

namespace {

/// Where FFTW's halfcomplex order has a number of RealDft's order (Re y0, Re y1, Im y1, ...): real
/// parts ascending, imaginary parts descending from the end.
std::vector<Index> packed_places(Index n) {
  std::vector<Index> places(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k)
    places[static_cast<std::size_t>(k)] = k == 0 ? 0 : 2 * k <= n ? 2 * k - 1 : 2 * (n - k);
  return places;
}

Formula halfcomplex(R2r kind, Index n) {
  const std::vector<Index> places = packed_places(n);
  std::vector<std::vector<Sparse::Entry>> rows(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto packed = static_cast<std::size_t>(places[k]);
    if (kind == R2r::r2hc)
      rows[k] = {{places[k], 1}};
    else
      rows[packed] = {{static_cast<Index>(k), 1}};
  }
  if (kind == R2r::r2hc) return compose({sparse(n, std::move(rows)), real_dft(n)});
  return compose({inverse_real_dft(n), sparse(n, std::move(rows))});
}

/// The rows that orthogonalizing multiplies.
Formula first_or_last(R2r kind, Index n, long double factor) {
  std::vector<std::vector<Sparse::Entry>> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const bool is_first = i == 0 && kind <= R2r::dct3;
    const bool is_last = i == n - 1 && (kind == R2r::dct1 || kind > R2r::dct4);
    rows[static_cast<std::size_t>(i)] = {{i, is_first || is_last ? factor : 1.0L}};
  }
  return sparse(n, std::move(rows));
}

}  // namespace

Formula real_to_real(R2r kind, Index n, bool orthogonalize) {
  if (kind == R2r::r2hc || kind == R2r::hc2r) return halfcomplex(kind, n);
  if (kind == R2r::dht) return dht(n);
  const Formula plain = trigonometric(static_cast<TrigonometricKind>(kind), n);
  if (!orthogonalize) return plain;
  const Formula before = first_or_last(kind, n, std::sqrt(2.0L));
  const Formula after = first_or_last(kind, n, std::sqrt(0.5L));
  switch (kind) {
    case R2r::dct1: return compose({after, plain, before});
    case R2r::dct2:
    case R2r::dst2: return compose({after, plain});
    case R2r::dct3:
    case R2r::dst3: return compose({plain, before});
    default: return plain;
  }
}

}  // namespace weft::local
