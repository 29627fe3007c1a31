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
void transform_lines(std::vector<Complex>& data, Index n) {
  const Index count = static_cast<Index>(data.size()) / n;
  const Plan plan(c2c({count, n}, {.axes = {1}}));
  plan.execute(data.data(), data.data());
}

/// rows x columns, row-major, into columns x rows: every cell's lines contiguous.
std::vector<Complex> flipped(std::span<const Complex> matrix, int rows, int columns) {
  std::vector<Complex> result(matrix.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      result[static_cast<std::size_t>(c * rows + r)] =
          matrix[static_cast<std::size_t>(r * columns + c)];
  return result;
}

/// `lines` holds columns of length `rows`, one after the other; cell i has columns / p of them.
/// Afterwards it holds the rows: block (j, i) went to cell j, and was transposed there.
std::vector<Complex> systolic_transpose(const std::vector<Complex>& lines, int rows, int columns,
                                        const AbelianGroup& cells) {
  const int p = cells.order();
  const int height = rows / p;
  const int width = columns / p;
  SystolicArray<std::vector<Complex>> array(cells);
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i)
      for (int c = 0; c < width; ++c)
        for (int r = 0; r < height; ++r)
          array.at(j, i).push_back(
              lines[static_cast<std::size_t>((i * width + c) * rows + j * height + r)]);
  array.transpose();
  std::vector<Complex> result(lines.size());
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i)
      for (int c = 0; c < width; ++c)
        for (int r = 0; r < height; ++r)
          result[static_cast<std::size_t>((i * height + r) * columns + j * width + c)] =
              array.at(j, i)[static_cast<std::size_t>(c * height + r)];
  return result;
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

SystolicCount row_shift_count(const AbelianGroup& torus) {
  SystolicCount count;
  const int p = torus.order();
  for (int g = 0; g < p; ++g) count.row_hops += torus.distance(g);
  for (const int side : torus.moduli) count.shift_instructions += side / 2 + (side - 1) / 2;
  return count;
}

std::int64_t ring_cost(const AbelianGroup& torus) {
  std::int64_t cost = 0;
  for (int l = 0; l < torus.order(); ++l)
    for (std::size_t axis = 0; axis < torus.moduli.size(); ++axis) cost += torus.digit(l, axis) + 1;
  return cost;
}

std::vector<Complex> systolic_fft_2d(std::span<const Complex> matrix, int rows, int columns,
                                     const AbelianGroup& cells, Layout2d layout) {
  const int p = cells.order();
  if (rows < 1 || columns < 1 || rows % p != 0 || columns % p != 0 ||
      matrix.size() != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns))
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("{} x {} matrix of {} numbers on {} cells: both sides must be multiples of "
                     "the cells",
                     rows, columns, matrix.size(), p));
  std::vector<Complex> lines = flipped(matrix, rows, columns);
  transform_lines(lines, rows);
  lines = systolic_transpose(lines, rows, columns, cells);
  transform_lines(lines, columns);
  if (layout == Layout2d::transposed) return flipped(lines, rows, columns);
  lines = systolic_transpose(lines, columns, rows, cells);
  return flipped(lines, columns, rows);
}

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
  // The local axis against the one along grid direction `axis`, on p^2 rings at once.
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
  // Along direction 2 lies x3 now, along 1 x2, along 0 x1, and x0 is local: bring x3 home.
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
  const double words = 2 * side * side;  // of a block
  const SystolicCount count = row_shift_count(torus);
  SystolicTime time;
  time.shift_s = (static_cast<double>(count.row_hops) * words * machine.hop_cycles_per_word +
                  static_cast<double>(count.shift_instructions) * machine.shift_setup_cycles) /
                 machine.clock_hz;
  if (!machine.local_addressing)
    time.skew_s = 2 * std::log2(p) * p *
                  (machine.masked_move_setup_cycles + machine.skew_cycles_per_word * words) /
                  machine.clock_hz;
  return time;
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
