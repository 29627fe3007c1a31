// SPDX-License-Identifier: BSD-3-Clause
// reproducible = true: the same bits for any number of ranks, distribution, storage order and
// exchange.
#include <gtest/gtest.h>

#include <bit>
#include <mutex>
#include <random>

#include "support/distributed_cases.hpp"

namespace weft {
namespace {

using Random = std::mt19937;

std::map<Index, double> all_results(const test::DistributedCase& c) {
  std::mutex mutex;
  std::map<Index, double> all;
  run_as_threads(c.nodes, [&](const Comm& comm) {
    const auto mine = test::results(c, comm);
    const std::lock_guard lock(mutex);
    for (const auto& [index, value] : mine) {
      const auto [place, is_new] = all.emplace(index, value);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(place->second), std::bit_cast<std::uint64_t>(value))
          << "two ranks have different bits for number " << index;
    }
  });
  return all;
}

Index count_differences(const std::map<Index, double>& a, const std::map<Index, double>& b) {
  Index differences = a.size() == b.size() ? 0 : 1;
  for (const auto& [index, value] : a) {
    const auto other = b.find(index);
    differences += other == b.end() || std::bit_cast<std::uint64_t>(other->second) !=
                                           std::bit_cast<std::uint64_t>(value);
  }
  return differences;
}

/// The transform on one rank, stored row by row, and on 1 to 7 ranks in `layouts` random ways.
void compare_layouts(const Transform& transform, int seed, int layouts) {
  test::DistributedCase plain = test::random_layouts(transform, seed, 1);
  const auto whole = [](const std::vector<Index>& shape) {
    return std::vector<LocalBoxes>{{LocalBox{.box = Box::of_shape(shape)}}};
  };
  std::vector<Index> half = transform.shape;
  Index& n = half[static_cast<std::size_t>(transform.axes.back())];
  n = n / 2 + 1;
  plain.input = whole(transform.kind == Kind::c2r ? half : transform.shape);
  plain.output = whole(transform.kind == Kind::r2c ? half : transform.shape);
  plain.any_order = false;
  plain.options = {.reproducible = true, .use_wisdom = false};
  const auto wanted = all_results(plain);
  for (int i = 0; i < layouts; ++i) {
    test::DistributedCase c = test::random_layouts(transform, 1000 * seed + i, 1 + i % 7);
    c.options.reproducible = true;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", layout " + std::to_string(i) + ": " + c.name);
    ASSERT_EQ(count_differences(wanted, all_results(c)), 0);
  }
}

Transform transform_of(Random& random, std::vector<Index> shape, Kind kind) {
  Transform t;
  t.shape = std::move(shape);
  t.kind = kind;
  t.precision = random() % 2 == 0 ? Precision::f64 : Precision::f32;
  if (random() % 8 == 0) t.precision = Precision::f16;
  for (int d = 0; d < static_cast<int>(t.shape.size()); ++d)
    if (random() % 5 > 0) t.axes.push_back(d);
  if (t.axes.empty()) t.axes.push_back(0);
  std::shuffle(t.axes.begin(), t.axes.end(), random);
  t.direction = kind == Kind::c2r || (kind != Kind::r2c && random() % 2 == 0) ? Direction::backward
                                                                              : Direction::forward;
  t.normalization = t.precision == Precision::f16 ? Normalization::ortho
                                                  : static_cast<Normalization>(random() % 4);
  if (kind == Kind::r2r)
    for (std::size_t i = 0; i < t.axes.size(); ++i) t.r2r.push_back(static_cast<R2r>(random() % 9));
  return t;
}

void compare_kind(Kind kind) {
  Random random(static_cast<unsigned>(kind) + 5U);
  const std::vector<std::vector<Index>> shapes{{6, 10, 9},   {12, 8, 15}, {16, 16, 34},
                                               {5, 4, 3, 8}, {36, 17},    {64}};
  int seed = 0;
  for (int round = 0; round < 2; ++round)
    for (const auto& shape : shapes) {
      compare_layouts(transform_of(random, shape, kind), ++seed, 14);
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Reproducible, ComplexTransformsHaveTheSameBitsInEveryLayout) { compare_kind(Kind::c2c); }
TEST(Reproducible, TransformsOfRealsHaveTheSameBitsInEveryLayout) { compare_kind(Kind::r2c); }
TEST(Reproducible, TransformsToRealsHaveTheSameBitsInEveryLayout) { compare_kind(Kind::c2r); }
TEST(Reproducible, RealToRealTransformsHaveTheSameBitsInEveryLayout) { compare_kind(Kind::r2r); }

}  // namespace
}  // namespace weft
