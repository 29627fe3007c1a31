// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms on systolic cells with real numbers (Algorithms 4, 5 and 7 of the APE paper),
// and the time they take on a machine.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "fabric/machine.hpp"
#include "fabric/systolic/array.hpp"

namespace weft::fabric {

using Complex = std::complex<double>;

/// Algorithm 4 on an m x n matrix, row-major, in place. Cell i of p holds the columns
/// [i n/p, (i+1) n/p); the systolic transposition moves blocks. p divides m and n. With
/// `back` the second transposition restores the layout; without it the result is left transposed
/// (n x m), which the paper does where the next step allows it.
enum class Layout2d { restored, transposed };
std::vector<Complex> systolic_fft_2d(std::span<const Complex> matrix, int rows, int columns,
                                     const AbelianGroup& cells, Layout2d layout);

/// Algorithm 7: p x p on p cells with three skews replaced by phase factors (Appendix B).
std::vector<Complex> systolic_fft_2d_by_phases(std::span<const Complex> matrix, int p);

/// Algorithm 5: a p^4 field on p^3 cells, x3 local. The axes come back rotated: the result at
/// [a][b][c][d] is the spectrum at x1 = a, x2 = b, x0 = c, x3 = d.
std::vector<Complex> systolic_fft_4d(std::span<const Complex> field, int p);

struct SystolicTime {
  double shift_s = 0;    ///< between cells
  double skew_s = 0;     ///< inside cells, both skews
  double compute_s = 0;  ///< local transforms
  double transposition() const { return shift_s + skew_s; }
};
/// One transposition of an n x n complex matrix.
SystolicTime transposition_time(const SystolicMachine& machine, std::int64_t n);
/// The 2-D transform with `transpositions` of them (two, or one where the layout may stay).
SystolicTime fft_2d_time(const SystolicMachine& machine, std::int64_t n, int transpositions);
double peak_flops(const SystolicMachine& machine);

}  // namespace weft::fabric
