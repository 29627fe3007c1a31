// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "../rounding.hpp"
#include "fabric/systolic/array.hpp"
#include "fabric/systolic/transform.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {
namespace {

using Place = std::pair<int, int>;

std::vector<AbelianGroup> some_groups() {
  return {{{1}}, {{2}}, {{5}}, {{8}}, {{12}}, {{4, 2, 2}}, {{3, 5}}, {{2, 2, 2, 2}}, {{4, 4, 4}}};
}

SystolicArray<Place> numbered(const AbelianGroup& group) {
  SystolicArray<Place> array(group);
  for (int j = 0; j < array.cells(); ++j)
    for (int i = 0; i < array.cells(); ++i) array.at(j, i) = {j, i};
  return array;
}

TEST(SystolicArray, TransposesOverAnyAbelianGroup) {
  for (const AbelianGroup& group : some_groups()) {
    SystolicArray<Place> array = numbered(group);
    array.transpose();
    for (int j = 0; j < array.cells(); ++j)
      for (int i = 0; i < array.cells(); ++i) ASSERT_EQ(array.at(j, i), Place(i, j));
  }
}

TEST(SystolicArray, MaskedSkewingIsSkewingInLogarithmicallyManySweeps) {
  for (const AbelianGroup& group : some_groups())
    for (const int sign : {1, -1}) {
      SystolicArray<Place> masked = numbered(group);
      SystolicArray<Place> plain = numbered(group);
      SystolicCount count;
      masked.masked_skew(sign, count);
      sign > 0 ? plain.pre_skew() : plain.re_skew();
      int sweeps = 0;
      for (const int side : group.moduli)
        for (int bit = 1; bit < side; bit *= 2) ++sweeps;
      EXPECT_EQ(count.row_moves, std::int64_t{sweeps} * group.order());
      for (int j = 0; j < masked.cells(); ++j)
        for (int i = 0; i < masked.cells(); ++i) ASSERT_EQ(masked.at(j, i), plain.at(j, i));
    }
}

TEST(SystolicArray, ShiftsHopByHopAsOftenAsTheCountSays) {
  for (const AbelianGroup& group : some_groups()) {
    SystolicArray<Place> array = numbered(group);
    SystolicCount count;
    std::int64_t moved = 0;
    int longest = 0;  // the way of one block in one step, in links
    array.watch([&](const SystolicStep& step) {
      if (step.kind != SystolicStep::Kind::shift) return;
      moved += static_cast<std::int64_t>(step.moves.size());
      for (const auto& [from, to] : step.moves)
        longest = std::max(longest, group.distance(group.add(to % array.cells(),
                                                             group.negate(from % array.cells()))));
    });
    array.row_shift(count);
    const SystolicCount expected = row_shift_count(group);
    EXPECT_EQ(count.row_hops, expected.row_hops);
    EXPECT_EQ(count.shift_instructions, expected.shift_instructions);
    EXPECT_EQ(moved, expected.row_hops * array.cells());
    EXPECT_EQ(longest, array.cells() > 1 ? 1 : 0);
  }
}

TEST(RowShift, CountsTheHopsOfThePaper) {
  const auto hops = [](int a, int b, int c) { return row_shift_count(AbelianGroup{{a, b, c}}); };
  EXPECT_EQ(hops(8, 2, 2).row_hops, 96);
  EXPECT_EQ(hops(8, 4, 4).row_hops, 512);
  EXPECT_EQ(hops(8, 8, 4).row_hops, 1280);
  EXPECT_EQ(hops(8, 8, 8).row_hops, 3072);
  EXPECT_EQ(hops(8, 2, 2).shift_instructions, 9);
  EXPECT_EQ(hops(8, 4, 4).shift_instructions, 13);
  EXPECT_EQ(hops(8, 8, 4).shift_instructions, 17);
  EXPECT_EQ(hops(8, 8, 8).shift_instructions, 21);
  for (const auto& sides : {std::vector<int>{8, 8, 8}, {8, 4, 4}, {3, 5, 7}}) {  // Eq. (3)
    const AbelianGroup torus{sides};
    EXPECT_EQ(2 * ring_cost(torus), torus.order() * (sides[0] + sides[1] + sides[2] + 3));
  }
}

TEST(RowShift, StridesOfARingNeedFarFewerShifts) {
  // {1} is the plain ring; two strides take about 2 sqrt(p) shifts, powers of two log2(p).
  const std::pair<std::vector<int>, int> cases[] = {
      {{1}, 63}, {{1, 8}, 14}, {{1, 4, 16}, 9}, {{1, 2, 4, 8, 16, 32}, 6}, {{1, 5, 11}, 4 + 2 + 5}};
  for (const auto& [strides, shifts] : cases) {
    SystolicArray<Place> array = numbered(AbelianGroup{{64}});
    SystolicCount count;
    array.pre_skew();
    array.row_shift_by(strides, count);
    array.re_skew();
    EXPECT_EQ(count.shift_instructions, shifts);
    EXPECT_EQ(count.row_hops, 64 * 63 / 2);  // what rows travel does not depend on it
    for (int j = 0; j < 64; ++j)
      for (int i = 0; i < 64; ++i) ASSERT_EQ(array.at(j, i), Place(i, j));
  }
}

std::vector<Complex> random_numbers(std::size_t count) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> numbers(count);
  for (Complex& number : numbers) number = {uniform(generator), uniform(generator)};
  return numbers;
}

