// SPDX-License-Identifier: BSD-3-Clause
// One transform at a time: every line kernel of every instruction set this CPU has, and the kernels
// of one lane, as whole plans; and what such plans need not do.
#include <gtest/gtest.h>

#include "codelet/dense/dense_lines.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "unit/local/check.hpp"

namespace weft::test {
namespace {

using codelet::Isa;
using codelet::KernelTransform;

Transform transform_of(const codelet::KernelKey& key, std::vector<Index> shape) {
  const TransformOptions options{
      .axes = {static_cast<int>(shape.size()) - 1},
      .direction = key.transform != KernelTransform::dft ? std::optional<Direction>()
                   : key.backward                        ? Direction::backward
                                                         : Direction::forward,
      .normalization = key.scaled ? Normalization::ortho : Normalization::none,
      .precision = key.precision};
  switch (key.transform) {
    case KernelTransform::real_forward: return r2c(std::move(shape), options);
    case KernelTransform::real_backward: return c2r(std::move(shape), options);
    default: return c2c(std::move(shape), options);
  }
}

/// One line and three lines by a line kernel.
void check_lines_of(const codelet::CompiledKernel& kernel) {
  const codelet::KernelKey& key = kernel.key;
  const Index n = key.radix;
  const bool is_half = key.transform != KernelTransform::dft && n % 2 == 0;
  RunOptions run;
  run.plan.recipe = "axes 0: " + std::string(codelet::to_string(key.isa)) + ":lines(" +
                    std::to_string(is_half ? n / 2 : n) + ")";
  expect_close(transform_of(key, {n}), static_cast<std::uint64_t>(n), run);
  run.plan.recipe.replace(0, 7, "axes 1:");
  expect_close(transform_of(key, {3, n}), static_cast<std::uint64_t>(n), run);
}

TEST(SingleLines, OfEveryLineKernelMatchTheOracle) {
  int checked = 0;
  for (Isa isa : codelet::available_isas()) {
    for (const codelet::CompiledKernel& kernel : codelet::kernels()) {
      if (kernel.key.isa != isa || kernel.key.in != codelet::KernelLayout::line) continue;
      check_lines_of(kernel);
      ++checked;
    }
    // Beyond 64 points those whose last register is full or nearly empty.
    for (const codelet::CompiledKernel& kernel : codelet::dense_lines(isa))
      if (kernel.key.radix <= 64 || kernel.key.radix % 16 <= 3) check_lines_of(kernel);
  }
  EXPECT_EQ(checked > 0, codelet::best_isa() != Isa::scalar);
}

/// Kernels that always multiply by a scale do it once, in real lines with a step of their own too.
/// Each kernel is built for one instruction set or for all; those that are not there are left out.
TEST(SingleLines, AreScaledOnce) {
  int lines = 0;
  for (Precision precision : {Precision::f32, Precision::f64})
    for (Index n : {33, 72, 125, 126, 144, 154, 250}) {
      const TransformOptions options{.normalization = Normalization::ortho, .precision = precision};
      for (const Isa isa : codelet::available_isas()) {
        const auto check = [&](const Transform& transform, Index line, unsigned seed) {
          RunOptions run;
          run.plan.recipe = std::string("axes 0: ") + codelet::to_string(isa) + ":lines(" +
                            std::to_string(line) + ")";
          try {
            const Plan plan(transform, run.plan);
          } catch (const Error&) {
            return;
          }
          expect_close(transform, seed, run);
          ++lines;
        };
        check(r2c({n}, options), n % 2 == 0 ? n / 2 : n, 1);
        check(c2r({n}, options), n % 2 == 0 ? n / 2 : n, 2);
        check(c2c({n}, options), n, 3);
      }
    }
  const bool is_wide = codelet::best_isa() != Isa::scalar && codelet::best_isa() != Isa::neon;
  EXPECT_GE(lines, is_wide ? 36 : 0);
}

TEST(SingleLines, OfOneLaneMatchTheOracle) {
  for (Precision precision : {Precision::f32, Precision::f64})
    for (Index n : {2, 3, 4, 5, 7, 11, 13, 14, 16, 20, 25, 60, 77, 289}) {
      RunOptions run;
      const Index half = n % 2 == 0 ? n / 2 : n;
      if (n <= 25) {
        run.plan.recipe = "axes 0: scalar:real_kernel(" + std::to_string(half) + ")";
        expect_close(r2c({n}, {.precision = precision}), 1, run);
        expect_close(c2r({n}, {.precision = precision}), 1, run);
        run.plan.recipe = "axes 0: scalar:lanes(" + std::to_string(n) + ",1)";
        expect_close(c2c({n}, {.direction = Direction::backward, .precision = precision}), 1, run);
      }
    }
}

constexpr R2r halfcomplex_kinds[] = {R2r::r2hc, R2r::hc2r, R2r::dht};

/// A line; rows; columns; a line with strides; each with a scale, and in place.
void expect_close_in_all_layouts(R2r kind, Index n, Precision precision, RunOptions run) {
  const auto seed = static_cast<std::uint64_t>(n);
  const TransformOptions first{.axes = {0}, .precision = precision};
  expect_close(r2r({n}, {kind}, first), seed, run);
  run.in_place = true;
  expect_close(r2r({n}, {kind}, first), seed, run);
  run.in_place = false;
  run.input = {{2}};
  run.output = {{3}};
  expect_close(r2r({n}, {kind}, first), seed, run);
  run.input = run.output = {};
  TransformOptions scaled = first;
  scaled.normalization = Normalization::ortho;
  scaled.direction = Direction::forward;
  expect_close(r2r({n}, {kind}, scaled), seed, run);
  if (!run.plan.recipe.empty()) run.plan.recipe.replace(0, 7, "axes 1:");
  expect_close(r2r({3, n}, {kind}, {.axes = {1}, .precision = precision}), seed, run);
  if (!run.plan.recipe.empty()) run.plan.recipe.replace(0, 7, "axes 0:");
  expect_close(r2r({n, 3}, {kind}, first), seed, run);
}

TEST(SingleLines, OfHalfcomplexNumbersMatchTheOracle) {
  for (Precision precision : {Precision::f32, Precision::f64})
    for (R2r kind : halfcomplex_kinds)
      for (Index n = 2; n <= 64; ++n) expect_close_in_all_layouts(kind, n, precision, {});
}

TEST(SingleLines, OfHalfcomplexNumbersHaveKernelsOfTheirOwn) {
  for (Precision precision : {Precision::f32, Precision::f64})
    for (R2r kind : halfcomplex_kinds)
      for (Index n : {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 21, 25, 27, 32, 35}) {
        RunOptions run;
        run.plan.recipe =
            "axes 0: scalar:real_kernel(" + std::to_string(n % 2 == 0 ? n / 2 : n) + ")";
        expect_close_in_all_layouts(kind, n, precision, run);
        EXPECT_EQ(Plan(r2r({n}, {kind}, {.precision = precision}), run.plan).workspace_bytes(), 0u);
      }
}

/// The imaginary parts of the first and the last number have no meaning; NaN there does no harm.
TEST(SingleLines, IgnoreWhatARealLineHasNoPlaceFor) {
  for (Index n : {4, 16, 24, 34, 64, 66, 94, 100, 126, 128, 250, 256}) {
    const Plan plan(c2r({n}));
    std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(n / 2 + 1), {1.0, 0.0});
    std::vector<double> clean(static_cast<std::size_t>(n)), line(clean.size());
    plan.execute(spectrum, clean);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    spectrum.front() = spectrum.back() = {1.0, nan};
    plan.execute(spectrum, line);
    EXPECT_EQ(line, clean) << n << " " << plan.recipe();
  }
}

TEST(SingleLines, NeedNoWorkspaceWhereOneKernelDoesThem) {
  for (Index n : {4, 5, 8, 13, 16, 25, 32, 64, 100, 128})
    for (Precision precision : {Precision::f32, Precision::f64}) {
      if (codelet::best_isa() == Isa::scalar && n > 25) continue;
      EXPECT_EQ(Plan(c2c({n}, {.precision = precision})).workspace_bytes(), 0u) << n;
      EXPECT_EQ(Plan(r2c({n}, {.precision = precision})).workspace_bytes(), 0u) << n;
    }
}

}  // namespace
}  // namespace weft::test
