// SPDX-License-Identifier: BSD-3-Clause
// The cost model against recorded times: its first choice must be close to the fastest. Nothing is
// timed here; the machine is a data record.
#include "local/choose/cost_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "local/choose/candidates.hpp"
#include "local/choose/lane_cost.hpp"
#include "tune/wisdom_store.hpp"
#include "unit/local/recorded_on_xeon.hpp"
#include "unit/local/recorded_on_zen4.hpp"
#include "weft/error.hpp"
#include "weft/wisdom.hpp"

namespace weft::local {
namespace {

/// One core of an EPYC of the Zen 4 generation: 512-bit registers, four pipes of 256 bits.
const MachineModel zen4{.l1 = {32 * 1024, 8, 1},
                        .l2 = {1024 * 1024, 8, 1},
                        .l3 = {32.0 * 1024 * 1024, 16, 2},
                        .vector_pipes = 4,
                        .vector_pipes_bytes = 128};
/// A Xeon of the Sapphire Rapids generation with 16 cores; speeds as learn_speeds() measures them.
const MachineModel xeon{
    .l1 = {48 * 1024, 12, 1},
    .l2 = {2048 * 1024, 16, 1},
    .l3 = {300.0 * 1024 * 1024, 20, 16},
    .vector_pipes = 3,
    .vector_pipes_bytes = 128,
    .wide_lanes_in_l3 = 0.2,
    .speeds = {.gigahertz = 2.99, .l3_line = 5.6, .memory_bytes_per_ns = 14, .memory_cores = 8}};

struct Recorded {
  std::string name;
  AxisProblem problem;
  Setting setting;
  std::vector<std::pair<AxisRecipe, double>> times_us;
};

Loop parse_loop(const std::string& text) {
  std::istringstream numbers(text);
  Loop loop;
  char colon = 0;
  numbers >> loop.count >> colon >> loop.in >> colon >> loop.out;
  return loop;
}

Recorded parse_problem(const std::string& line) {
  Recorded result{line, {}, {}, {}};
  std::istringstream words(line);
  std::string kind, precision, place;
  AxisProblem& problem = result.problem;
  words >> kind >> precision >> place >> problem.n >> problem.in_row >> problem.out_row;
  problem.kind = kind == "c2c" ? Kind::c2c : kind == "r2c" ? Kind::r2c : Kind::c2r;
  for (std::string loop; words >> loop;) problem.loops.push_back(parse_loop(loop));
  result.setting.precision = precision == "f64" ? Precision::f64 : Precision::f32;
  result.setting.in_place = place == "in_place";
  return result;
}

std::vector<Recorded> parse_table(const std::string& table) {
  std::vector<Recorded> result;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line[0] != ' ') {
      result.push_back(parse_problem(line));
      continue;
    }
    std::istringstream words(line);
    double time_us = 0;
    std::string recipe;
    words >> time_us >> recipe;
    std::string_view text = recipe;
    result.back().times_us.emplace_back(parse_axis_recipe(text), time_us);
  }
  return result;
}

bool has_vector_kernels() {
  return codelet::find_kernel({.isa = codelet::Isa::avx2, .radix = 4}) != nullptr;
}
bool is_avx512_built() {
  return codelet::find_kernel({.isa = codelet::Isa::avx512, .radix = 4}) != nullptr;
}

/// How many problems were recorded, and for how many the model's first choice takes at most 15 %
/// longer than the fastest.
struct Verdict {
  int problems = 0, good = 0;
};
Verdict judge(const char* table, const MachineModel& machine) {
  Verdict verdict;
  for (const Recorded& recorded : parse_table(table)) {
    const auto& times = recorded.times_us;
    const auto predicted_ns = [&](const auto& entry) {
      return axis_ns(entry.first, recorded.problem, recorded.setting, machine);
    };
    const auto& chosen = *std::ranges::min_element(times, {}, predicted_ns);
    const double best_us =
        std::ranges::min_element(times, {}, [](const auto& entry) { return entry.second; })->second;
    EXPECT_LE(chosen.second, 1.6 * best_us) << recorded.name << ": " << to_text(chosen.first);
    ++verdict.problems;
    verdict.good += chosen.second <= 1.15 * best_us ? 1 : 0;
  }
  return verdict;
}

TEST(CostModel, RanksRecordedCandidatesAsTheirTimesDo) {
  if (!is_avx512_built()) GTEST_SKIP() << "the recorded recipes need the AVX-512 kernels' counts";
  const Verdict on_zen4 = judge(recorded_on_zen4, zen4), on_xeon = judge(recorded_on_xeon, xeon);
  EXPECT_GE(on_zen4.problems + on_xeon.problems, 60);
  EXPECT_GE(10 * (on_zen4.good + on_xeon.good), 9 * (on_zen4.problems + on_xeon.problems))
      << on_zen4.good << " of " << on_zen4.problems << " and " << on_xeon.good << " of "
      << on_xeon.problems;
}

