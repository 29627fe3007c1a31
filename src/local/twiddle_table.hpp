// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity by the thousand: w_n^e for any e from two tables of about sqrt(n) entries in long
// double, one complex multiplication each. Accurate to the rounding of the final type.
#pragma once

#include <complex>
#include <vector>

#include "weft/types.hpp"

namespace weft::local {

class RootTable {
 public:
  explicit RootTable(Index n);
  /// exp(-2 pi i e / n), 0 <= e < n.
  std::complex<long double> operator()(Index e) const {
    const auto& h = high_[static_cast<std::size_t>(e >> shift_)];
    const auto& l = low_[static_cast<std::size_t>(e & mask_)];
    return {h.real() * l.real() - h.imag() * l.imag(), h.real() * l.imag() + h.imag() * l.real()};
  }
  Index n() const { return n_; }

 private:
  Index n_;
  int shift_ = 0;
  Index mask_ = 0;
  std::vector<std::complex<long double>> high_, low_;
};

}  // namespace weft::local
