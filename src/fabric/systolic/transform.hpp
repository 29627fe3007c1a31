// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms on systolic cells, computed on actual data (Algorithms 4, 5 and 7 of the APE
// paper), and the time they take on a machine.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "fabric/fabric_machine.hpp"
#include "fabric/systolic/array.hpp"

namespace weft::fabric {

using Complex = std::complex<double>;

/// Algorithm 4 on an m x n matrix, row-major, in place. Cell i of p holds the columns
/// [i n/p, (i+1) n/p); the systolic transposition moves blocks. p divides m and n. With
/// Layout2d::restored a second transposition restores the layout; with Layout2d::transposed the
/// result is n x m, which the paper uses where the next step allows it.
enum class Layout2d { restored, transposed };

/// How cells put their blocks in skew order.
enum class Skewing {
  addressed,  ///< every cell has addresses of its own: Algorithms 1 and 3
  masked,     ///< one address for all cells, logarithmically many masked sweeps: Algorithm 6
};

struct SystolicProblem {
  int rows = 0, columns = 0;
  AbelianGroup cells;
  Layout2d layout = Layout2d::restored;
  Skewing skewing = Skewing::addressed;
  std::vector<int> strides = {};  ///< of shifts on a ring (hyper-systolic); empty: by one cell
  /// One transform of rows * columns points instead: twiddles between the two steps. Number
  /// [r][c] of the input is point r columns + c; the result, with Layout2d::transposed, is in
  /// natural order: point l rows + k at [l][k].
  bool one_line = false;
};
template <class Real>
struct SystolicRun {
  std::vector<std::complex<Real>> numbers;
  SystolicCount count;  ///< of all transpositions
  int transpositions = 0;
};
/// Algorithm 4 on actual data, in either precision: every block is carried by the steps of the
/// cells, which are counted.
template <class Real>
SystolicRun<Real> systolic_fft(std::span<const std::complex<Real>> matrix,
                               const SystolicProblem& problem);
extern template SystolicRun<float> systolic_fft(std::span<const std::complex<float>>,
                                                const SystolicProblem&);
extern template SystolicRun<double> systolic_fft(std::span<const std::complex<double>>,
                                                 const SystolicProblem&);

std::vector<Complex> systolic_fft_2d(std::span<const Complex> matrix, int rows, int columns,
                                     const AbelianGroup& cells, Layout2d layout);

/// Algorithm 7: p x p on p cells with three skews replaced by phase factors (Appendix B).
std::vector<Complex> systolic_fft_2d_by_phases(std::span<const Complex> matrix, int p);

/// Algorithm 5: a p^4 field on p^3 cells, x3 local. The axes of the result are in another order:
/// the result at [a][b][c][d] is the spectrum at x1 = a, x2 = b, x0 = c, x3 = d.
std::vector<Complex> systolic_fft_4d(std::span<const Complex> field, int p);

struct SystolicTime {
  double shift_s = 0;    ///< between cells
  double skew_s = 0;     ///< inside cells, both skews
  double compute_s = 0;  ///< local transforms
  double transposition() const { return shift_s + skew_s; }
};
/// The time of steps that were counted, each row of a step having `words` words in a cell.
SystolicTime counted_time(const SystolicMachine& machine, const SystolicCount& count, double words);
/// One transposition of an n x n complex matrix.
SystolicTime transposition_time(const SystolicMachine& machine, std::int64_t n);
/// The 2-D transform with this number of transpositions (two, or one if the result may stay
/// transposed).
SystolicTime fft_2d_time(const SystolicMachine& machine, std::int64_t n, int transpositions);
double peak_flops(const SystolicMachine& machine);

}  // namespace weft::fabric