/// n points per transform, `count` transforms of adjacent points, or of adjacent transforms.
AxisProblem rows_of(Index n, Index count) {
  return {.n = n, .in_row = 2, .out_row = 2, .loops = {{count, 2 * n, 2 * n}}};
}
AxisProblem columns_of(Index n, Index count) {
  return {.n = n, .in_row = 2 * count, .out_row = 2 * count, .loops = {{count, 2, 2}}};
}
AxisRecipe choice(const AxisProblem& problem, const Setting& setting, const MachineModel& machine) {
  return axis_candidates(problem, setting, machine).front();
}

TEST(CostModel, ReadsLongLinesInPiecesOfSeveralCacheLines) {
  if (!has_vector_kernels()) GTEST_SKIP() << "a scalar lane is one point";
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const Index n : {Index{1} << 20, Index{1000000}, Index{1} << 22}) {
      const AxisProblem line{.n = n, .in_row = 2, .out_row = 2, .loops = {}};
      const AxisRecipe recipe = choice(line, {.precision = precision}, zen4);
      const int point_bytes = precision == Precision::f64 ? 16 : 8;
      EXPECT_GE(recipe.groups * codelet::lanes(recipe.isa, precision) * point_bytes, 256)
          << to_text(recipe);
    }
}

TEST(CostModel, LeavesLanesAcrossLongRowsAndLongLinesAcrossColumnsAlone) {
  if (!has_vector_kernels()) GTEST_SKIP() << "scalar lanes do as well along rows";
  using Type = AxisRecipe::Type;
  for (const MachineModel& machine : {zen4, xeon})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const int threads : {1, 16}) {
        const Setting setting{.precision = precision, .threads = threads, .workers = threads};
        for (const Index n : {512, 1024, 2048, 4096, 8192})
          EXPECT_NE(choice(rows_of(n, 4096), setting, machine).type, Type::lanes) << n;
        EXPECT_EQ(choice(rows_of(Index{1} << 20, 64), setting, machine).type, Type::large);
        for (const Index n : {512, 4096, 8192})
          EXPECT_EQ(choice(columns_of(n, n), setting, machine).type, Type::lanes) << n;
      }
}

/// 3 columns of 497664 points in f64 take twice as long by lanes on a Zen 5: their scratch is 32
/// MiB.
TEST(CostModel, LeavesLanesWhoseScratchIsInMemoryAlone) {
  if (!has_vector_kernels()) GTEST_SKIP() << "a scalar lane is one point";
  EXPECT_EQ(choice(columns_of(497664, 3), {}, zen4).type, AxisRecipe::Type::large);
}

TEST(CostModel, CountsTheScratchOfAllGroups) {
  const LaneRecipe passes = lane_passes({16, 16, 16});
  const auto cycles = [&](int groups) {
    return lane_cycles(passes, codelet::Isa::avx2, Precision::f64, zen4, {.count = groups});
  };
  EXPECT_GT(cycles(16), cycles(1));  // 8 MiB instead of half a MiB
}

/// While a block of columns is computed, the next one's scratch, the input and the output pass
/// through the second cache: 512 columns of 512 points took 313, 325 and 335 us (f64), 154, 162 and
/// 165 us (f32) with 2, 4 and 8 groups on the Zen 4, 405 and 194 us with one.
TEST(CostModel, MakesGroupsNoLargerThanTheSecondCacheHolds) {
  if (!is_avx512_built()) GTEST_SKIP() << "the recipes need the AVX-512 kernels' counts";
  const AxisProblem columns = columns_of(512, 512);
  for (const Precision precision : {Precision::f32, Precision::f64}) {
    const Setting alone{.precision = precision};
    const auto ns = [&](int groups, const MachineModel& machine) {
      const auto lanes = axis_lanes(codelet::Isa::avx512, lane_passes({8, 8, 8}), groups);
      return axis_ns(lanes, columns, alone, machine);
    };
    EXPECT_LT(ns(2, zen4), 1.05 * ns(4, zen4));
    EXPECT_LT(ns(4, zen4), ns(8, zen4));
    EXPECT_LT(ns(2, zen4), ns(1, zen4));
    EXPECT_LT(ns(4, xeon), ns(8, xeon));  // 1 and 2 MiB pass through its 2 MiB
    // On the Xeon 278, 375, 431 and 435 us (f32), 625, 792, 854 and 853 us (f64) with 1 to 8.
    EXPECT_LT(ns(1, xeon), ns(2, xeon));
    EXPECT_LT(ns(2, xeon), ns(4, xeon));
    MachineModel roomy = zen4;
    roomy.l2.bytes *= 4;
    EXPECT_LT(ns(8, roomy), ns(4, roomy));  // longer pieces, and room for them
    // Columns of a long line: three scratches of 128 KiB per group in f32, the input and the
    // output.
    const AxisProblem line{.n = 1000000, .in_row = 2, .out_row = 2, .loops = {}};
    const Setting threads{.precision = precision, .threads = 8, .workers = 8, .in_place = true};
    EXPECT_LE(choice(line, threads, xeon).groups, 2);
  }
}

