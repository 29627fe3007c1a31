// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/systolic/transform.hpp"

#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {
namespace {

/// Local transforms: `count` lines of `n`, each contiguous.
template <class Real>
void transform_lines(std::vector<std::complex<Real>>& data, Index n) {
  const Index count = static_cast<Index>(data.size()) / n;
  const Precision precision = sizeof(Real) == 4 ? Precision::f32 : Precision::f64;
  const Plan plan(c2c({count, n}, {.axes = {1}, .precision = precision}));
  plan.execute(data.data(), data.data());
}

/// Transposes a row-major matrix of rows x columns, so that the lines of each cell are contiguous.
template <class Number>
std::vector<Number> flipped(std::span<const Number> matrix, int rows, int columns) {
  std::vector<Number> result(matrix.size());
  const auto height = static_cast<std::size_t>(rows), width = static_cast<std::size_t>(columns);
  constexpr std::size_t tile = 32;
  for (std::size_t r0 = 0; r0 < height; r0 += tile)
    for (std::size_t c0 = 0; c0 < width; c0 += tile)
      for (std::size_t r = r0; r < std::min(height, r0 + tile); ++r)
        for (std::size_t c = c0; c < std::min(width, c0 + tile); ++c)
          result[c * height + r] = matrix[r * width + c];
  return result;
}

/// Where the steps of the cells carry each block: [address * p + cell] is the place that it came
/// from.
std::vector<int> transposition_table(const SystolicProblem& problem, SystolicCount& count) {
  SystolicArray<int> array(problem.cells);
  const int p = array.cells();
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i) array.at(j, i) = j * p + i;
  const auto skew = [&](int sign) {
    if (problem.skewing == Skewing::masked)
      array.masked_skew(sign, count);
    else
      sign > 0 ? array.pre_skew() : array.re_skew();
  };
  skew(+1);
  if (problem.strides.empty())
    array.row_shift(count);
  else
    array.row_shift_by(problem.strides, count);
  skew(-1);
  std::vector<int> table;
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i) table.push_back(array.at(j, i));
  return table;
}

/// `lines` holds columns of length `rows`, one after the other; cell i has columns / p of them. The
/// result holds the rows: the block that arrives at address j of cell i is transposed there.
template <class Number>
std::vector<Number> systolic_transpose(const std::vector<Number>& lines, std::size_t rows,
                                       std::size_t columns, const std::vector<int>& table,
                                       std::size_t p) {
  const std::size_t height = rows / p, width = columns / p;
  std::vector<Number> result(lines.size());
  for (std::size_t j = 0; j < p; ++j)
    for (std::size_t i = 0; i < p; ++i) {
      const auto origin = static_cast<std::size_t>(table[j * p + i]);
      const std::size_t address = origin / p, cell = origin % p;
      for (std::size_t c = 0; c < width; ++c)
        for (std::size_t r = 0; r < height; ++r)
          result[(i * height + r) * columns + j * width + c] =
              lines[(cell * width + c) * rows + address * height + r];
    }
  return result;
}

/// The twiddles of a line of rows * columns points, while columns lie one after another.
template <class Real>
void multiply_by_twiddles(std::vector<std::complex<Real>>& lines, std::size_t rows,
                          std::size_t columns) {
  const double turn =
      -2 * std::numbers::pi / (static_cast<double>(rows) * static_cast<double>(columns));
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t k = 0; k < rows; ++k)
      lines[c * rows + k] *= std::complex<Real>(std::polar(1.0, turn * static_cast<double>(c * k)));
}

void check_problem(const SystolicProblem& problem, std::size_t numbers) {
  const int p = problem.cells.order();
  if (problem.rows < 1 || problem.columns < 1 || problem.rows % p != 0 ||
      problem.columns % p != 0 ||
      numbers != static_cast<std::size_t>(problem.rows) * static_cast<std::size_t>(problem.columns))
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("{} x {} matrix of {} numbers on {} cells: both sides must be multiples of "
                     "the cells",
                     problem.rows, problem.columns, numbers, p));
  if (problem.strides.empty()) return;
  if (problem.cells.moduli.size() != 1)
    throw Error(ErrorCode::invalid_argument, "strides of shifts are for one ring of cells");
  bool ascend = problem.strides.front() == 1;
  for (std::size_t k = 1; k < problem.strides.size(); ++k)
    ascend = ascend && problem.strides[k] > problem.strides[k - 1];
  if (!ascend || problem.strides.back() > p)
    throw Error(ErrorCode::invalid_argument,
                weft::format("strides of shifts on a ring of {} cells: they ascend from 1 to at "
                             "most {}",
                             p, p));
}

void multiply_by_phases(SystolicArray<Complex>& array, const auto& exponent) {
  const int p = array.cells();
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i)
      array.at(j, i) *= std::polar(1.0, -2 * std::numbers::pi * (exponent(j, i) % p) / p);
}

void transform_cells(SystolicArray<Complex>& array) {
  const int p = array.cells();
  std::vector<Complex> lines;
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < p; ++j) lines.push_back(array.at(j, i));
  transform_lines(lines, p);
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < p; ++j) array.at(j, i) = lines[static_cast<std::size_t>(i * p + j)];
}

}  // namespace

std::vector<Complex> systolic_fft_2d(std::span<const Complex> matrix, int rows, int columns,
                                     const AbelianGroup& cells, Layout2d layout) {
  return systolic_fft<double>(matrix,
                              {.rows = rows, .columns = columns, .cells = cells, .layout = layout})
      .numbers;
}