std::vector<Complex> by_plan(const std::vector<Complex>& input, std::vector<Index> shape) {
  std::vector<Complex> output(input.size());
  Plan(c2c(std::move(shape))).execute(input.data(), output.data());
  return output;
}

TEST(SystolicFft, MaskedSkewsAndStridesGiveTheSameNumbers) {
  const std::vector<Complex> matrix = random_numbers(24 * 36);
  const std::vector<Complex> expected = by_plan(matrix, {24, 36});
  for (const int p : {1, 6, 12}) {
    SystolicProblem problem{.rows = 24, .columns = 36, .cells = AbelianGroup{{p}}};
    problem.skewing = Skewing::masked;
    if (p == 12) problem.strides = {1, 4};
    const SystolicRun<double> run = systolic_fft<double>(matrix, problem);
    EXPECT_LT(relative_difference(run.numbers, expected), two_roundings(matrix.size()));
    EXPECT_EQ(run.transpositions, 2);
    if (p == 12) {
      EXPECT_EQ(run.count.row_moves, 2 * 2 * 4 * 12);
    }
  }
  std::vector<std::complex<float>> single(matrix.begin(), matrix.end());
  const auto run = systolic_fft<float>(
      single,
      {.rows = 24, .columns = 36, .cells = AbelianGroup{{3, 2}}, .skewing = Skewing::masked});
  EXPECT_LT(relative_difference({run.numbers.begin(), run.numbers.end()}, expected),
            two_roundings(matrix.size(), 0x1p-24));
}

TEST(SystolicFft, OneLineOnTheRingInNaturalOrder) {
  for (const auto& [rows, columns, p] : {std::tuple{12, 20, 4}, {8, 8, 8}, {5, 5, 5}, {6, 9, 1}}) {
    const std::vector<Complex> line = random_numbers(static_cast<std::size_t>(rows * columns));
    const auto run = systolic_fft<double>(line, {.rows = rows,
                                                 .columns = columns,
                                                 .cells = AbelianGroup{{p}},
                                                 .layout = Layout2d::transposed,
                                                 .skewing = Skewing::masked,
                                                 .one_line = true});
    EXPECT_LT(relative_difference(run.numbers, by_plan(line, {rows * columns})),
              two_roundings(line.size()));
    EXPECT_EQ(run.transpositions, 1);
  }
}

TEST(SystolicFft, RefusesStridesThatReachNotEveryRow) {
  const std::vector<Complex> matrix = random_numbers(64);
  for (const std::vector<int>& strides : {std::vector<int>{2, 4}, {1, 4, 3}, {1, 9}})
    EXPECT_THROW(
        systolic_fft<double>(
            matrix, {.rows = 8, .columns = 8, .cells = AbelianGroup{{8}}, .strides = strides}),
        Error);
  EXPECT_THROW(
      systolic_fft<double>(
          matrix, {.rows = 8, .columns = 8, .cells = AbelianGroup{{4, 2}}, .strides = {1, 2}}),
      Error);
}

