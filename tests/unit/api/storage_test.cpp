// SPDX-License-Identifier: BSD-3-Clause
// Where numbers lie: split arrays, one memory for both sides, memory of the caller.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>

#include "refused.hpp"
#include "support/run_plan.hpp"
#include "weft/cuda.hpp"
#include "weft/weft.hpp"

namespace weft::test {
namespace {

using C = std::complex<double>;

std::vector<C> random_numbers(std::size_t count) {
  std::vector<C> list;
  for (const LongComplex& v : random_field({static_cast<Index>(count)}, true, 5).values)
    list.emplace_back(static_cast<double>(v.real()), static_cast<double>(v.imag()));
  return list;
}

/// In one precision and on one engine the numbers must be equal to the last bit, wherever they lie.
double largest_difference(const std::vector<C>& a, const std::vector<C>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(SplitArrays, HoldTheSameNumbers) {
  for (const std::vector<Index>& shape :
       std::vector<std::vector<Index>>{{1}, {8}, {17}, {6, 10}, {1009}, {8192}, {70000}, {33, 32}})
    for (const Kind kind : {Kind::c2c, Kind::r2c, Kind::c2r})
      for (const bool split_in : {false, true})
        for (const bool split_out : {false, true}) {
          if ((kind == Kind::r2c && split_in) || (kind == Kind::c2r && split_out)) continue;
          Transform transform = kind == Kind::c2c   ? c2c(shape)
                                : kind == Kind::r2c ? r2c(shape)
                                                    : c2r(shape);
          transform.axes.resize(shape.size());
          for (std::size_t d = 0; d < shape.size(); ++d) transform.axes[d] = static_cast<int>(d);
          RunOptions options;
          if (split_in) options.input.storage = ComplexStorage::split;
          if (split_out) options.output.storage = ComplexStorage::split;
          std::vector<Index> in_shape = shape;
          if (kind == Kind::c2r) in_shape.back() = in_shape.back() / 2 + 1;
          const Field input = rounded(random_field(in_shape, kind != Kind::r2c, 9), Precision::f64);
          const RunResult result = run_plan(transform, input, options);
          EXPECT_LT(relative_error(result.output, expected(transform, input)),
                    tolerance(Precision::f64, 100000))
              << result.recipe;
          EXPECT_TRUE(result.guards_intact && result.input_kept) << result.recipe;
        }
}

TEST(SplitArrays, MayBeInterleavedAfterAll) {
  const std::vector<C> x = random_numbers(24);
  std::vector<C> y(24), wanted(24);
  Plan(c2c({4, 6})).execute(x, wanted);
  const Layout layout{.strides = {12, 2}, .storage = ComplexStorage::split};
  const Plan plan(c2c({4, 6}), layout, layout);
  const auto* in = reinterpret_cast<const double*>(x.data());
  auto* out = reinterpret_cast<double*>(y.data());
  plan.execute(SplitArray{in, in + 1}, SplitArray{out, out + 1});
  EXPECT_LT(largest_difference(y, wanted), 1e-13);
  y = x;
  plan.execute(SplitArray{out, out + 1}, SplitArray{out, out + 1});
  EXPECT_LT(largest_difference(y, wanted), 1e-13);
}

TEST(SplitArrays, AreCheckedAtExecution) {
  const Layout split{.storage = ComplexStorage::split};
  const Plan plan(c2c({8}), split, split);
  std::vector<double> memory(64);
  double *a = memory.data(), *b = a + 16, *c = a + 32, *d = a + 48;
  C* whole = reinterpret_cast<C*>(c);
  std::vector<float> single(64);
  EXPECT_NO_THROW(plan.execute(SplitArray{a, b}, SplitArray{c, d}));
  expect_error([&] { plan.execute(SplitArray{a, b}, whole); }, "SplitArray");
  expect_error([&] { plan.execute(whole, whole); }, "SplitArray");
  expect_error([&] { plan.execute(SplitArray{a, b}, SplitArray{c, c}); }, "parts of the output");
  expect_error([&] { plan.execute(SplitArray{a, b}, SplitArray{c, c + 7}); },
               "parts of the output");
  expect_error([&] { plan.execute(SplitArray{a, b}, SplitArray{b, a}); }, "share memory");
  expect_error([&] { plan.execute(SplitArray{a, b}, SplitArray{a + 1, d}); }, "share memory");
  expect_error(
      [&] { plan.execute(SplitArray{a, b}, SplitArray{c, static_cast<double*>(nullptr)}); },
      "SplitArray");
  expect_error(
      [&] { plan.execute(SplitArray{single.data(), single.data() + 8}, SplitArray{c, d}); }, "f32");
  EXPECT_NO_THROW(plan.execute(SplitArray{a, b}, SplitArray{a, b})) << "in place";
  EXPECT_NO_THROW(plan.execute(SplitArray{a, a}, SplitArray{c, d})) << "inputs may be the same";
  const Plan usual(c2c({8}));
  expect_error([&] { usual.execute(SplitArray{a, b}, whole); }, "not split");
  expect_error([&] { Plan(r2c({8}), split, Layout{}); }, "input is real");
  expect_error([&] { Plan(c2r({8}), Layout{}, split); }, "output is real");
}

/// Runs a transform from one memory to the same memory.
std::vector<C> in_one_memory(const Transform& transform, const Layout& in, const Layout& out,
                             std::vector<C> memory, int threads = 1) {
  const Plan plan(transform, in, out, {.threads = threads, .in_place = true});
  plan.execute(memory.data(), memory.data());
  return memory;
}

TEST(InPlace, TransposesOnTheWay) {
  for (const auto& [rows, columns] :
       {std::pair<Index, Index>{4, 4}, {5, 7}, {1, 9}, {64, 48}, {33, 2}})
    for (const std::vector<int>& axes : std::vector<std::vector<int>>{{0}, {1}, {0, 1}, {}})
      for (const int threads : {1, 2}) {
        const std::vector<C> x = random_numbers(static_cast<std::size_t>(rows * columns));
        const Transform transform =
            c2c({rows, columns}, {.axes = axes, .empty_axes = EmptyAxes::none});
        const Layout transposed{{1, rows}};
        std::vector<C> wanted(x.size());
        Plan(transform, {}, transposed).execute(x, wanted);
        EXPECT_LT(largest_difference(in_one_memory(transform, {}, transposed, x, threads), wanted),
                  1e-12);
      }
}

/// FFTW's problem of n = 10, 4 lines, stride 4, distance 1: real lines interleaved.
TEST(InPlace, RealLinesMayBeInterleaved) {
  const Layout real{{1, 4}}, complex{{1, 4}};  // lines, points
  std::vector<double> memory(2 * 4 * 6);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i * i % 17);
  const std::vector<double> before = memory;
  const Plan apart(r2c({4, 10}, {.axes = {1}}), real, complex);
  std::vector<C> wanted(4 * 6);
  apart.execute(before.data(), wanted.data());
  auto* spectrum = reinterpret_cast<C*>(memory.data());
  expect_error([&] { apart.execute(memory.data(), spectrum); }, "PlanOptions::in_place");
  const Plan forward(r2c({4, 10}, {.axes = {1}}), real, complex, {.in_place = true});
  forward.execute(memory.data(), spectrum);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_LT(std::abs(spectrum[i] - wanted[i]), 1e-12);
  const Plan backward(inverse(forward.transform()), complex, real, {.in_place = true});
  backward.execute(spectrum, memory.data());
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(memory[i], 10 * before[i], 1e-11);
}

TEST(InPlace, CostsNothingWhereItCostNothing) {
  const Plan asked(c2c({64, 64}), {.in_place = true}), usual(c2c({64, 64}));
  EXPECT_EQ(asked.workspace_bytes(), usual.workspace_bytes());
  EXPECT_EQ(asked.recipe(), usual.recipe());
  const Plan transposed(c2c({64, 64}, {.axes = {1}}), {}, Layout{{1, 64}}, {.in_place = true});
  EXPECT_GE(transposed.workspace_bytes(), 64u * 64 * sizeof(C));
  EXPECT_NE(transposed.tree().find("copy of the input"), std::string::npos);
  std::vector<C> x(64 * 64 + 5);
  expect_error([&] { asked.execute(x.data(), x.data() + 5); }, "share memory");
  EXPECT_NO_THROW(transposed.execute(x.data(), x.data() + 5)) << "it works in a copy";
}

TEST(InPlace, SplitArraysToo) {
  const Index rows = 6, columns = 10;
  const std::vector<C> x = random_numbers(60);
  std::vector<C> wanted(60);
  Plan(c2c({rows, columns}), {}, Layout{{1, rows}}).execute(x, wanted);
  std::vector<double> re, im;
  for (const C& v : x) {
    re.push_back(v.real());
    im.push_back(v.imag());
  }
  const Plan plan(c2c({rows, columns}), Layout{.storage = ComplexStorage::split},
                  Layout{{1, rows}, ComplexStorage::split}, {.in_place = true});
  plan.execute(SplitArray{re.data(), im.data()}, SplitArray{re.data(), im.data()});
  for (std::size_t i = 0; i < 60; ++i) EXPECT_LT(std::abs(C(re[i], im[i]) - wanted[i]), 1e-12);
}

TEST(WorkspaceOfTheCaller, IsUsedAndNotFreed) {
  const Plan plan(c2r({12, 10}));
  aligned_vector<std::byte> memory(plan.workspace_bytes() + 64, std::byte{0x5a});
  Workspace workspace(memory.data(), plan.workspace_bytes());
  Workspace moved = std::move(workspace);
  EXPECT_EQ(workspace.bytes(), 0u);
  std::vector<C> x(12 * 6, C(1, 0));
  std::vector<double> y(120), wanted(120);
  plan.execute(x, y, moved);
  plan.execute(x, wanted);
  EXPECT_EQ(y, wanted);
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(memory[plan.workspace_bytes() + i], std::byte{0x5a});
  expect_error([&] { Workspace(memory.data() + 8, 64); }, "multiple of 64");
  expect_error([] { Workspace(nullptr, 64); }, "null pointer");
  Workspace small(memory.data(), 64);
  expect_error([&] { plan.execute(x, y, small); }, "the plan needs");
}

TEST(WorkspaceOfTheCaller, OnADeviceIsCheckedToo) {
  alignas(256) static char memory[1024];  // only its address matters here
  const cuda::Workspace workspace(memory, 512);
  EXPECT_EQ(workspace.data(), memory);
  EXPECT_EQ(workspace.bytes(), 512u);
  expect_error([] { cuda::Workspace(memory + 64, 64); }, "aligned to 256");
  expect_error([] { cuda::Workspace(nullptr, 64); }, "null pointer");
}

TEST(AlignedMemory, IsAligned) {
  for (std::size_t count : {1u, 3u, 100u}) {
    const aligned_vector<float> memory(count);
    EXPECT_TRUE(is_aligned(memory.data()));
    EXPECT_FALSE(is_aligned(memory.data() + 1));
  }
  EXPECT_THROW(AlignedAllocator<double>().allocate(static_cast<std::size_t>(-1) / 4),
               std::bad_array_new_length);
}

}  // namespace
}  // namespace weft::test
