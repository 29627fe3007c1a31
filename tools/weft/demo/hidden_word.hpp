// SPDX-License-Identifier: BSD-3-Clause
// The field of `weft demo`: noise, and far below it plane waves whose wave vectors write a word.
#pragma once

#include <vector>

#include "base/buffer.hpp"

namespace weft::tool {

/// One planted wave: amplitude * cos(2 pi (kz z + ky y + kx x) / n + phase).
struct Wave {
  Index ky, kx;
  double phase;
};

struct HiddenWord {
  Index n = 256;                   ///< the field is n x n x n
  Index kz = 7;                    ///< the plane of frequencies that holds the word
  double amplitude = 0.02;         ///< of each wave; the noise is uniform in [-1, 1)
  std::vector<Wave> waves;         ///< one per dot of the letters
  Index top, left, height, width;  ///< where the word stands in that plane, with a margin
};
HiddenWord hidden_word(Index n);

/// The field (z, y, x), on all `threads`. Each point costs one product: the sum of the waves is the
/// same in every plane of constant z but for a factor exp(2 pi i kz z / n).
Buffer<double> make_field(const HiddenWord& word, int threads);

/// The dots of the plane as they show in a spectrum of `plane` magnitudes (rows of n/2+1): those
/// that stand out of the noise.
std::vector<bool> dots_found(const HiddenWord& word, const std::vector<double>& plane);

}  // namespace weft::tool
