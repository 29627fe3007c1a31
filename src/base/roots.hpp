// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity, accurate to the last bit or two: the angle is reduced to an octant in integers
// and sine and cosine are computed in long double, so that large n loses no accuracy.
#pragma once

#include <complex>
#include <vector>

#include "weft/types.hpp"

namespace weft {

/// exp(-2 pi i k / n) in long double; k may be any integer, n >= 1.
std::complex<long double> root_of_unity(Index n, Index k);

/// Many roots quickly: exp(-2 pi i e / n), conjugated for the backward direction, for any 0 <= e <
/// n. Each is one complex product of entries of two tables with about sqrt(n) entries.
template <class Real>
class RootPowers {
 public:
  explicit RootPowers(Index n, Direction direction = Direction::forward);
  std::complex<Real> operator()(Index e) const {
    const auto& h = high_[static_cast<std::size_t>(e >> shift_)];
    const auto& l = low_[static_cast<std::size_t>(e & mask_)];
    return {h.real() * l.real() - h.imag() * l.imag(), h.real() * l.imag() + h.imag() * l.real()};
  }
  Index n() const { return n_; }

 private:
  Index n_;
  int shift_ = 0;
  Index mask_ = 0;
  std::vector<std::complex<Real>> high_, low_;
};
extern template class RootPowers<double>;
extern template class RootPowers<long double>;

}  // namespace weft
