// SPDX-License-Identifier: BSD-3-Clause
// The factors of LaneOps::mirror_lines.
#pragma once

#include <algorithm>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "local/lane/lane_ops.hpp"
#include "weft/plan.hpp"

namespace weft::local {

/// Line to spectrum of the forward transform, everything times `scale`: f = -i w^k / 2.
/// Spectrum to line of the backward one, not scaled: f = i conj(w^k).
/// A long line takes its factors as products from two tables that stay in the first cache.
template <class Real>
class MirrorTable {
 public:
  /// Pairs in a block of a line that is cut into several.
  static constexpr Index block_pairs = 512;

  MirrorTable(Index n, Kind kind, double scale)
      : h_(n / 2),
        period_(std::max<Index>(h_ / 2 <= 8 * block_pairs ? h_ / 2 : block_pairs, 1)),
        blocks_(std::max<Index>(ceil_div(h_ / 2, period_), 1)),
        fine_(4 * period_),
        coarse_(2 * blocks_),
        kind_(kind) {
    const RootPowers<long double> roots(n);
    const bool separates = kind == Kind::c2r;
    half_ = static_cast<Real>(separates ? 1.0 : 0.5 * scale);
    for (Index j = 0; j < period_; ++j) {
      const auto w = roots((j + 1) % n);  // -i w = (Im w, -Re w), i conj(w) = (Im w, Re w)
      const long double factor = separates ? 1 : 0.5L * scale;
      const Real re = static_cast<Real>(factor * w.imag());
      const Real im = static_cast<Real>((separates ? factor : -factor) * w.real());
      fine_[2 * j] = fine_[2 * j + 1] = re;
      fine_[2 * (period_ + j)] = -im;
      fine_[2 * (period_ + j) + 1] = im;
    }
    for (Index c = 0; c < blocks_; ++c) {
      const auto w = roots(c * period_);
      coarse_[2 * c] = static_cast<Real>(w.real());
      coarse_[2 * c + 1] = static_cast<Real>(separates ? -w.imag() : w.imag());
    }
  }

  Index blocks() const { return blocks_; }
  /// Blocks [first, last) of one line.
  MirrorLines<Real> work(Index first, Index last) const { return work(1, 0, 0, first, last); }
  /// All of `count` lines.
  MirrorLines<Real> work(Index count, Index in_step, Index out_step) const {
    return work(count, in_step, out_step, 0, blocks_);
  }

 private:
  MirrorLines<Real> work(Index count, Index in_step, Index out_step, Index first,
                         Index last) const {
    return {.h = h_,
            .count = count,
            .in_step = in_step,
            .out_step = out_step,
            .first = first,
            .last = last,
            .period = period_,
            .fine = fine_.data(),
            .coarse = coarse_.data(),
            .half = half_,
            .separates = kind_ == Kind::c2r};
  }

  Index h_, period_, blocks_;
  Buffer<Real> fine_, coarse_;
  Kind kind_;
  Real half_;
};

}  // namespace weft::local