/// Rows whose places lie a power of two apart fall into one set of the second cache: 32 of them do
/// not fit into 16 ways, 16 do. One line of 131072 points takes 1.3 times as long by the former.
TEST(CostModel, WritesNoMoreRowsAtOnceThanASetHasWays) {
  if (!is_avx512_built()) GTEST_SKIP() << "the recipes need the AVX-512 kernels' counts";
  const AxisProblem line{.n = 131072, .in_row = 2, .out_row = 2, .loops = {}};
  const auto rows_of_32 =
      axis_four_step(codelet::Isa::avx512, lane_passes({16, 16, 16}), lane_passes({32}));
  const auto rows_of_16 =
      axis_four_step(codelet::Isa::avx512, lane_passes({16, 16, 32}), lane_passes({16}));
  MachineModel zen5 = zen4, roomy = zen4;
  zen5.l2.ways = 16;
  roomy.l2.ways = 64;
  const auto crowded_ns = [&](const AxisRecipe& recipe) {
    return axis_ns(recipe, line, {}, zen5) - axis_ns(recipe, line, {}, roomy);
  };
  EXPECT_GT(crowded_ns(rows_of_32), 0.1 * axis_ns(rows_of_32, line, {}, roomy));
  EXPECT_EQ(crowded_ns(rows_of_16), 0);
  EXPECT_EQ(choice(line, {}, zen5).lane[1].radices.back(), 16);
  const AxisProblem real{.kind = Kind::c2r, .n = 262144, .in_row = 2, .out_row = 1, .loops = {}};
  EXPECT_LE(choice(real, {}, zen5).lane[1].radices.back(), 16);
}

/// 1024x1024 r2c, f64: 1.85 ms with rows stored past the caches, 1.33 ms without.
TEST(CostModel, StoresPastTheCachesWhatIsNotReadAgain) {
  const auto rows = axis_four_step(codelet::Isa::avx2, lane_passes({64}), lane_passes({8}));
  AxisRecipe streamed = rows;
  streamed.stream = true;
  const auto ns = [&](const AxisRecipe& recipe, bool read_again) {
    return axis_ns(recipe, rows_of(512, 1024), {.read_again = read_again}, zen4);
  };
  EXPECT_EQ(ns(rows, true), ns(rows, false));
  // 8 MiB at the bandwidth of memory, less what they take from the third cache; a part is hidden.
  const double longer = 8388608 / zen4.speeds.memory_bytes_per_ns -
                        131072 * zen4.speeds.l3_line / zen4.speeds.gigahertz;
  const double added = ns(streamed, true) - ns(streamed, false);
  EXPECT_LE(added, longer);
  EXPECT_GT(added, 0.5 * longer);
}

TEST(CostModel, KnowsThatAFewLinesKeepAFewThreadsBusy) {
  const AxisProblem one_line{.n = Index{1} << 20, .in_row = 2, .out_row = 2, .loops = {}};
  const auto columns = lane_passes({32, 32}), rows = lane_passes({32, 32});
  const AxisRecipe together = axis_large(codelet::Isa::avx2, columns, rows, 4, false, true);
  const AxisRecipe alone =
      axis_four_step(codelet::Isa::avx2, lane_passes({16, 16, 16, 8}), lane_passes({32}));
  const auto speedup = [&](const AxisRecipe& recipe) {
    return axis_ns(recipe, one_line, {}, xeon) /
           axis_ns(recipe, one_line, {.threads = 16, .workers = 16}, xeon);
  };
  EXPECT_GT(speedup(together), 6);
  EXPECT_LE(speedup(alone), 1.1);
}

TEST(MachineSpeeds, AreTextThatIsCheckedInFull) {
  const MachineSpeeds speeds{
      .gigahertz = 2.5, .l3_line = 7, .memory_bytes_per_ns = 9.5, .memory_cores = 3};
  EXPECT_EQ(parse_speeds(to_text(speeds)), speeds);
  for (const char* text :
       {"", "gigahertz 2.5", "gigahertz fast l3_line 7", "gigahertz -1 l3_line 7",
        "gigahertz 2 l3_line 7 memory_bytes_per_ns 9 memory_cores 3 more"})
    EXPECT_THROW(parse_speeds(text), Error) << text;
}

