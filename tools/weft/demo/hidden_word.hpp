// SPDX-License-Identifier: BSD-3-Clause
// The field of `weft demo`: noise, and far below the noise level plane waves whose wave vectors
// spell a word.
#pragma once

#include <vector>

#include "base/buffer.hpp"

namespace weft::tool {

/// One hidden wave: amplitude * cos(2 pi (kz z + ky y + kx x) / n + phase).
struct Wave {
  Index ky, kx;
  double phase;
};

struct HiddenWord {
  Index n = 256;                   ///< the field is n x n x n
  Index kz = 7;                    ///< the plane of frequencies that shows the word
  double amplitude = 0.02;         ///< of each wave; the noise is uniform in [-1, 1)
  std::vector<Wave> waves;         ///< one per dot of the letters
  Index top, left, height, width;  ///< the rectangle of the word in that plane, with a margin
};
HiddenWord hidden_word(Index n);

/// The field (z, y, x), computed by `threads` threads. Each point costs one product: the sum of the
/// waves in a plane of constant z is that of the plane z = 0 times exp(2 pi i kz z / n).
Buffer<double> make_field(const HiddenWord& word, int threads);

/// The dots that stand out of the noise in the magnitudes `plane` of the spectrum (rows of n/2+1).
std::vector<bool> dots_found(const HiddenWord& word, const std::vector<double>& plane);

}  // namespace weft::tool
