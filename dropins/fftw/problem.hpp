// SPDX-License-Identifier: BSD-3-Clause
// What a call of FFTW's planner asks for. All its interfaces are brought to this one value, from
// which a weft::Plan is made (planner.cpp) and which is the key of wisdom (wisdom.cpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dropins/fftw/precision.hpp"
#include "weft/plan.hpp"

namespace weft::fftw {

/// A length and its strides, as FFTW's iodim: counted in complex numbers where a side is complex
/// and not split, else in reals.
struct Dimension {
  Index n = 0, in = 0, out = 0;
};

/// The arrays of one execution. The imaginary parts are null where a side is not split.
struct Arrays {
  Real *in = nullptr, *in_imag = nullptr, *out = nullptr, *out_imag = nullptr;
};

struct Problem {
  Kind kind = Kind::c2c;
  Direction direction = Direction::forward;
  std::vector<Dimension> axes = {}, batch = {};
  std::vector<R2r> r2r = {};  ///< one per axis
  Arrays arrays = {};

  bool in_split() const { return arrays.in_imag != nullptr; }
  bool out_split() const { return arrays.out_imag != nullptr; }
};

/// Whether lengths make sense: transforms of at least 1 point, any number of them.
bool is_sensible(const Problem& problem);

/// Whether input and output of the planned arrays lie in one stretch of memory.
bool shares_memory(const Problem& problem);

/// The same as weft's transform and layouts.
struct Request {
  Transform transform;
  Layout input, output;
};
Request request_of(const Problem& problem);

/// The problem in one line, without pointers: "c2c forward 8:1:1 x 4:2:2 of 10:32:32 in place".
std::string text_of(const Problem& problem);

std::optional<Direction> direction_of(int sign);
std::optional<R2r> kind_of(R2rKind kind);

}  // namespace weft::fftw
