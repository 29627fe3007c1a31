// SPDX-License-Identifier: BSD-3-Clause
// Carries an expression out on a tile: row by row, a block of modes at a time, one instruction
// after another on planar numbers. What is the same for all modes of a row is computed once per
// row. Blocks are always full, so that every loop has a length that compilers know.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/index.hpp"
#include "spectral/expression_program.hpp"

namespace weft::spectral {
namespace {

constexpr int modes_of_block = 64;

template <class Real>
struct Planar {
  std::array<Real, modes_of_block> re{}, im{};
};

template <class Real>
class ExpressionRun {
 public:
  ExpressionRun(const ExpressionProgram& program, const ModeTile<Real>& tile)
      : program_(program), tile_(tile), values_(program.instructions.size()) {
    const auto& last = tile.dimensions.back();
    for (const Instruction& instruction : program.instructions) {
      bool varies = instruction.op == Op::field ||
                    (instruction.op == Op::square && last.axis >= 0) ||
                    ((instruction.op == Op::wave || instruction.op == Op::odd_wave) &&
                     instruction.number == last.axis);
      for (int each : {instruction.a, instruction.b, instruction.c})
        varies = varies || (each >= 0 && varies_[at(each)]);
      varies_.push_back(varies);
    }
  }

  void row(std::span<const Index> index, Index first) {
    const auto& last = tile_.dimensions.back();
    set_wave(index);
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!varies_[i]) compute(i, 0, 0, 0);
    for (Index begin = 0; begin < last.extent; begin += modes_of_block) {
      const Index count = std::min<Index>(modes_of_block, last.extent - begin);
      const Index offset = first + begin * last.stride;
      for (std::size_t i = 0; i < values_.size(); ++i)
        if (varies_[i]) compute(i, begin, count, offset);
      for (std::size_t o = 0; o < program_.outputs.size(); ++o) store(o, count, offset);
    }
  }

 private:
  void set_wave(std::span<const Index> index) {
    others_ = 0;
    for (std::size_t d = 0; d + 1 < index.size(); ++d) {
      const auto& dimension = tile_.dimensions[d];
      if (dimension.axis < 0) continue;
      const std::size_t a = at(dimension.axis);
      k_[a] = dimension.k[index[d]];
      odd_[a] = dimension.odd[index[d]];
      others_ += k_[a] * k_[a];
    }
  }

  void compute(std::size_t number, Index begin, Index count, Index offset) {
    const Instruction& instruction = program_.instructions[number];
    Planar<Real>& to = values_[number];
    switch (instruction.op) {
      case Op::constant:
        to.re.fill(static_cast<Real>(instruction.re));
        to.im.fill(static_cast<Real>(instruction.im));
        return;
      case Op::wave: return load_wave(to, instruction.number, k_, row_k(), begin, count);
      case Op::odd_wave: return load_wave(to, instruction.number, odd_, row_odd(), begin, count);
      case Op::square: return load_square(to, begin, count);
      case Op::field: return load_field(to, instruction.number, count, offset);
      default: return calculate(instruction, to);
    }
  }

  const Real* row_k() const { return tile_.dimensions.back().k; }
  const Real* row_odd() const { return tile_.dimensions.back().odd; }

