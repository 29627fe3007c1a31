// SPDX-License-Identifier: BSD-3-Clause
// The factors of LaneOps::mirror_lines.
#pragma once

#include "base/buffer.hpp"
#include "base/roots.hpp"
#include "local/lane_ops.hpp"
#include "weft/plan.hpp"

namespace weft::local {

/// Line to spectrum of the forward transform, everything times `scale`: f = -i w^k / 2.
/// Spectrum to line of the backward one, not scaled: f = i conj(w^k).
template <class Real>
class MirrorTable {
 public:
  MirrorTable(Index n, Kind kind, double scale) : h_(n / 2), factors_(2 * n), kind_(kind) {
    const RootPowers<long double> roots(n);
    const bool separates = kind == Kind::c2r;
    half_ = static_cast<Real>(separates ? 1.0 : 0.5 * scale);
    for (Index k = 0; k < h_; ++k) {
      const auto w = roots(k);  // -i w = (Im w, -Re w), i conj(w) = (Im w, Re w)
      const long double factor = separates ? 1 : 0.5L * scale;
      const Real re = static_cast<Real>(factor * w.imag());
      const Real im = static_cast<Real>((separates ? factor : -factor) * w.real());
      factors_[2 * k] = factors_[2 * k + 1] = re;
      factors_[2 * (h_ + k)] = -im;
      factors_[2 * (h_ + k) + 1] = im;
    }
  }

  MirrorLines<Real> work(Index count, Index in_step, Index out_step) const {
    return {h_, count, in_step, out_step, factors_.data(), half_, kind_ == Kind::c2r};
  }

 private:
  Index h_;
  Buffer<Real> factors_;
  Kind kind_;
  Real half_;
};

}  // namespace weft::local
