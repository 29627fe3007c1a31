// SPDX-License-Identifier: BSD-3-Clause
// Line kernels compute one transform at a time, whose points are adjacent in memory, and vectorise
// within it. A register holds v adjacent complex numbers as they lie in memory, real and imaginary
// parts alternating. With n = m v
//   DFT(n) = (DFT(v) x I(m)) . T . (I(v) x DFT(m)) . L,
// register i holds points i v .. i v + v - 1: DFT(m) runs across registers, a transposition of
// blocks of v registers turns v residues of one frequency into v frequencies of one residue, the
// twiddle factors T are constants of the kernel, and DFT(v) runs across registers again. If v does
// not divide m, the last block overlaps the previous one: some results are computed and stored
// twice.
//
// If the length does not fill whole registers, two lines share them, one in each half; then v is
// half as large. On AVX2, short lines and real lines use registers of 128 bits instead ("narrow"),
// so that one line can be transformed at a time.
//
// A real line of n points is a complex line of h = n / 2 points and a step that pairs its mirror
// images: with e = z[k] + conj z[h-k] and d = z[k] - conj z[h-k] the spectrum is
//   x[k] = e/2 + f d,  x[h-k] = conj(e/2 - f d),  f = -i/2 w_n^k.
// Backward it comes first: z[k] = e + f d with e and d of x, f = i w_n^(-k).
#pragma once

#include <complex>
#include <vector>

#include "codelet/ir/kernel.hpp"
#include "formula/formula.hpp"

namespace weft::codelet {

bool is_line(const KernelKey& key);

struct LineShape {
  int width = 0;        ///< v, complex numbers of a line per register
  int lines = 0;        ///< lines per register: 1 or 2
  int registers = 0;    ///< m
  int blocks = 0;       ///< of v registers
  bool narrow = false;  ///< registers of 128 bits

  friend bool operator==(const LineShape&, const LineShape&) = default;
  int points() const { return width * registers; }
  /// The first frequency of a block.
  int start(int block) const { return block < blocks - 1 ? block * width : registers - width; }
  /// The first point of the register that is stored as row block * v + k.
  int output_point(int row) const { return start(row / width) + row % width * registers; }
};
LineShape line_shape(const KernelKey& key);
/// Reals per register of a kernel.
int register_reals(const KernelKey& key);

/// Whether there is a line kernel with this key: it needs at least v registers, and not so many
/// that most of the kernel would be spills.
bool is_line_length(const KernelKey& key);

namespace ir {

/// Does the complex transform have the factors exp(+2 pi i/n)?
bool runs_backward(const KernelKey& key);

// The registers that a kernel loads and stores, by the first complex number of each.
int input_rows(const KernelKey& key);
int output_rows(const KernelKey& key);
int input_point(const KernelKey& key, int row);
int output_point(const KernelKey& key, int row);
/// Does the row consist of one number only, although a register holds more?
bool is_one_number(const KernelKey& key, int row, bool is_output);

/// The spectrum of a real line is stored as registers from p on, for these p, then as those that
/// end at h-p, then number h/2 alone if no other register has it.
struct Spectrum {
  std::vector<int> low;
  bool has_middle = false;
};
Spectrum spectrum_of(const LineShape& shape);

/// The formula above with the given DFT(m), fully expanded.
formula::Formula line_formula(const KernelKey& key, const formula::Formula& across_registers);
/// DFT(m) and DFT(v) of a line formula.
struct LineParts {
  formula::Formula first, second;
};
LineParts parts_of_line(const KernelKey& key, const formula::Formula& line);

/// The row of the factors f of a mirror step, from number `point` on.
int mirror_row(int point);

/// The factors of register `row` after the transposition, w = w_n^(k r) with residue r = row % v
/// and frequencies k = start(row / v) + lane. If no real part is small, the product is computed as
/// Re(w) (x + tan(w) i x); the multiplication by Re(w) is then part of a multiply-add of the next
/// butterfly, and part `im` is the tangent.
bool has_tangent_form(const KernelKey& key, int row);
/// Number `slot` of the constant; signs alternate if it is imaginary.
long double lane_constant(const KernelKey& key, const Operation& constant, int slot);

}  // namespace ir
}  // namespace weft::codelet
