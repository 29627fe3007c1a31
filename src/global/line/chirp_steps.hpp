// SPDX-License-Identifier: BSD-3-Clause
// What a chirp plan does to single elements, on any device: products with the chirp on the way into
// and out of the longer line, and with the chirp's spectrum between its two transforms.
#pragma once

#include <memory>

#include "base/names.hpp"
#include "reshape/piece.hpp"

namespace weft::global {

/// The line: w is the root of unity of order 2 n, conjugated for the backward direction.
struct ChirpLine {
  Index n = 0;
  int axis = 0;
  Direction direction = Direction::forward;
  Precision precision = Precision::f64;
};

/// One box in two memories. Every element is multiplied by w^(k k) and by `scale`, where k is its
/// index along the axis. Reals are read as complex numbers; of a complex number only the real part
/// is written where reals are wanted.
struct ChirpProduct {
  reshape::Piece from = {}, to = {};  ///< of equal boxes; `from` may be conjugated
  bool from_reals = false, to_reals = false;
  double scale = 1.0;
};

class ChirpSteps {
 public:
  virtual ~ChirpSteps() = default;
  /// `in` and `out` are the bases of the pieces' memories. Nothing is allocated.
  virtual void run(const ChirpProduct& product, const std::byte* in, std::byte* out) const = 0;
  /// x[i] *= y[i] for `count` complex numbers.
  virtual void multiply(std::byte* x, const std::byte* y, Index count) const = 0;
};

std::unique_ptr<ChirpSteps> make_cpu_chirp_steps(const ChirpLine& line);

}  // namespace weft::global