  void load_wave(Planar<Real>& to, int axis, const std::array<Real, max_operator_dimensions>& outer,
                 const Real* row, Index begin, Index count) {
    if (axis != tile_.dimensions.back().axis) return to.re.fill(outer[at(axis)]);
    std::copy_n(row + begin, count, to.re.begin());
  }
  void load_square(Planar<Real>& to, Index begin, Index count) {
    to.re.fill(others_);
    if (tile_.dimensions.back().axis < 0) return;
    const Real* k = row_k() + begin;
    for (Index m = 0; m < count; ++m) to.re[at(static_cast<int>(m))] += k[m] * k[m];
  }
  void load_field(Planar<Real>& to, int field, Index count, Index offset) {
    const Index stride = tile_.dimensions.back().stride;
    const auto* from = reinterpret_cast<const Real*>(tile_.fields[field] + offset);
    if (stride == 1 && count == modes_of_block) {
      for (std::size_t m = 0; m < modes_of_block; ++m) {
        to.re[m] = from[2 * m];
        to.im[m] = from[2 * m + 1];
      }
      return;
    }
    for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m, from += 2 * stride) {
      to.re[m] = from[0];
      to.im[m] = from[1];
    }
  }
  /// Imaginary parts of real values are zeros.
  void store(std::size_t output, Index count, Index offset) {
    const Planar<Real>& from = values_[at(program_.outputs[output])];
    const Index stride = tile_.dimensions.back().stride;
    auto* to = reinterpret_cast<Real*>(tile_.fields[output] + offset);
    if (stride == 1 && count == modes_of_block) {
      for (std::size_t m = 0; m < modes_of_block; ++m) {
        to[2 * m] = from.re[m];
        to[2 * m + 1] = from.im[m];
      }
      return;
    }
    for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m, to += 2 * stride) {
      to[0] = from.re[m];
      to[1] = from.im[m];
    }
  }

  bool is_complex(int number) const { return program_.instructions[at(number)].is_complex; }

  void calculate(const Instruction& instruction, Planar<Real>& to) {
    // Imaginary parts of real values are never written: they are the zeros they began as.
    const Planar<Real>& a = values_[at(instruction.a)];
    const Planar<Real>& b = values_[at(instruction.b < 0 ? instruction.a : instruction.b)];
    const bool both = instruction.b >= 0 && is_complex(instruction.a) && is_complex(instruction.b);
    switch (instruction.op) {
      case Op::complex:
        to.re = a.re;
        to.im = b.re;
        return;
      case Op::add: return parts(instruction, to, [](Real x, Real y) { return x + y; }, a, b);
      case Op::subtract: return parts(instruction, to, [](Real x, Real y) { return x - y; }, a, b);
      case Op::negate: return parts(instruction, to, [](Real x, Real) { return -x; }, a, b);
      case Op::multiply: return both ? product(to, a, b) : scaled(instruction, to, a, b);
      case Op::divide:
        if (is_complex(instruction.b)) return quotient(to, a, b);
        for (std::size_t m = 0; m < modes_of_block; ++m) to.re[m] = a.re[m] / b.re[m];
        if (instruction.is_complex)
          for (std::size_t m = 0; m < modes_of_block; ++m) to.im[m] = a.im[m] / b.re[m];
        return;
      case Op::less:
        return reals(to, [](Real x, Real y) { return x < y ? Real{1} : Real{0}; }, a, b);
      case Op::less_equal:
        return reals(to, [](Real x, Real y) { return x <= y ? Real{1} : Real{0}; }, a, b);
      case Op::equal:
        return reals(to, [](Real x, Real y) { return x == y ? Real{1} : Real{0}; }, a, b);
      case Op::power: return reals(to, [](Real x, Real y) { return std::pow(x, y); }, a, b);
      case Op::where: return select(instruction, to, a, b, values_[at(instruction.c)]);
      case Op::real: to.re = a.re; return;
      case Op::imag: to.re = a.im; return;
      case Op::conj:
        to.re = a.re;
        for (std::size_t m = 0; m < modes_of_block; ++m) to.im[m] = -a.im[m];
        return;
      case Op::abs:
        if (!is_complex(instruction.a))
          return reals(to, [](Real x, Real) { return std::abs(x); }, a, a);
        for (std::size_t m = 0; m < modes_of_block; ++m) to.re[m] = std::hypot(a.re[m], a.im[m]);
        return;
      default: return transcend(instruction, to, a);
    }
  }

  template <class Function>
  static void reals(Planar<Real>& to, const Function& function, const Planar<Real>& a,
                    const Planar<Real>& b) {
    for (std::size_t m = 0; m < modes_of_block; ++m) to.re[m] = function(a.re[m], b.re[m]);
  }
  template <class Function>
  static void parts(const Instruction& instruction, Planar<Real>& to, const Function& function,
                    const Planar<Real>& a, const Planar<Real>& b) {
    reals(to, function, a, b);
    if (instruction.is_complex)
      for (std::size_t m = 0; m < modes_of_block; ++m) to.im[m] = function(a.im[m], b.im[m]);
  }
  static void product(Planar<Real>& to, const Planar<Real>& a, const Planar<Real>& b) {
    for (std::size_t m = 0; m < modes_of_block; ++m) {
      to.re[m] = a.re[m] * b.re[m] - a.im[m] * b.im[m];
      to.im[m] = a.re[m] * b.im[m] + a.im[m] * b.re[m];
    }
  }
  /// At most one of them is complex.
  void scaled(const Instruction& instruction, Planar<Real>& to, const Planar<Real>& a,
              const Planar<Real>& b) const {
    for (std::size_t m = 0; m < modes_of_block; ++m) to.re[m] = a.re[m] * b.re[m];
    if (!instruction.is_complex) return;
    const bool first = is_complex(instruction.a);
    const Planar<Real>&number = first ? a : b, &factor = first ? b : a;
    for (std::size_t m = 0; m < modes_of_block; ++m) to.im[m] = number.im[m] * factor.re[m];
  }
  static void quotient(Planar<Real>& to, const Planar<Real>& a, const Planar<Real>& b) {
    for (std::size_t m = 0; m < modes_of_block; ++m) {
      const Real norm = b.re[m] * b.re[m] + b.im[m] * b.im[m];
      to.re[m] = (a.re[m] * b.re[m] + a.im[m] * b.im[m]) / norm;
      to.im[m] = (a.im[m] * b.re[m] - a.re[m] * b.im[m]) / norm;
    }
  }
  static void select(const Instruction& instruction, Planar<Real>& to,
                     const Planar<Real>& condition, const Planar<Real>& yes,
                     const Planar<Real>& no) {
    for (std::size_t m = 0; m < modes_of_block; ++m)
      to.re[m] = condition.re[m] != 0 ? yes.re[m] : no.re[m];
    if (instruction.is_complex)
      for (std::size_t m = 0; m < modes_of_block; ++m)
        to.im[m] = condition.re[m] != 0 ? yes.im[m] : no.im[m];
  }
  void transcend(const Instruction& instruction, Planar<Real>& to, const Planar<Real>& a) const {
    const bool complex_argument = is_complex(instruction.a);
    const auto apply = [&](const auto& function) {
      for (std::size_t m = 0; m < modes_of_block; ++m)
        if (complex_argument) {
          const std::complex<Real> value = function(std::complex<Real>(a.re[m], a.im[m]));
          to.re[m] = value.real();
          to.im[m] = value.imag();
        } else {
          to.re[m] = function(a.re[m]);
        }
    };
    switch (instruction.op) {
      case Op::sqrt: return apply([](auto x) { return std::sqrt(x); });
      case Op::exp: return apply([](auto x) { return std::exp(x); });
      case Op::sin: return apply([](auto x) { return std::sin(x); });
      default: return apply([](auto x) { return std::cos(x); });
    }
  }

  const ExpressionProgram& program_;
  const ModeTile<Real>& tile_;
  std::vector<Planar<Real>> values_;
  std::vector<bool> varies_;
  std::array<Real, max_operator_dimensions> k_{}, odd_{};
  Real others_ = 0;  // squares of the wave numbers of a row, but for the last dimension's
};

}  // namespace

template <class Real>
void run_expression(const ExpressionProgram& program, const ModeTile<Real>& tile) {
  if (tile.dimensions.empty()) return;
  ExpressionRun<Real> run(program, tile);
  tile.for_each_row([&](std::span<const Index> index, Index at) { run.row(index, at); });
}
template void run_expression(const ExpressionProgram&, const ModeTile<float>&);
template void run_expression(const ExpressionProgram&, const ModeTile<double>&);

}  // namespace weft::spectral
