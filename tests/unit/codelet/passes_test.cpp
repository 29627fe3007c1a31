// SPDX-License-Identifier: BSD-3-Clause
// No pass changes the matrix of a kernel; the matrix is found by interpreting the kernel on unit
// vectors.
#include "codelet/ir/passes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>

#include "base/roots.hpp"
#include "codelet/catalogue.hpp"
#include "codelet/compile.hpp"
#include "codelet/ir/groups.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/ir/print.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "kernel_interpreter.hpp"

namespace weft::codelet::ir {
namespace {

/// Column by column: the image of each unit vector.
std::vector<Vector> matrix_of(const Kernel& kernel) {
  const int width = width_of(kernel.key);
  std::map<Position, Vector> zero;
  for (const Group& group : input_groups(kernel.key))
    for (const Member& member : group.members)
      zero[{member.row, member.part}] = Vector(static_cast<std::size_t>(width));
  std::vector<Vector> columns;
  for (const auto& [position, value] : zero)
    for (int slot = 0; slot < width; ++slot) {
      std::map<Position, Vector> unit = zero;
      unit[position][static_cast<std::size_t>(slot)] = 1;
      columns.push_back(interpret(kernel, unit));
    }
  return columns;
}

long double difference(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  long double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j)
      largest = std::max(largest, std::fabs(a[i][j] - b[i][j]));
  return largest;
}

std::vector<KernelKey> line_kernels() {
  std::vector<KernelKey> keys;
  for (Isa isa : {Isa::neon, Isa::avx2, Isa::avx512})
    for (const KernelKey& key : catalogue(isa))
      if (is_line(key)) keys.push_back(key);
  return keys;
}

/// Every fourth kernel, so that the passes meet all kinds and most radices, and line kernels of all
/// shapes.
std::vector<KernelKey> sample() {
  std::vector<KernelKey> keys;
  int next = 0;
  for (const KernelKey& key : line_kernels())
    if (key.radix <= 32 && next++ % 5 == 0) keys.push_back(key);
  for (Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512})
    for (const KernelKey& key : catalogue(isa))
      if (key.precision == Precision::f64 && key.radix <= 32 && !is_line(key) && next++ % 4 == 0)
        keys.push_back(key);
  return keys;
}

/// Sines and cosines are kept to 2^-60.
constexpr long double tolerance = 1e-16L;

TEST(Passes, LeaveTheMatrixOfAKernelAsItWas) {
  constexpr Kernel (*passes[])(Kernel) = {simplify, absorb_negations, fuse_fma, rotate, schedule};
  for (const KernelKey& key : sample()) {
    Kernel kernel = lower(key, formula_of(key));
    const std::vector<Vector> expected = matrix_of(kernel);
    const std::size_t reals = has_real_input(key.transform) || is_line(key)
                                  ? static_cast<std::size_t>(input_side(key).rows)
                                  : 2u * input_side(key).rows;
    ASSERT_EQ(expected.size(), reals * width_of(key));
    for (const auto pass : passes) {
      kernel = pass(kernel);
      ASSERT_LT(difference(matrix_of(kernel), expected), tolerance) << print(kernel);
    }
  }
}

using Complex = std::complex<long double>;

/// A line kernel interpreted on a line of `numbers`, and on zeros beside it where it takes two.
std::vector<Complex> interpreted_line(const Kernel& kernel, const std::vector<Complex>& numbers) {
  const KernelKey& key = kernel.key;
  const LineShape shape = line_shape(key);
  const int width = width_of(key), first = shape.lines == 2 ? width / 2 : 0;
  std::map<Position, Vector> input;
  for (int row = 0; row < input_rows(key); ++row) {
    Vector& values = input[{row, Part::re}] = Vector(static_cast<std::size_t>(width));
    for (int slot = 0; slot < 2 * shape.width; ++slot) {
      const Complex number = numbers.at(input_point(key, row) + slot / 2);
      values[first + slot] = slot % 2 == 0 ? number.real() : number.imag();
    }
  }
  const Vector output = interpret(kernel, input);
  std::vector<Complex> result(shape.points() + 1);
  for (std::size_t i = 0; i < kernel.outputs.size(); ++i) {
    const int row = kernel.outputs[i].row;
    for (int lane = 0; lane < (is_one_number(key, row, true) ? 1 : shape.width); ++lane) {
      const std::size_t slot = i * width + first + 2 * lane;
      result.at(output_point(key, row) + lane) = {output[slot], output[slot + 1]};
    }
  }
  return result;
}

