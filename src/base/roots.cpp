// SPDX-License-Identifier: BSD-3-Clause
#include "base/roots.hpp"

#include <cmath>
#include <numbers>

namespace weft {

std::complex<long double> root_of_unity(Index n, Index k) {
  k %= n;
  if (k < 0) k += n;
  // Octant: 8k = octant * n + rest; the remaining angle is rest / (8n) of the circle. 8k can exceed
  // 64 bits only for n > 2^60, far more than fits in memory; __int128 costs nothing here.
  const __int128 eight_k = static_cast<__int128>(8) * k;
  const int octant = static_cast<int>(eight_k / n);
  __int128 rest = eight_k - static_cast<__int128>(octant) * n;  // in [0, n)
  const bool odd = (octant & 1) != 0;
  if (odd) rest = n - rest;  // measure from the nearer axis
  const long double angle = std::numbers::pi_v<long double> / 4.0L *
                            static_cast<long double>(rest) / static_cast<long double>(n);
  long double c = std::cos(angle), s = std::sin(angle);
  if (rest == n) c = s = std::sqrt(0.5L);  // the diagonal, exactly symmetric
  switch (octant) {
    case 0: return {c, -s};
    case 1: return {s, -c};
    case 2: return {-s, -c};
    case 3: return {-c, -s};
    case 4: return {-c, s};
    case 5: return {-s, c};
    case 6: return {s, c};
    default: return {c, s};
  }
}

template <class Real>
RootPowers<Real>::RootPowers(Index n, Direction direction) : n_(n) {
  while ((Index{1} << (2 * shift_)) < n) ++shift_;
  mask_ = (Index{1} << shift_) - 1;
  const auto root = [&](Index e) {
    const auto w = root_of_unity(n, e);
    const auto imag = static_cast<Real>(w.imag());
    return std::complex<Real>(static_cast<Real>(w.real()),
                              direction == Direction::forward ? imag : -imag);
  };
  low_.reserve(static_cast<std::size_t>(mask_ + 1));
  for (Index e = 0; e <= mask_; ++e) low_.push_back(root(e));
  for (Index e = 0; e < n; e += mask_ + 1) high_.push_back(root(e));
}
template class RootPowers<double>;
template class RootPowers<long double>;

}  // namespace weft
