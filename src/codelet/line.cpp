// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/line.hpp"

#include <cmath>

#include "base/roots.hpp"
#include "codelet/registry.hpp"
#include "formula/expand.hpp"
#include "weft/error.hpp"

namespace weft::codelet {

bool is_line(const KernelKey& key) { return key.in == Layout::line; }

namespace {

constexpr int most_registers = 96;

/// The shape with that many numbers of a line in a register; no registers when it does not fit.
LineShape shape_of(int points, int width, int lines) {
  if (width < 1 || points % width != 0) return {};
  const int registers = points / width;
  if (registers < width || registers > most_registers) return {};
  return {width, lines, registers, (registers + width - 1) / width};
}

LineShape find_shape(Isa isa, Precision precision, int points) {
  const int width = lanes(isa, precision) / 2;
  const LineShape whole = shape_of(points, width, 1);
  const bool has_halves = isa == Isa::avx512 || (isa == Isa::avx2 && precision == Precision::f32);
  return whole.registers > 0 || !has_halves ? whole : shape_of(points, width / 2, 2);
}

}  // namespace

LineShape line_shape(const KernelKey& key) {
  const LineShape shape = find_shape(key.isa, key.precision, key.radix);
  if (shape.registers == 0)
    throw Error(ErrorCode::unsupported,
                to_string(key) +
                    ": a line kernel needs a vector instruction set and a length of v " + "to " +
                    std::to_string(most_registers) + " registers of v points");
  return shape;
}

bool is_line_length(Isa isa, Precision precision, int points) {
  return find_shape(isa, precision, points).registers > 0;
}

namespace ir {
namespace {

std::complex<long double> factor(const KernelKey& key, int row, int lane) {
  const LineShape shape = line_shape(key);
  const Index frequency = shape.start(row / shape.width) + lane;
  const auto w = root_of_unity(key.radix, frequency * (row % shape.width));
  return key.backward ? std::conj(w) : w;
}

}  // namespace

formula::Formula line_formula(const KernelKey& key, const formula::Formula& across_registers) {
  using namespace formula;
  const LineShape shape = line_shape(key);
  const int v = shape.width, m = shape.registers;
  if (v == 1) return across_registers;
  return compose({tensor({expand_best(v), identity(m)}), twiddles(key.radix, m),
                  tensor({identity(v), across_registers}), stride_permutation(key.radix, v)});
}

LineParts parts_of_line(const KernelKey& key, const formula::Formula& line) {
  if (line_shape(key).width == 1) return {line, formula::identity(1)};
  const auto& factors = line.as<formula::Compose>()->factors;
  return {factors[2].as<formula::Tensor>()->factors[1],
          factors[0].as<formula::Tensor>()->factors[0]};
}

bool has_tangent_form(const KernelKey& key, int row) {
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