/// The same for reals as they lie in memory: adjacent ones are the parts of complex numbers.
std::vector<long double> interpreted_reals(const Kernel& kernel, const Vector& reals) {
  std::vector<Complex> numbers;
  for (std::size_t i = 0; i < reals.size(); i += 2) numbers.emplace_back(reals[i], reals[i + 1]);
  Vector result;
  for (const Complex& number : interpreted_line(kernel, numbers)) {
    result.push_back(number.real());
    result.push_back(number.imag());
  }
  return result;
}

/// This checks instruction sets that the CPU at hand has not.
TEST(LineKernels, TransformALineOfAnyNumbers) {
  for (const KernelKey& key : line_kernels()) {
    if (key.transform != KernelTransform::dft) continue;
    if (key.radix > 64) continue;  // the same shapes again, and slow to schedule
    std::vector<Complex> line;
    for (int i = 0; i < key.radix; ++i)
      line.emplace_back(std::cos(1.0L + i * i), std::sin(2.0L * i));
    const std::vector<Complex> actual = interpreted_line(compile(key), line);
    long double largest = 0;
    for (int k = 0; k < key.radix; ++k) {
      Complex expected = 0;
      for (int i = 0; i < key.radix; ++i)
        expected += line[i] * root_of_unity(key.radix, (key.backward ? -1 : 1) * i * k);
      if (key.scaled) expected *= 0.375L;
      largest = std::max(largest, std::abs(actual[k] - expected));
    }
    EXPECT_LT(largest, 1e-16L * key.radix) << to_string(key);
  }
}

TEST(LineKernels, TransformARealLineForwardAndBackward) {
  for (KernelKey key : line_kernels()) {
    if (key.transform != KernelTransform::real_forward || key.radix > 100) continue;
    Vector line;
    for (int i = 0; i < key.radix; ++i) line.push_back(std::cos(1.0L + i * i));
    Vector spectrum = interpreted_reals(compile(key), line);
    for (int k = 0; k <= key.radix / 2; ++k) {
      Complex expected = 0;
      for (int i = 0; i < key.radix; ++i) expected += line[i] * root_of_unity(key.radix, i * k);
      EXPECT_NEAR(spectrum[2 * k], expected.real(), 1e-16L * key.radix) << to_string(key);
      EXPECT_NEAR(spectrum[2 * k + 1], expected.imag(), 1e-16L * key.radix) << to_string(key);
    }
    spectrum[1] = spectrum[key.radix + 1] = 1000;  // must be ignored
    key.transform = KernelTransform::real_backward;
    const Vector back = interpreted_reals(compile(key), spectrum);
    for (int i = 0; i < key.radix; ++i)
      EXPECT_NEAR(back[i], key.radix * line[i], 1e-15L * key.radix) << to_string(key);
  }
}

TEST(Schedule, LoadsEverythingBeforeItStoresAnything) {
  for (const KernelKey& key : sample()) {
    const Kernel kernel =
        schedule(rotate(fuse_fma(absorb_negations(simplify(lower(key, formula_of(key)))))));
    bool has_stored = false;
    for (const Statement& statement : kernel.statements) {
      if (statement.kind == Statement::Kind::store) has_stored = true;
      if (statement.kind == Statement::Kind::load) {
        ASSERT_FALSE(has_stored) << to_string(key);
      }
    }
    ASSERT_TRUE(has_stored);
  }
}

TEST(Simplify, SharesEqualValuesAndDropsTrivialFactors) {
  const KernelKey key{.radix = 4};
  const OperationCount literal = count(lower(key, formula_of(key)));
  const OperationCount simplified = count(simplify(lower(key, formula_of(key))));
  EXPECT_GT(literal.total(), 16);
  EXPECT_EQ(simplified.additions, 16);
  EXPECT_EQ(simplified.multiplications, 0);
}

}  // namespace
}  // namespace weft::codelet::ir
