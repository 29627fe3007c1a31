// SPDX-License-Identifier: BSD-3-Clause
// The roots of unity that a pass reads: one table for all its stages, in long double until it is
// rounded once to the precision of the arithmetic.
#pragma once

#include <complex>
#include <vector>

#include "gpu/tile_pass.hpp"

namespace weft::gpu {

/// Where the factors of each digit begin, in complex numbers.
class Tables {
 public:
  explicit Tables(const TilePass& pass);

  /// Entry (j - 1) * (n / r) + m is exp(-2 pi i j m / n), where r is the digit's radix and n the
  /// product of it and the radices after it.
  Index after(DigitName digit) const;
  /// Second part of a split axis: exp(-2 pi i e / whole) is entry [e / fine] of the coarse table
  /// times entry [e % fine] of the fine one; where the whole table is short, fine is 1.
  Index coarse(int piece) const { return splits_[static_cast<std::size_t>(piece)].coarse; }
  Index fine(int piece) const { return splits_[static_cast<std::size_t>(piece)].fine; }
  Index fine_count(int piece) const { return splits_[static_cast<std::size_t>(piece)].count; }

  /// Bluestein: the chirp, n entries, for what the first pass reads and the second writes; behind
  /// it in the first pass the spectrum of the inverse chirp.
  Index chirp_in() const { return chirp_in_; }
  Index chirp_out() const { return chirp_out_; }

  const std::vector<std::complex<long double>>& values() const { return values_; }
  /// As the kernel reads them: pairs of float, of double for f64.
  std::vector<unsigned char> bytes(Precision precision) const;

 private:
  struct Split {
    Index coarse = 0, fine = 0, count = 1;
  };
  void add_split(const Piece& piece);
  void add_chirp(const Piece& piece);

  std::vector<std::vector<Index>> after_;
  std::vector<Split> splits_;
  Index chirp_in_ = 0, chirp_out_ = 0;
  std::vector<std::complex<long double>> values_;
};

}  // namespace weft::gpu
