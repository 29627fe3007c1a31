// SPDX-License-Identifier: BSD-3-Clause
// The check whether input and output share memory, compared with a list of all their bytes.
#include "problem/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "problem/request.hpp"

namespace weft {
namespace {

/// Every byte that an array of doubles touches, relative to its first element.
std::set<Index> bytes_touched(const problem::ArrayProblem& problem, bool output, Index start) {
  std::vector<Index> reals{0};
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    const auto& dimension = problem.dimensions[static_cast<std::size_t>(d)];
    std::vector<Index> next;
    for (const Index base : reals)
      for (Index i = 0; i < (output ? problem.out_extent(d) : problem.in_extent(d)); ++i)
        next.push_back(base + i * (output ? dimension.out : dimension.in));
    reals = next;
  }
  std::set<Index> bytes;
  for (const Index real : reals)
    for (Index byte = 0; byte < 8 * (output ? problem.out_width() : problem.in_width()); ++byte)
      bytes.insert(start + 8 * real + byte);
  return bytes;
}

bool share_a_byte(const problem::ArrayProblem& problem, Index distance) {
  const auto in = bytes_touched(problem, false, 0), out = bytes_touched(problem, true, distance);
  return std::ranges::any_of(in, [&](Index byte) { return out.contains(byte); });
}

/// Strides in some order of the axes, each at least as large as what the smaller ones reach.
Layout random_layout(std::mt19937& random, const std::vector<Index>& extents) {
  std::vector<std::size_t> order(extents.size());
  for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
  std::shuffle(order.begin(), order.end(), random);
  Layout layout{std::vector<Index>(extents.size())};
  Index stride = 1 + static_cast<Index>(random() % 3);
  for (const std::size_t d : order) {
    layout.strides[d] = random() % 5 == 0 ? -stride : stride;
    stride = stride * extents[d] + static_cast<Index>(random() % 4);
  }
  return layout;
}

TEST(Overlap, IsNeverMissedAndSeldomImagined) {
  std::mt19937 random(11);
  int disjoint = 0, refused_without_need = 0, certain = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    std::vector<Index> shape(1 + random() % 3);
    for (Index& n : shape) n = 1 + static_cast<Index>(random() % 4);
    const Kind kind = static_cast<Kind>(random() % 3);
    Transform transform = kind == Kind::c2c   ? c2c(shape)
                          : kind == Kind::r2c ? r2c(shape)
                                              : c2r(shape);
    const auto plain = problem::check_request(transform, {}, {}).problem;
    std::vector<Index> in_extents, out_extents;
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
      in_extents.push_back(plain.in_extent(d));
      out_extents.push_back(plain.out_extent(d));
    }
    const auto problem = problem::check_request(transform, random_layout(random, in_extents),
                                                random_layout(random, out_extents))
                             .problem;
    const Index distance = 8 * (static_cast<Index>(random() % 81) - 40);
    if (distance == 0) continue;
    char* in = reinterpret_cast<char*>(std::uintptr_t{1} << 20);  // never read
    const bool refused = problem::overlap_harmfully(problem, in, in + distance);
    const bool shared = share_a_byte(problem, distance);
    const problem::Apartness apartness(problem);
    ASSERT_TRUE(!apartness.is_certain(in, in + distance) || !refused) << "turn " << turn;
    certain += apartness.is_certain(in, in + distance) ? 1 : 0;
    ASSERT_EQ(apartness.is_certain(in, in), !problem::overlap_harmfully(problem, in, in));
    ASSERT_FALSE(apartness.is_certain(in, in + 4096 + 1));
    ASSERT_FALSE(apartness.is_certain(in, nullptr));
    ASSERT_TRUE(refused || !shared) << "turn " << turn;
    disjoint += shared ? 0 : 1;
    refused_without_need += refused && !shared ? 1 : 0;
  }
  EXPECT_GT(disjoint, 500);
  EXPECT_GT(certain, 300);
  EXPECT_LT(30 * refused_without_need, disjoint);
}

TEST(Overlap, ColumnsOfOneTableMayHaveOtherStrides) {
  // Rows of 16 doubles: 6 reals at the start, and their 4 complex results after them.
  const Plan rows(r2c({5, 6}, {.axes = {1}}), Layout{{16, 1}}, Layout{{8, 1}});
  std::vector<double> table(5 * 16, 1.0);
  auto* spectrum = reinterpret_cast<std::complex<double>*>(table.data() + 6);
  EXPECT_NO_THROW(rows.execute(table.data(), spectrum));
  EXPECT_EQ(spectrum[8], std::complex<double>(6));
  EXPECT_EQ(table[16], 1);
  EXPECT_THROW(
      rows.execute(table.data(), reinterpret_cast<std::complex<double>*>(table.data() + 4)), Error);
  // Every other element: the output fills the gaps of the input, in another order.
  const Plan gaps(c2c({4, 3}), Layout{{6, 2}}, Layout{{2, 8}});
  std::vector<std::complex<double>> a(24, 1.0);
  EXPECT_NO_THROW(gaps.execute(a.data(), a.data() + 1));
  EXPECT_THROW(gaps.execute(a.data(), a.data() + 2), Error);
}

}  // namespace
}  // namespace weft
