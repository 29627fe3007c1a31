// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/ir/line_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "base/roots.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "formula/expand.hpp"
#include "weft/error.hpp"

namespace weft::codelet {

bool is_line(const KernelKey& key) { return key.in == KernelLayout::line; }

namespace {

constexpr int most_registers = 128;

constexpr int longest_narrow = 28;  // longer lines of even length come in twos
// Up to here complex doubles are faster one by one than transposed: 4 points 7 ns instead of 12; 8
// points are not: 5 ns instead of 3.8 (Zen 5).
constexpr int longest_tiny = 6;
constexpr int first_mirror_row = 4096;  // rows of other factors are fewer

bool is_real(const KernelKey& key) { return key.transform != KernelTransform::dft; }

/// The shape with `width` numbers of a line per register; `registers` is 0 if it does not fit.
LineShape shape_of(int points, int width, int lines, bool narrow = false) {
  if (width < 1 || points % width != 0) return {};
  const int registers = points / width;
  if (registers < width || registers > most_registers) return {};
  return {width, lines, registers, (registers + width - 1) / width, narrow};
}

LineShape find_shape(const KernelKey& key) {
  if (is_real(key) && key.radix % 2 != 0) return {};
  const int points = is_real(key) ? key.radix / 2 : key.radix;
  const int width = lanes(key.isa, key.precision) / 2;
  const LineShape whole = shape_of(points, width, 1);
  const bool is_single = key.precision == Precision::f32;
  const bool is_tiny = key.isa == Isa::avx2 && !is_single && points <= longest_tiny;
  if (whole.registers > 0 && !is_tiny) return whole;
  if (key.isa == Isa::avx2 && (points <= longest_narrow || points % 2 != 0 || is_real(key)))
    return shape_of(points, is_single && points % 2 == 0 && points >= 4 ? 2 : 1, 1, true);
  const bool has_halves = key.isa == Isa::avx512 || (key.isa == Isa::avx2 && is_single);
  return has_halves && !is_real(key) ? shape_of(points, width / 2, 2) : LineShape{};
}

}  // namespace

LineShape line_shape(const KernelKey& key) {
  const LineShape shape = find_shape(key);
  if (shape.registers == 0)
    throw Error(ErrorCode::unsupported,
                to_string(key) +
                    ": a line kernel needs a vector instruction set and a length of v " + "to " +
                    std::to_string(most_registers) + " registers of v points");
  return shape;
}

int register_reals(const KernelKey& key) {
  if (is_line(key) && line_shape(key).narrow) return key.precision == Precision::f64 ? 2 : 4;
  return lanes(key.isa, key.precision);
}

bool is_line_length(const KernelKey& key) { return find_shape(key).registers > 0; }

namespace ir {
namespace {

std::complex<long double> mirror_factor(const KernelKey& key, int k) {
  const auto w = root_of_unity(key.radix, k);
  if (key.transform == KernelTransform::real_backward) return {w.imag(), w.real()};
  return {w.imag() / 2, -w.real() / 2};
}

std::complex<long double> factor(const KernelKey& key, int row, int lane) {
  if (row >= first_mirror_row) return mirror_factor(key, row - first_mirror_row + lane);
  const LineShape shape = line_shape(key);
  const Index frequency = shape.start(row / shape.width) + lane;
  const auto w = root_of_unity(shape.points(), frequency * (row % shape.width));
  return runs_backward(key) ? std::conj(w) : w;
}

}  // namespace

bool runs_backward(const KernelKey& key) {
  return key.backward || key.transform == KernelTransform::real_backward;
}

int mirror_row(int point) { return first_mirror_row + point; }

Spectrum spectrum_of(const LineShape& shape) {
  const int h = shape.points(), v = shape.width;
  Spectrum spectrum;
  int end = 0;
  for (; 2 * end < h; end += v) spectrum.low.push_back(std::min(end, h - v));
  spectrum.has_middle = 2 * end == h;
  return spectrum;
}

int input_rows(const KernelKey& key) {
  const int registers = line_shape(key).registers;
  return key.transform == KernelTransform::real_backward ? 2 * registers : registers;
}

int output_rows(const KernelKey& key) {
  const LineShape shape = line_shape(key);
  if (key.transform != KernelTransform::real_forward) return shape.blocks * shape.width;
  const Spectrum spectrum = spectrum_of(shape);
  return 2 * static_cast<int>(spectrum.low.size()) + (spectrum.has_middle ? 1 : 0);
}

int input_point(const KernelKey& key, int row) {
  const LineShape shape = line_shape(key);
  if (row < shape.registers) return row * shape.width;
  return shape.points() - (row - shape.registers + 1) * shape.width + 1;
}

int output_point(const KernelKey& key, int row) {
  const LineShape shape = line_shape(key);
  if (key.transform != KernelTransform::real_forward) return shape.output_point(row);
  const std::vector<int> low = spectrum_of(shape).low;
  const int count = static_cast<int>(low.size());
  if (row < count) return low[row];
  if (row == 2 * count) return shape.points() / 2;
  return shape.points() - low[row - count] - shape.width + 1;
}

bool is_one_number(const KernelKey& key, int row, bool is_output) {
  const LineShape shape = line_shape(key);
  if (shape.narrow && 2 * shape.width < register_reals(key)) return true;
  return is_output && key.transform == KernelTransform::real_forward &&
         row == 2 * static_cast<int>(spectrum_of(shape).low.size());
}

formula::Formula line_formula(const KernelKey& key, const formula::Formula& across_registers) {
  using namespace formula;
  const LineShape shape = line_shape(key);
  const int v = shape.width, m = shape.registers;
  if (v == 1) return across_registers;
  const int n = shape.points();
  return compose({tensor({expand_best(v), identity(m)}), twiddles(n, m),
                  tensor({identity(v), across_registers}), stride_permutation(n, v)});
}

LineParts parts_of_line(const KernelKey& key, const formula::Formula& line) {
  if (line_shape(key).width == 1) return {line, formula::identity(1)};
  const auto& factors = line.as<formula::Compose>()->factors;
  return {factors[2].as<formula::Tensor>()->factors[1],
          factors[0].as<formula::Tensor>()->factors[0]};
}

bool has_tangent_form(const KernelKey& key, int row) {
  if (row >= first_mirror_row) return false;
  constexpr long double smallest = 0.2L;
  for (int lane = 0; lane < line_shape(key).width; ++lane)
    if (std::fabs(factor(key, row, lane).real()) < smallest) return false;
  return true;
}

long double lane_constant(const KernelKey& key, const Operation& constant, int slot) {
  const auto w = factor(key, constant.row, slot / 2 % line_shape(key).width);
  if (constant.part == Part::re) return w.real();
  const long double value = has_tangent_form(key, constant.row) ? w.imag() / w.real() : w.imag();
  return constant.imaginary && slot % 2 == 0 ? -value : value;
}

}  // namespace ir
}  // namespace weft::codelet
