// SPDX-License-Identifier: BSD-3-Clause
// Random arrays of every form (dimensions, axes, padded, permuted and negative strides, batches,
// kinds, directions, normalizations, in place and out of place, threads), compared with the
// reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "support/local_cases.hpp"
#include "unit/local/check.hpp"

namespace weft::test {
namespace {

TEST(RandomArrays, MatchTheOracle) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const LocalCase c = random_local_case(seed);
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