TEST(SystolicFft, TwoDimensionsOnRingTorusAndHypercube) {
  const std::vector<Complex> matrix = random_numbers(16 * 24);
  const std::vector<Complex> expected = by_plan(matrix, {16, 24});
  for (const AbelianGroup& cells :
       {AbelianGroup{{8}}, AbelianGroup{{2, 2, 2}}, AbelianGroup{{4, 2}}}) {
    EXPECT_LT(
        relative_difference(systolic_fft_2d(matrix, 16, 24, cells, Layout2d::restored), expected),
        two_roundings(matrix.size()));
    const auto transposed = systolic_fft_2d(matrix, 16, 24, cells, Layout2d::transposed);
    std::vector<Complex> back(transposed.size());
    for (std::size_t k = 0; k < back.size(); ++k) back[k % 16 * 24 + k / 16] = transposed[k];
    EXPECT_LT(relative_difference(back, expected), two_roundings(matrix.size()));
  }
}

TEST(SystolicFft, PhasesReplaceThreeSkews) {
  for (const int p : {2, 3, 8, 16}) {
    const std::vector<Complex> matrix = random_numbers(static_cast<std::size_t>(p * p));
    EXPECT_LT(relative_difference(systolic_fft_2d_by_phases(matrix, p), by_plan(matrix, {p, p})),
              two_roundings(matrix.size()));
  }
}

TEST(SystolicFft, FourDimensionsComeBackRotated) {
  const int p = 4;
  const std::vector<Complex> field = random_numbers(256);
  const std::vector<Complex> result = systolic_fft_4d(field, p);
  const std::vector<Complex> expected = by_plan(field, {p, p, p, p});
  std::vector<Complex> back(result.size());
  for (int x0 = 0; x0 < p; ++x0)
    for (int x1 = 0; x1 < p; ++x1)
      for (int x2 = 0; x2 < p; ++x2)
        for (int x3 = 0; x3 < p; ++x3)
          back[static_cast<std::size_t>(((x0 * p + x1) * p + x2) * p + x3)] =
              result[static_cast<std::size_t>(((x1 * p + x2) * p + x0) * p + x3)];
  EXPECT_LT(relative_difference(back, expected), two_roundings(field.size()));
}

SystolicMachine ape(const char* name) { return systolic_of(load_machine(name)); }

TEST(SystolicTime, ScalesAsPublished) {  // A1: t ~ p^-0.76 for 2048 x 2048
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const char* name : {"ape100-q4", "ape100-qh1", "ape100-qh2", "ape100-qh4"}) {
    const double x = std::log(ape(name).nodes());
    const double y = std::log(transposition_time(ape(name), 2048).shift_s);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  EXPECT_NEAR((4 * sxy - sx * sy) / (4 * sxx - sx * sx), -0.76, 0.03);
}

TEST(SystolicTime, ReachesThePublishedShareOfPeak) {  // A2
  const SystolicMachine machine = ape("ape100-qh4");
  const double flops = 5.0 * 8192 * 8192 * 26;
  const auto share = [&](int transpositions) {
    const SystolicTime time = fft_2d_time(machine, 8192, transpositions);
    return 100 * flops / (time.compute_s + time.transposition()) / peak_flops(machine);
  };
  const double of_4_s = 100 * flops / 4 / peak_flops(machine);  // printed: 4 s, and "about 6 %"
  EXPECT_NEAR(share(1), of_4_s, 0.3);
  EXPECT_NEAR(share(2), 6, 0.5);
}

TEST(SystolicTime, SmallAndLargeMachinesCrossNear1024) {  // A3
  int crossing = 0;
  for (int n = 512; n <= 4096 && crossing == 0; n += 16)
    if (transposition_time(ape("ape100-qh4"), n).transposition() <
        transposition_time(ape("ape100-q4"), n).transposition())
      crossing = n;
  EXPECT_GE(crossing, 800);
  EXPECT_LE(crossing, 1300);
}

}  // namespace
}  // namespace weft::fabric
