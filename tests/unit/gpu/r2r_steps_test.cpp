// SPDX-License-Identifier: BSD-3-Clause
// Real-to-real transforms on GPUs: the tables against the definition, and the kernels of all steps
// on the host.
#include "gpu/recipe/r2r_steps.hpp"

#include <gtest/gtest.h>

#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "gpu/choose/candidates.hpp"
#include "gpu/device/r2r_kernel.hpp"
#include "gpu/recipe/fits.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "gpu/recipe/transform_recipe.hpp"
#include "host_kernel.hpp"
#include "support/oracle.hpp"

namespace weft::test {
namespace {

using enum R2r;
constexpr R2r kinds[] = {dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4, dht, r2hc, hc2r};

LongComplex combined(const gpu::R2rEntry& e, const std::vector<LongComplex>& x, bool is_complex) {
  const auto value = [&](Index i) {
    return i < 0 ? LongComplex(0) : x[static_cast<std::size_t>(i)];
  };
  const LongComplex u = value(e.first), v = value(e.second);
  if (is_complex) return e.a * u.real() + e.b * u.imag();
  return {e.a * u.real() + e.c * v.real(), e.b * u.real() + e.d * v.real()};
}

/// The transform between the steps by the reference.
std::vector<LongComplex> inner(const gpu::R2rMethod& m, std::vector<LongComplex> x) {
  if (m.kind != Kind::c2r) {
    auto y = reference_dft(x, m.direction);
    if (m.kind == Kind::r2c) y.resize(static_cast<std::size_t>(m.points / 2 + 1));
    return y;
  }
  x.resize(static_cast<std::size_t>(m.points));
  for (Index k = m.points / 2 + 1; k < m.points; ++k)
    x[static_cast<std::size_t>(k)] = std::conj(x[static_cast<std::size_t>(m.points - k)]);
  return reference_dft(x, Direction::backward);
}

/// SciPy's factors around a transform.
std::vector<long double> wanted_of(R2r kind, std::vector<long double> x, bool orthogonalize) {
  const bool first = kind == dct1 || kind == dct2 || kind == dct3;
  const bool last = kind == dct1 || kind == dst2 || kind == dst3;
  const long double root = std::sqrt(2.0L);
  const bool is_before = orthogonalize && (kind == dct1 || kind == dct3 || kind == dst3);
  const bool is_after = orthogonalize && (kind == dct1 || kind == dct2 || kind == dst2);
  if (is_before && first) x.front() *= root;
  if (is_before && last) x.back() *= root;
  auto y = R2rByDefinition(kind, static_cast<Index>(x.size()))(x);
  if (is_after && first) y.front() /= root;
  if (is_after && last) y.back() /= root;
  return y;
}

void expect_kind(R2r kind, bool orthogonalize) {
  for (Index n = kind == dct1 ? 2 : 1; n <= 18; ++n) {
    std::vector<long double> x;
    std::vector<LongComplex> values, before, after;
    for (const LongComplex& v : random_field({n}, false, 3).values) {
      x.push_back(v.real());
      values.push_back(v);
    }
    const gpu::R2rMethod m = gpu::r2r_method(kind, n, orthogonalize);
    for (const gpu::R2rEntry& e : m.before) before.push_back(combined(e, values, false));
    const auto between = inner(m, before);
    for (const gpu::R2rEntry& e : m.after) after.push_back(combined(e, between, true));
    const auto wanted = wanted_of(kind, x, orthogonalize);
    ASSERT_EQ(after.size(), wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_NEAR(static_cast<double>(after[k].real()), static_cast<double>(wanted[k]), 2e-14)
          << to_string(kind) << " " << n << " at " << k << (orthogonalize ? " orthogonal" : "");
  }
}

TEST(R2rTables, MakeEveryKindOfTransform) {
  for (const R2r kind : kinds)
    for (const bool orthogonalize : {false, true}) expect_kind(kind, orthogonalize);
}

template <class Real>
void run_step(const std::vector<gpu::R2rEntry>& entries, const gpu::R2rShape& shape,
              bool is_complex_in, bool is_complex_out, const std::vector<Real>& in,
              std::vector<Real>& out, double scale) {
  const Precision precision = sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
  const HostLibrary library(
      gpu::emit_element_kernel(gpu::emit_r2r_step(precision, is_complex_in, is_complex_out)));
  const auto run = library.function<void (*)(const void*, long long)>("weft_elements_on_host");
  ASSERT_NE(run, nullptr);
  const std::vector<unsigned char> table = gpu::r2r_table(entries, precision);
  const gpu::R2rArguments arguments{in.data(), out.data(), table.data(), scale, shape};
  run(&arguments, shape.count);
}

/// All steps of a problem with its kernels, on the host.
std::vector<double> transformed(const problem::ArrayProblem& problem, const std::vector<double>& in,
                                std::size_t out_size) {
  std::vector<double> out(out_size, -1);
  const auto axes = gpu::r2r_axes(problem);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const gpu::R2rAxis& axis = axes[i];
    const gpu::R2rMethod m = gpu::r2r_method(axis.kind, axis.n, axis.orthogonalize);
    const bool complex_in = axis.inner.in_width() == 2, complex_out = axis.inner.out_width() == 2;
    std::vector<double> before(gpu::array_bytes(axis.inner, false) / sizeof(double), -7);
    run_step(m.before, axis.before, false, complex_in, i == 0 ? in : out, before, 1);
    std::vector<std::complex<double>> values;
    for (std::size_t j = 0; j < before.size(); j += complex_in ? 2 : 1)
      values.emplace_back(before[j], complex_in ? before[j + 1] : 0);
    const auto elements = static_cast<Index>(gpu::array_bytes(axis.inner, true) / sizeof(double)) /
                          axis.inner.out_width();
    const auto between = run_on_host(gpu::candidates(axis.inner, {}).front(), values, elements);
    std::vector<double> reals;
    for (const auto& v : between) {
      reals.push_back(v.real());
      if (complex_out) reals.push_back(v.imag());
    }
    run_step(m.after, axis.after, complex_out, false, reals, out,
             i + 1 == axes.size() ? problem.scale : 1.0);
  }
  return out;
}

/// Strides on both sides, one dimension of the input in blocks, the other of the output.
TEST(R2rSteps, ReadAndWriteStridesAndBlocks) {
  problem::ArrayProblem problem;
  problem.kind = Kind::r2r;
  problem.r2r = {dct2, dst3};
  problem.axes = {1, 0};
  problem.scale = 0.5;
  problem.dimensions = {{.n = 6, .in = 1, .out = 20}, {.n = 10, .in = 3, .out = 1}};
  problem.dimensions[0].in_blocks = {.length = 3, .jump = 40};
  problem.dimensions[1].out_blocks = {.length = 5, .jump = 7};
  ASSERT_TRUE(gpu::has_gpu_form(problem));
  const Field field = random_field({6, 10}, false, 5);
  std::vector<double> in(80, 99);
  for (Index a = 0; a < 6; ++a)
    for (Index b = 0; b < 10; ++b)
      in[static_cast<std::size_t>(a % 3 + a / 3 * 40 + 3 * b)] =
          static_cast<double>(field.values[static_cast<std::size_t>(10 * a + b)].real());
  const std::vector<double> out = transformed(problem, in, 120);
  const Field wanted = expected(r2r({6, 10}, {dct2, dst3}, {.axes = {1, 0}}), field);
  for (Index a = 0; a < 6; ++a)
    for (Index b = 0; b < 10; ++b)
      EXPECT_NEAR(
          out[static_cast<std::size_t>(20 * a + b % 5 + b / 5 * 7)],
          static_cast<double>(wanted.values[static_cast<std::size_t>(10 * a + b)].real()) / 2,
          1e-12);
}

TEST(R2rProblems, HaveAGpuFormUnlessTheyHaveTooManyDimensions) {
  problem::ArrayProblem problem;
  problem.kind = Kind::r2r;
  problem.r2r = {dct2};
  problem.axes = {0};
  problem.dimensions.resize(12, {1, 1, 1});
  EXPECT_TRUE(gpu::has_gpu_form(problem));
  problem.dimensions.push_back({1, 1, 1});
  EXPECT_FALSE(gpu::has_gpu_form(problem));
}

TEST(R2rRecipes, ArePrintedAndReadAxisByAxis) {
  problem::ArrayProblem problem;
  problem.kind = Kind::r2r;
  problem.r2r = {dct2, dct4};
  problem.axes = {0, 1};
  problem.dimensions = {{6, 10, 10}, {10, 1, 1}};
  gpu::TransformRecipe recipe;
  for (const auto& part : gpu::parts_of(problem))
    recipe.parts.push_back(gpu::candidates(part, {}).front());
  const std::string text = to_text(recipe, problem);
  const auto texts = gpu::part_texts(text, problem);
  ASSERT_EQ(texts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(gpu::parse_recipe(texts[i]), recipe.parts[i]);
  EXPECT_THROW(gpu::part_texts(texts[0], problem), Error);
  EXPECT_THROW(gpu::part_texts("r2r: " + texts[0], problem), Error);
  EXPECT_THROW(gpu::part_texts(text + " || " + texts[0], problem), Error);
  EXPECT_EQ(gpu::cost_of(recipe, problem, {}).passes,
            static_cast<int>(4 + recipe.parts[0].passes.size() + recipe.parts[1].passes.size()));
  EXPECT_NE(explain(recipe, problem, {}).find("axis 1: dct4"), std::string::npos);
}

}  // namespace
}  // namespace weft::test
