// SPDX-License-Identifier: BSD-3-Clause
// A text expression of the modes as a list of instructions, each of which uses results of earlier
// ones. Made by parse_expression(), carried out on tiles by run_expression().
#pragma once

#include <string_view>
#include <vector>

#include "weft/spectral.hpp"

namespace weft::spectral {

enum class Op {
  constant,  ///< re + i im
  wave,      ///< along axis `number`
  odd_wave,
  square,     ///< of the wave vector
  field,      ///< `number`
  parameter,  ///< `number`, which each call gives
  place,      ///< along axis `number`
  normal,     ///< two random numbers, a function of three whole ones
  spline,     ///< field `number` at a place that a, b, c are away
  complex,    ///< from a real part and an imaginary part
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  equal,
  where,
  negate,
  sqrt,
  exp,
  sin,
  cos,
  abs,
  real,
  imag,
  conj,
};

struct Instruction {
  Op op = Op::constant;
  int a = -1, b = -1, c = -1;  ///< numbers of earlier instructions
  int number = 0;
  double re = 0, im = 0;
  bool is_complex = false;
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct ExpressionProgram {
  std::vector<Instruction> instructions;
  std::vector<int> outputs;  ///< the instruction of each
  int inputs = 1;            ///< fields that the text names, at least one
  int axes = 0;              ///< that it needs
  int parameters = 0;        ///< that the text names
  bool reads_places = false;
  int spline_axes = 0;  ///< of each spline; 0: there is none
};

/// What texts may be: anything longer is refused.
inline constexpr std::size_t max_expression_length = 4096, max_expression_depth = 64,
                             max_expression_instructions = 512;

/// Which words a text may use, and what the fields are.
struct ExpressionWords {
  bool waves = true;        ///< kx, dx, k2, ...
  bool parameters = false;  ///< p0, p1, ..., normal
  bool places = false;      ///< x, y, z, w, spline
  bool real_fields = false;
};

/// `reversed_axes`: see ExpressionOptions. Throws weft::Error (invalid_argument) that names the
/// place.
ExpressionProgram parse_expression(std::string_view text, int reversed_axes = 0,
                                   const ExpressionWords& words = {});

template <class Real>
void run_expression(const ExpressionProgram& program, const ModeTile<Real>& tile);

}  // namespace weft::spectral
