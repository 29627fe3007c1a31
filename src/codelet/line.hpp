// SPDX-License-Identifier: BSD-3-Clause
// Line kernels: one transform at a time, its points adjacent in memory, and vectors inside it. A
// register holds v adjacent complex numbers as they lie in memory, real and imaginary parts in
// turn. With n = m v
//   DFT(n) = (DFT(v) x I(m)) . T . (I(v) x DFT(m)) . L,
// register i holds points i v .. i v + v - 1: DFT(m) runs across registers, a transposition of
// blocks of v registers turns v residues of one frequency into v frequencies of one residue, the
// factors T are constants of the kernel, and DFT(v) runs across registers again. Where v does not
// divide m the last block overlaps the one before: some results are computed and stored twice.
//
// Where whole registers do not fit a length, two lines share them, a half of each register for
// either; then v is half as large.
#pragma once

#include <complex>

#include "codelet/kernel.hpp"
#include "formula/formula.hpp"

namespace weft::codelet {

bool is_line(const KernelKey& key);

struct LineShape {
  int width = 0;      ///< v, complex numbers of a line per register
  int lines = 0;      ///< that a register holds parts of: 1 or 2
  int registers = 0;  ///< m
  int blocks = 0;     ///< of v registers

  /// The first frequency of a block.
  int start(int block) const { return block < blocks - 1 ? block * width : registers - width; }
  /// The first point of what is stored as row block * v + k.
  int output_point(int row) const { return start(row / width) + row % width * registers; }
};
LineShape line_shape(const KernelKey& key);

/// Whether a line of that many points can be cut so: v registers at least, and not so many that
/// most of the kernel would be spills.
bool is_line_length(Isa isa, Precision precision, int points);

namespace ir {

/// The formula above, DFT(m) as given, all terminal.
formula::Formula line_formula(const KernelKey& key, const formula::Formula& across_registers);
/// DFT(m) and DFT(v) of a line formula.
struct LineParts {
  formula::Formula first, second;
};
LineParts parts_of_line(const KernelKey& key, const formula::Formula& line);

/// The factors of register `row` after the transposition, w = w_n^(k r) with residue r = row % v
/// and frequencies k = start(row / v) + lane. Where no real part is small the product is taken as
/// Re(w) (x
/// + tan(w) i x), which leaves the multiplication by Re(w) to a multiply-add of the butterfly that
/// follows; then part `im` is the tangent.
bool has_tangent_form(const KernelKey& key, int row);
/// Real number `slot` of the constant, signs alternating when it is imaginary.
long double lane_constant(const KernelKey& key, const Operation& constant, int slot);

}  // namespace ir
}  // namespace weft::codelet