/// Measured, kept with wisdom, found again; what is damaged is not used.
TEST(MachineSpeeds, AreMeasuredOnceAndKeptWithWisdom) {
  learn_speeds(true);
  EXPECT_EQ(speed_source(), SpeedSource::measured);
  const MachineSpeeds speeds = machine_model().speeds;
  EXPECT_GT(speeds.gigahertz, 0.5);
  EXPECT_GT(speeds.memory_bytes_per_ns, 0);
  const auto kept = tune::find_wisdom("speeds of this machine");
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(*kept, to_text(speeds));
  learn_speeds(true);
  EXPECT_EQ(machine_model().speeds, speeds);
  wisdom::forget();
}

/// A slow third cache makes recipes that sweep it dear, and only those.
TEST(CostModel, RanksByTheMachine) {
  if (!has_vector_kernels()) GTEST_SKIP() << "scalar kernels leave little to choose";
  const AxisProblem line{.n = 65536, .in_row = 2, .out_row = 2, .loops = {}};
  MachineModel slow = zen4;
  slow.speeds.l3_line *= 8;
  slow.speeds.memory_bytes_per_ns /= 8;
  const AxisProblem small = rows_of(64, 16);
  const AxisRecipe recipe = choice(line, {}, zen4), kernel = choice(small, {}, zen4);
  EXPECT_GT(axis_ns(recipe, line, {}, slow), 1.2 * axis_ns(recipe, line, {}, zen4));
  EXPECT_EQ(axis_ns(kernel, small, {}, slow), axis_ns(kernel, small, {}, zen4));
  int differing = 0;
  for (const Index n : {512, 1000, 4096, 10000, 65536, 262144})
    for (const Index count : {1, 16, 256}) {
      differing += choice(rows_of(n, count), {}, zen4) != choice(rows_of(n, count), {}, xeon);
      differing += choice(columns_of(n, count), {}, zen4) != choice(columns_of(n, count), {}, xeon);
    }
  EXPECT_GT(differing, 5);
}

/// As measured on a Zen 5: 2.5 and 5.4, 3.1 and 6.2, 4.3 and 8.6 us.
TEST(CostModel, DoesNotFillOneLaneOfARegisterForAShortPrimeLength) {
  if (!has_vector_kernels()) GTEST_SKIP() << "scalar kernels leave little to choose";
  const std::pair<Index, std::string> ways[] = {
      {257, "rader(257,16.16)"}, {281, "rader(281,20.14)"}, {331, "rader(331,11.6.5)"}};
  for (const auto& [n, way] : ways) {
    const AxisProblem line{.n = n, .in_row = 2, .out_row = 2, .loops = {}};
    const auto price = [&](const char* isa) {
      const std::string text = isa + (":lanes(" + way + ",1)");
      std::string_view rest = text;
      return axis_ns(parse_axis_recipe(rest), line, {}, zen4);
    };
    EXPECT_LT(1.2 * price("scalar"), price("avx2")) << way;
  }
}

/// Sums over all points fill the registers better than passes over lanes of which one is filled.
TEST(CostModel, TakesADenseLineForAShortLengthWithoutAnotherKernel) {
  if (!has_vector_kernels()) GTEST_SKIP() << "scalar kernels leave little to choose";
  for (const Index n : {17, 31, 34, 57, 67, 101, 127, 191}) {
    const AxisProblem line{.n = n, .in_row = 2, .out_row = 2, .loops = {}};
    EXPECT_EQ(choice(line, {}, zen4).type, AxisRecipe::Type::lines)
        << to_text(choice(line, {}, zen4));
  }
}

TEST(CostModel, GivesThreadsTheirShareOfTheMachine) {
  EXPECT_EQ(xeon.l3_share_bytes(1), xeon.l3.bytes);
  EXPECT_EQ(xeon.l3_share_bytes(16), xeon.l3.bytes / 16);
  EXPECT_EQ(xeon.l3_share_bytes(64), xeon.l3.bytes / 16);
  // Beyond the caches, threads in a crowd wait longer than their share of the work.
  const AxisProblem columns = columns_of(4096, 4096);
  const AxisRecipe lanes = axis_lanes(codelet::Isa::avx2, lane_passes({8, 8, 8, 8}));
  const auto ns = [&](int threads) {
    return axis_ns(lanes, columns, {.threads = threads, .workers = threads}, xeon);
  };
  EXPECT_GT(ns(16), ns(1) / 16);
}

}  // namespace
}  // namespace weft::local
