// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/transposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fabric/wafer/plan_program.hpp"
#include "fabric/wafer/simulator.hpp"

namespace weft::fabric {
namespace {

/// Element i holds x(i, j) at j; afterwards element j holds x(i, j) at i.
LineTraffic transposition(int p, int words) {
  LineTraffic traffic;
  traffic.send = {.extents = {p, 1, 1, 1}, .strides = {words, 0, 0, 0}, .run_words = words};
  traffic.receive = traffic.send;
  return traffic;
}

enum class Kind { paper, segmented };

WaferProgram line_program(Kind kind, int p, int words, int groups, bool column) {
  const int colors = kind == Kind::paper ? 2 : groups + 1;
  WaferProgram program = make_program(column ? 1 : p, column ? p : 1, 1, colors, p * words, {});
  const Line line = column ? column_of(program, 0) : row_of(program, 0);
  if (kind == Kind::paper)
    add_broadcast_filter(program, line, transposition(p, words), 0, 0);
  else
    add_segmented_broadcast(program, line, transposition(p, words), 0, 0, {.groups = groups});
  return program;
}

void expect_transposed(const SimulationResult& result, int p, int words) {
  const auto& received = result.received.at(0);
  ASSERT_EQ(received.size(), static_cast<std::size_t>(p * p * words));
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i)
      for (int w = 0; w < words; ++w)
        ASSERT_EQ(received[static_cast<std::size_t>((j * p + i) * words + w)],
                  static_cast<std::uint32_t>((i * p + j) * words + w))
            << "element " << j << " slot " << i << " word " << w;
}

TEST(BroadcastFilter, DeliversEveryWordOnceToItsPlace) {
  for (const int p : {2, 3, 4, 7, 16, 33})
    for (const int words : {1, 2, 5})
      for (const bool column : {false, true})
        expect_transposed(simulate(line_program(Kind::paper, p, words, 0, column)), p, words);
}

TEST(BroadcastFilter, AllLevelsAgreeToTheCycleInOneDirection) {
  for (const int p : {2, 3, 5, 16, 31, 64})
    for (const int words : {1, 2, 16}) {
      WaferProgram program = make_program(p, 1, 1, 2, p * words, {});
      add_broadcast_filter(program, row_of(program, 0), transposition(p, words), 0, 0,
                           Streams::up_only);
      const SimulationResult result = simulate(program);
      EXPECT_EQ(result.cycles, broadcast_filter_cycles(p, words, program.rules))
          << p << " " << words;
      EXPECT_EQ(result.phase_done, broadcast_filter_runs(p, words, program.rules, Streams::up_only))
          << p << " " << words;
    }
}

TEST(BroadcastFilter, TwoDirectionsOnlyMeetAtTheRamps) {
  for (const int p : {4, 16, 30, 64})  // odd: the middle element sends in both directions at once
    for (const int words : {1, 2, 16}) {
      const WaferProgram program = line_program(Kind::paper, p, words, 0, false);
      const SimulationResult result = simulate(program);
      const Cycle alone = broadcast_filter_cycles(p, words, program.rules);
      EXPECT_GE(result.cycles, alone);
      EXPECT_LE(result.cycles, alone + std::min<std::uint64_t>(result.ramp_stalls, p));
    }
}

TEST(BroadcastFilter, StaysWithinTheTolerancesOfEquations3And4) {
  for (const int n : {32, 64, 128})
    for (const int r : {1, 2}) {
      const double equation = n * (n - 1) / 2.0 * r + 30.0 * (n - 1);
      const SimulationResult result = simulate(line_program(Kind::paper, n, r, 0, false));
      EXPECT_NEAR(static_cast<double>(result.cycles), equation, n + 20);
    }
}

TEST(BroadcastFilter, LoadsTheLastLinkWithAllMessages) {
  const int p = 20;
  const SimulationResult result = simulate(line_program(Kind::paper, p, 2, 0, false));
  const auto last = static_cast<std::size_t>((p - 2) * link_count + static_cast<int>(Port::east));
  EXPECT_EQ(result.link_words[last], static_cast<std::uint64_t>(p * (p - 1) + p - 2));
}

TEST(SegmentedBroadcast, DeliversEveryWordOnceToItsPlaceAndRearms) {
  for (const int p : {2, 3, 8, 12, 25, 32})
    for (const int words : {1, 2, 8})
      for (const int groups : {1, 2, 3, 4})
        for (const bool column : {false, true}) {
          if (groups > p) continue;
          const SimulationResult result =
              simulate(line_program(Kind::segmented, p, words, groups, column));
          expect_transposed(result, p, words);
          EXPECT_TRUE(result.rearmed) << p << " " << words << " " << groups;
        }
}

TEST(SegmentedBroadcast, NeedsOneColorMoreThanGroups) {
  const ProgramCensus used = census(line_program(Kind::segmented, 64, 2, 8, false));
  EXPECT_EQ(used.colors, 9);
  EXPECT_EQ(used.filters, 2);
  EXPECT_EQ(used.switch_positions, 2);
  EXPECT_EQ(used.output_queues, 2);
}

TEST(SegmentedBroadcast, ReachesItsLoadAndNeverTheBound) {
  for (const int p : {64, 96, 128})
    for (const int words : {1, 2})
      for (const int groups : {2, 4, 8}) {
        const SimulationResult result =
            simulate(line_program(Kind::segmented, p, words, groups, false));
        const auto busiest = *std::ranges::max_element(result.link_words);
        EXPECT_EQ(static_cast<std::int64_t>(busiest), segmented_broadcast_load(p, words, groups));
        EXPECT_GE(static_cast<std::int64_t>(result.cycles), line_alltoall_bound(p, words));
        // The set-up of the first block, both ramps, and for every position a hop and a hand-over.
        const Cycle at_most = busiest + SegmentedBroadcast{}.setup_cycles +
                              2 * WaferRules{}.ramp_cycles + static_cast<Cycle>(2 * p);
        EXPECT_LE(result.cycles, at_most) << p << " " << words << " " << groups;
      }
}

TEST(SegmentedBroadcast, ServesHalfOfTheDestinations) {
  const int p = 16;
  for (const int first : {0, 1}) {
    WaferProgram program = make_program(p, 1, 1, 5, p * 2, {});
    LineTraffic traffic;
    traffic.send = {.extents = {p / 2, 1, 1, 1}, .strides = {4, 0, 0, 0}, .run_words = 2};
    traffic.receive = {.extents = {p, 1, 1, 1}, .strides = {2, 0, 0, 0}, .run_words = 2};
    traffic.destinations = {first, 2};
    add_segmented_broadcast(program, row_of(program, 0), traffic, 0, 0, {.groups = 4});
    const SimulationResult result = simulate(program);
    int words = 0;
    for (int j = first; j < p; j += 2)
      for (int i = 0; i < p; ++i, ++words)
        EXPECT_EQ(result.received[0][static_cast<std::size_t>((j * p + i) * 2)],
                  static_cast<std::uint32_t>(i * p * 2 + (j - first) * 2));
    EXPECT_EQ(words, p * p / 2);
    EXPECT_TRUE(result.rearmed);
  }
}

TEST(SegmentedBroadcast, SendsInTwoRounds) {
  for (const int p : {8, 12, 32})
    for (const int groups : {1, 2, 4})
      for (const Cycle later : {Cycle{0}, Cycle{5000}}) {
        WaferProgram program = make_program(p, 1, 1, groups + 1, 2 * p, {});
        LineTraffic traffic = transposition(p, 2);  // even destinations in front, odd ones behind
        traffic.send_later = traffic.send;
        traffic.send_later->base = p;
        add_segmented_broadcast(program, row_of(program, 0), traffic, 0, 0,
                                {.groups = groups, .later_cycles = later});
        const SimulationResult result = simulate(program);
        for (int j = 0; j < p; ++j)
          for (int i = 0; i < p; ++i)
            ASSERT_EQ(result.received[0][static_cast<std::size_t>((j * p + i) * 2)],
                      static_cast<std::uint32_t>(i * p * 2 + j % 2 * p + j / 2 * 2))
                << p << " " << groups << " element " << j << " from " << i;
        EXPECT_TRUE(result.rearmed);
        EXPECT_GE(result.cycles, later);
        EXPECT_EQ(census(program).filters, p > 2 ? 2 : 1);
      }
}

/// One of four destinations first, the other three later.
TEST(SegmentedBroadcast, SendsAQuarterFirst) {
  for (const int p : {8, 16, 40})
    for (const int groups : {1, 2, 5})
      for (const bool timed : {false, true})
        for (const Cycle later : {Cycle{0}, Cycle{3000}}) {
          if (groups > p / 8) continue;
          WaferProgram program = make_program(p, 1, 1, groups + 1, 2 * p, {});
          LineTraffic traffic = transposition(p, 2);  // four parts, one after another
          traffic.cycle = 4;
          traffic.send.strides = {2, 0, 0, 0};
          traffic.send_later = traffic.send;
          traffic.send_later->base = p / 4 * 2;
          traffic.send_later->strides[1] = p / 4 * 2;
          add_segmented_broadcast(program, row_of(program, 0), traffic, 0, 0,
                                  {.groups = groups, .later_cycles = later, .timed = timed});
          const SimulationResult result = simulate(program);
          for (int j = 0; j < p; ++j)
            for (int i = 0; i < p; ++i)
              ASSERT_EQ(result.received[0][static_cast<std::size_t>((j * p + i) * 2)],
                        static_cast<std::uint32_t>(i * p * 2 + (j % 4 * p / 4 + j / 4) * 2))
                  << p << " " << groups << " element " << j << " from " << i;
          EXPECT_TRUE(result.rearmed);
          EXPECT_GE(result.cycles, later);
        }
}

/// Nothing is lost where elements begin at different times, or count from a common start.
TEST(SegmentedBroadcast, ATimetableMayBeMissed) {
  const int p = 33, words = 2;
  for (const Cycle common : {Cycle{0}, Cycle{400}}) {
    WaferProgram program = make_program(p, 1, 1, 6, p * words, {});
    add_segmented_broadcast(program, row_of(program, 0), transposition(p, words), 0, 0,
                            {.groups = 5, .timed = true});
    for (int x = 0; x < p; ++x) {
      Phase& phase = program.at(x, 0).phases[0];
      phase.compute_cycles = static_cast<Cycle>(x * 97 % 701);
      phase.timetable_at = common;
    }
    const SimulationResult result = simulate(program);
    expect_transposed(result, p, words);
    EXPECT_TRUE(result.rearmed);
  }
}

TEST(SegmentedBroadcast, SaysWhenItsTimetableEnds) {
  for (const int p : {16, 33, 64}) {
    WaferProgram program = make_program(p, 1, 1, 6, 2 * p, {});
    const Cycle end = add_segmented_broadcast(program, row_of(program, 0), transposition(p, 2), 0,
                                              0, {.groups = 5, .timed = true});
    const SimulationResult result = simulate(program);
    // Words of both directions share the ramps of an element: they wait at most for the 2 p words
    // that it sends and the 2 p that it receives.
    EXPECT_NEAR(static_cast<double>(result.cycles), static_cast<double>(end), 2.0 * 2 * p);
    EXPECT_GE(end, static_cast<Cycle>(segmented_broadcast_load(p, 2, 5, true)));
  }
}

TEST(SegmentedBroadcast, DeliversByATimetable) {
  for (const int p : {2, 3, 7, 16, 33})
    for (const int groups : {1, 2, 5})
      for (const int words : {1, 2}) {
        if (groups > p) continue;
        WaferProgram program = make_program(p, 1, 1, groups + 1, p * words, {});
        add_segmented_broadcast(program, row_of(program, 0), transposition(p, words), 0, 0,
                                {.groups = groups, .timed = true});
        const SimulationResult result = simulate(program);
        expect_transposed(result, p, words);
        EXPECT_TRUE(result.rearmed);
      }
}

TEST(SegmentedBroadcast, TimedSegmentsMakeTheirLastLinksEquallyBusy) {
  const int p = 4096;
  const std::size_t groups = 8;
  const double busiest = static_cast<double>(segmented_broadcast_load(p, 64, groups, true)) / 64;
  const double cosine = std::cos(M_PI / 10);
  const double least = 1 / (4 * cosine * cosine);
  // A limit is at most one position beside the solution without units, and a block has a control
  // wavelet per segment beside its 64 p words.
  const double unit = 1.0 / p, controls = groups / (64.0 * p);
  EXPECT_NEAR(busiest / p / p, least, 2 * unit + controls);
  const std::vector<std::int64_t> limits = segment_limits(p, groups, true);
  for (std::size_t k = 0; k < groups; ++k) {
    const auto begin = static_cast<double>(limits[k]), end = static_cast<double>(limits[k + 1]);
    EXPECT_NEAR(end * (p - begin) / p / p, least, 2 * unit) << k;
    EXPECT_NEAR(begin, p - static_cast<double>(limits[groups - k]), 1.0);
  }
}

/// Limits in whole units: no others have a smaller largest load.
TEST(SegmentedBroadcast, TimedSegmentsInWholeUnitsAreTheBestThereAre) {
  const auto load_of = [](const std::vector<std::int64_t>& limits) {
    std::int64_t most = 0;
    for (std::size_t k = 0; k + 1 < limits.size(); ++k)
      most = std::max(most, limits[k + 1] * (limits.back() - limits[k]));
    return most;
  };
  for (const int unit : {1, 2, 4, 8})
    for (const int p : {16, 24, 48})
      for (const int groups : {1, 2, 3, 4}) {
        std::vector<std::int64_t> limits = segment_limits(p, groups, true, unit);
        ASSERT_EQ(limits.size(), static_cast<std::size_t>(groups) + 1);
        EXPECT_EQ(limits.front(), 0);
        EXPECT_EQ(limits.back(), p);
        EXPECT_TRUE(std::ranges::is_sorted(limits));
        for (const std::int64_t limit : limits) EXPECT_EQ(limit % unit, 0);
        std::int64_t best = std::int64_t{p} * p;
        std::vector<std::int64_t> other(limits.size(), 0);
        other.back() = p;
        const auto all = [&](const auto& self, std::size_t k) -> void {
          if (k == static_cast<std::size_t>(groups)) {
            best = std::min(best, load_of(other));
            return;
          }
          for (other[k] = other[k - 1]; other[k] <= p; other[k] += unit) self(self, k + 1);
        };
        all(all, 1);
        EXPECT_EQ(load_of(limits), best) << p << " in units of " << unit << ", groups " << groups;
      }
}

/// By its timetable an exchange is faster than the busiest link of equal segments allows in any
/// order.
TEST(SegmentedBroadcast, ATimetableBeatsTheBoundOfEqualSegments) {
  const int p = 192, groups = 8;
  WaferProgram program = make_program(p, 1, 1, groups + 1, 2 * p, {});
  add_segmented_broadcast(program, row_of(program, 0), transposition(p, 2), 0, 0,
                          {.groups = groups, .timed = true});
  const auto cycles = static_cast<std::int64_t>(simulate(program).cycles);
  EXPECT_LT(cycles, segmented_broadcast_load(p, 2, groups, false));
  EXPECT_GE(cycles, segmented_broadcast_load(p, 2, groups, true));
}

}  // namespace
}  // namespace weft::fabric