template <class Real>
SystolicRun<Real> systolic_fft(std::span<const std::complex<Real>> matrix,
                               const SystolicProblem& problem) {
  check_problem(problem, matrix.size());
  SystolicRun<Real> run{.numbers = flipped(matrix, problem.rows, problem.columns), .count = {}};
  const auto rows = static_cast<std::size_t>(problem.rows);
  const auto columns = static_cast<std::size_t>(problem.columns);
  const auto p = static_cast<std::size_t>(problem.cells.order());
  const auto transpose = [&](std::size_t from, std::size_t to) {
    const std::vector<int> table = transposition_table(problem, run.count);
    run.numbers = systolic_transpose(run.numbers, from, to, table, p);
    ++run.transpositions;
  };
  transform_lines(run.numbers, problem.rows);
  if (problem.one_line) multiply_by_twiddles(run.numbers, rows, columns);
  transpose(rows, columns);
  transform_lines(run.numbers, problem.columns);
  if (problem.layout == Layout2d::restored) {
    transpose(columns, rows);
    run.numbers = flipped<std::complex<Real>>(run.numbers, problem.columns, problem.rows);
  } else {
    run.numbers = flipped<std::complex<Real>>(run.numbers, problem.rows, problem.columns);
  }
  return run;
}
template SystolicRun<float> systolic_fft(std::span<const std::complex<float>>,
                                         const SystolicProblem&);
template SystolicRun<double> systolic_fft(std::span<const std::complex<double>>,
                                          const SystolicProblem&);

std::vector<Complex> systolic_fft_2d_by_phases(std::span<const Complex> matrix, int p) {
  SystolicArray<Complex> array(AbelianGroup{{p}});
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i) array.at(j, i) = matrix[static_cast<std::size_t>(j * p + i)];
  multiply_by_phases(array, [](int j, int i) { return j * i; });  // replaces the pre-skew
  transform_cells(array);
  SystolicCount count;
  array.row_shift(count);
  multiply_by_phases(array, [](int k, int i) { return k * i; });  // replaces re-skew ...
  transform_cells(array);
  multiply_by_phases(array, [](int l, int i) { return i * (l + i); });  // ... and pre-skew
  array.row_shift(count);
  array.re_skew();
  std::vector<Complex> result;
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i) result.push_back(array.at(j, i));
  return result;
}

std::vector<Complex> systolic_fft_4d(std::span<const Complex> field, int p) {
  if (p < 1 || field.size() != static_cast<std::size_t>(p) * static_cast<std::size_t>(p) *
                                   static_cast<std::size_t>(p) * static_cast<std::size_t>(p))
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("a field of {} numbers on {}^3 cells: it must have {}^4", field.size(), p, p));
  const AbelianGroup grid{{p, p, p}};
  std::vector<Complex> data(field.begin(), field.end());  // cell * p + local
  // Exchanges the local axis with the axis along grid direction `axis`, on p^2 rings at once.
  const auto transpose = [&](std::size_t axis) {
    for (int cell = 0; cell < grid.order(); ++cell) {
      if (grid.digit(cell, axis) != 0) continue;
      SystolicArray<Complex> ring(AbelianGroup{{p}});
      const auto place = [&](int address, int position) {
        return static_cast<std::size_t>(grid.with_digit(cell, axis, position) * p + address);
      };
      for (int j = 0; j < p; ++j)
        for (int i = 0; i < p; ++i) ring.at(j, i) = data[place(j, i)];
      ring.transpose();
      for (int j = 0; j < p; ++j)
        for (int i = 0; i < p; ++i) data[place(j, i)] = ring.at(j, i);
    }
  };
  transform_lines(data, p);                      // x3
  for (const std::size_t axis : {2U, 1U, 0U}) {  // x2, x1, x0
    transpose(axis);
    transform_lines(data, p);
  }
  // Now x3 lies along direction 2, x2 along 1, x1 along 0, and x0 is local: make x3 local again.
  transpose(2);
  return data;
}

double peak_flops(const SystolicMachine& machine) {
  return machine.clock_hz * machine.flops_per_cycle * machine.nodes();
}

SystolicTime transposition_time(const SystolicMachine& machine, std::int64_t n) {
  const AbelianGroup torus{{machine.torus[0], machine.torus[1], machine.torus[2]}};
  const auto p = static_cast<double>(machine.nodes());
  const double side = static_cast<double>(n) / p;
  const double words = 2 * side * side;  // words of a block
  SystolicCount count = row_shift_count(torus);
  if (!machine.local_addressing)
    count.row_moves = static_cast<std::int64_t>(std::llround(2 * std::log2(p) * p));
  return counted_time(machine, count, words);
}

SystolicTime counted_time(const SystolicMachine& machine, const SystolicCount& count,
                          double words) {
  return {.shift_s = (static_cast<double>(count.row_hops) * words * machine.hop_cycles_per_word +
                      static_cast<double>(count.shift_instructions) * machine.shift_setup_cycles) /
                     machine.clock_hz,
          .skew_s = static_cast<double>(count.row_moves) *
                    (machine.masked_move_setup_cycles + machine.skew_cycles_per_word * words) /
                    machine.clock_hz};
}

SystolicTime fft_2d_time(const SystolicMachine& machine, std::int64_t n, int transpositions) {
  SystolicTime time = transposition_time(machine, n);
  time.shift_s *= transpositions;
  time.skew_s *= transpositions;
  const double points = static_cast<double>(n) * static_cast<double>(n);
  time.compute_s =
      5 * points * std::log2(points) / (peak_flops(machine) * machine.local_fft_share_of_peak);
  return time;
}

}  // namespace weft::fabric
