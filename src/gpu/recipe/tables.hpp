// SPDX-License-Identifier: BSD-3-Clause
// The roots of unity that a pass reads: one table for all its stages, in long double until it is
// rounded once to the precision of the arithmetic.
#pragma once

#include <complex>
#include <vector>

#include "gpu/recipe/tile_pass.hpp"

namespace weft::gpu {

/// The twiddle factors that a digit is multiplied by before its transform: value m of the digit is
/// multiplied by v^m, v = exp(-2 pi i K / (count r)), where r is the digit's radix and K < count
/// the output index that the digits before it make, and with them the first part of a split axis
/// whose table is short.
struct Twist {
  Index start = 0;        ///< in the table, in complex numbers
  Index count = 1;        ///< 1: no factors
  bool is_fused = false;  ///< entry e * count + K is pair e of codelet::twist_pairs(r) as (cos,
                          ///< tan); otherwise entry (m - 1) * count + K is v^m
};

class Tables {
 public:
  explicit Tables(const TilePass& pass);

  const Twist& twist(DigitName digit) const;
  /// Whether the factors between the parts of a split axis are among those of its digits.
  bool twists_split(int tile_axis) const {
    return splits_[static_cast<std::size_t>(tile_axis)].is_twist;
  }
  /// Otherwise exp(-2 pi i e / whole) is entry [e / fine] of the coarse table times entry [e %
  /// fine] of the fine one.
  Index coarse(int tile_axis) const { return splits_[static_cast<std::size_t>(tile_axis)].coarse; }
  Index fine(int tile_axis) const { return splits_[static_cast<std::size_t>(tile_axis)].fine; }
  Index fine_count(int tile_axis) const {
    return splits_[static_cast<std::size_t>(tile_axis)].count;
  }

  /// Bluestein: the chirp, n entries, for what the first pass reads and the second writes; after
  /// it in the first pass the spectrum of the inverse chirp.
  Index chirp_in() const { return chirp_in_; }
  Index chirp_out() const { return chirp_out_; }

  /// Halved lines of h points: the factors -i exp(-pi i e / h) of the combining stage, e being the
  /// output of r2c of which the last radix is 0, and their conjugates for the inputs of c2r. In two
  /// tables, as above.
  Index combining() const { return combining_.coarse; }
  Index combining_fine() const { return combining_.fine; }
  Index combining_fine_count() const { return combining_.count; }

  const std::vector<std::complex<long double>>& values() const { return values_; }
  /// As the kernel reads them: pairs of float, of double for f64.
  std::vector<unsigned char> bytes(Precision precision) const;

 private:
  struct Split {
    Index coarse = 0, fine = 0, count = 1;
    bool is_twist = false;
  };
  void add_twist(int radix, Index count, Precision precision);
  void add_split(const TileAxis& tile_axis);
  void add_chirp(const TileAxis& tile_axis);
  void add_combining(const TilePass& pass);

  std::vector<std::vector<Twist>> twists_;
  std::vector<Split> splits_;
  Index chirp_in_ = 0, chirp_out_ = 0;
  Split combining_;
  std::vector<std::complex<long double>> values_;
};

}  // namespace weft::gpu
