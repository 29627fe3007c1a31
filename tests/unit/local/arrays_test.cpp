// SPDX-License-Identifier: BSD-3-Clause
// Arrays of every form: dimensions, axes, strides (padded, permuted, negative), batches, kinds,
// directions, normalisations, in place and out of place, threads: at random, against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "unit/local/check.hpp"

namespace weft::test {
namespace {

/// Strides of a random storage order with gaps; some dimensions run backward.
Layout random_layout(Random& random, const std::vector<Index>& extents) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
  Layout layout{std::vector<Index>(extents.size())};
  Index stride = random.between(1, 3) == 1 ? random.between(1, 3) : 1;
  for (std::size_t d : order) {
    layout.strides[d] = random.between(0, 7) == 0 ? -stride : stride;
    stride = stride * extents[d] + (random.between(0, 1) == 0 ? 0 : random.between(0, 4));
  }
  return layout;
}

struct RandomCase {
  Transform transform;
  RunOptions options;
};

RandomCase random_case(std::uint64_t seed) {
  Random random(seed);
  RandomCase c;
  Transform& t = c.transform;
  t.kind = static_cast<Kind>(random.between(0, 3));
  t.precision = random.between(0, 4) == 0   ? Precision::f16
                : random.between(0, 1) == 0 ? Precision::f32
                                            : Precision::f64;
  const Index ndim = random.between(1, 5);
  const Index most = ndim == 1 ? 300 : ndim == 2 ? 40 : ndim == 3 ? 14 : 6;
  for (Index d = 0; d < ndim; ++d) t.shape.push_back(random.between(1, most));
  std::vector<int> axes(static_cast<std::size_t>(ndim));
  std::iota(axes.begin(), axes.end(), 0);
  for (std::size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1],
              axes[static_cast<std::size_t>(random.between(0, static_cast<Index>(i) - 1))]);
  axes.resize(static_cast<std::size_t>(random.between(1, ndim)));
  t.axes = axes;
  t.direction = random.between(0, 1) == 0 ? Direction::forward : Direction::backward;
  if (t.kind == Kind::r2c) t.direction = Direction::forward;
  if (t.kind == Kind::c2r) t.direction = Direction::backward;
  t.normalization = t.precision == Precision::f16
                        ? Normalization::ortho
                        : static_cast<Normalization>(random.between(0, 3));
  if (t.kind == Kind::r2r)
    for (int axis : t.axes) {
      R2r kind = static_cast<R2r>(random.between(0, 8));
      if (kind == R2r::dct1 && t.shape[static_cast<std::size_t>(axis)] < 2) kind = R2r::dct2;
      t.r2r.push_back(kind);
    }
  std::vector<Index> in = t.shape, out = t.shape;
  const auto last = static_cast<std::size_t>(t.axes.back());
  if (t.kind == Kind::c2r) in[last] = in[last] / 2 + 1;
  if (t.kind == Kind::r2c) out[last] = out[last] / 2 + 1;
  if (random.between(0, 3) > 0) c.options.input = random_layout(random, in);
  if (random.between(0, 3) > 0) c.options.output = random_layout(random, out);
  c.options.plan.threads = static_cast<int>(random.between(1, 3));
  if ((t.kind == Kind::c2c || t.kind == Kind::r2r) && random.between(0, 2) == 0) {
    c.options.in_place = true;
    c.options.output = c.options.input;
  }
  return c;
}

TEST(RandomArrays, MatchTheOracle) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const RandomCase c = random_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_close(c.transform, seed, c.options);
  }
}

TEST(RealInPlace, PaddedRowsInEveryDimension) {
  for (const std::vector<Index>& shape :
       {std::vector<Index>{30}, {31}, {7, 30}, {7, 31}, {5, 6, 16}, {5, 6, 17}, {4, 3, 5, 8}}) {
    const Index n = shape.back(), padded = 2 * (n / 2 + 1);
    Layout real{std::vector<Index>(shape.size(), 1)}, complex{std::vector<Index>(shape.size(), 1)};
    for (std::size_t d = shape.size() - 1; d-- > 0;) {
      real.strides[d] = d + 2 == shape.size() ? padded : real.strides[d + 1] * shape[d + 1];
      complex.strides[d] = real.strides[d] / 2;
    }
    expect_close(r2c(shape), 1, {.input = real, .output = complex, .in_place = true});
    expect_close(c2r(shape), 2, {.input = complex, .output = real, .in_place = true});
  }
}

TEST(ManyDimensions, CubesAndPlanesWithThreads) {
  for (int threads : {1, 2, 3})
    for (bool in_place : {false, true}) {
      expect_close(c2c({32, 48, 64}), 1, {.in_place = in_place, .plan = {.threads = threads}});
      expect_close(c2c({9, 10, 11}, {.direction = Direction::backward,
                                     .normalization = Normalization::backward}),
                   2, {.in_place = in_place, .plan = {.threads = threads}});
      expect_close(c2c({127, 64}, {.precision = Precision::f32}), 3,
                   {.in_place = in_place, .plan = {.threads = threads}});
      expect_close(c2c({3, 1, 5, 1, 4}), 4, {.in_place = in_place, .plan = {.threads = threads}});
    }
  expect_close(r2c({20, 30, 40}), 5, {.plan = {.threads = 2}});
  expect_close(c2r({20, 30, 41}), 6, {.plan = {.threads = 2}});
}

TEST(Columns, OfAMatrixRunSideBySide) {
  for (Index n : {16, 60, 100, 128, 512})
    for (Index columns : {1, 3, 4, 7, 16, 33, 64})
      expect_close(c2c({n, columns}, {.axes = {0}}), 9);
}

TEST(Effort, MeasureAndPatientGiveTheSameNumbers) {
  for (Effort effort : {Effort::measure, Effort::patient}) {
    expect_close(c2c({6, 96}, {.axes = {1}}), 1,
                 {.plan = {.effort = effort, .time_limit_s = 0.5, .use_wisdom = false}});
    expect_close(r2c({16, 20, 24}), 2,
                 {.plan = {.effort = effort, .time_limit_s = 0.5, .use_wisdom = false}});
    expect_close(c2c({1009}), 3,
                 {.plan = {.effort = effort, .time_limit_s = 0.5, .use_wisdom = false}});
  }
}

TEST(Executors, AllGiveTheSameBits) {
  const Transform transform = c2c({24, 40, 36}, {.axes = {0, 1, 2}});
  const Field input = random_field(transform.shape, true, 11);
  const RunResult serial = run_plan(transform, input, {.plan = {.executor = serial_executor()}});
  for (const auto& executor : {openmp_executor(3), thread_executor(1), thread_executor(4)}) {
    const RunResult other = run_plan(transform, input, {.plan = {.executor = executor}});
    EXPECT_EQ(serial.output.values, other.output.values);
  }
}

TEST(SharedPlan, ServesManyThreadsAtOnce) {
  const Plan plan(c2c({50, 60}));
  const Field input = random_field({50, 60}, true, 5);
  std::vector<std::complex<double>> x;
  for (const auto& v : input.values)
    x.emplace_back(static_cast<double>(v.real()), static_cast<double>(v.imag()));
  std::vector<std::complex<double>> first(x.size());
  plan.execute(x.data(), first.data());
  std::vector<std::vector<std::complex<double>>> results(
      4, std::vector<std::complex<double>>(x.size()));
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&plan, &x, &result] {
      Workspace workspace = plan.make_workspace();
      for (int round = 0; round < 20; ++round) plan.execute(x.data(), result.data(), workspace);
    });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, first);
}

}  // namespace
}  // namespace weft::test
