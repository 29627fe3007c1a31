// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/run.hpp"

#include <gtest/gtest.h>

#include "fabric/wafer/plan_program.hpp"
#include "fabric/wafer/simulator.hpp"
#include "wafer_field.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

TEST(WaferRun, TransformsForwardAndBackAsThePaperDoes) {
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const int n : {2, 8, 16})
      check_round_trip({.shape = {n, n, n}, .width = n, .height = n, .precision = precision},
                       Fidelity::wavelets);
}

TEST(WaferRun, TransformsWithSegmentsAndAnyShape) {
  const auto plan = [](std::array<std::int64_t, 3> shape, int width, int height, int groups) {
    return WaferPlan{.shape = shape,
                     .width = width,
                     .height = height,
                     .schedule = WaferSchedule::segmented,
                     .kernel = WaferKernel::stockham,
                     .groups = groups};
  };
  check_round_trip(plan({12, 12, 12}, 12, 12, 3), Fidelity::wavelets);
  check_round_trip(plan({12, 10, 6}, 6, 2, 2), Fidelity::wavelets);  // several pencils, rectangular
  check_round_trip(plan({15, 9, 10}, 5, 3, 3), Fidelity::wavelets);
  check_round_trip(plan({7, 7, 7}, 7, 1, 1), Fidelity::wavelets);  // one row
}

TEST(WaferRun, TransformsTwoDimensionsInTwoSteps) {
  const auto plan = [](std::int64_t nx, std::int64_t ny, int width, int height) {
    return WaferPlan{.dimensions = 2,
                     .shape = {nx, ny, 1},
                     .width = width,
                     .height = height,
                     .schedule = WaferSchedule::segmented,
                     .kernel = WaferKernel::stockham};
  };
  for (const Fidelity fidelity : {Fidelity::wavelets, Fidelity::whole}) {
    check_round_trip(plan(64, 64, 8, 8), fidelity);  // one line per element
    check_round_trip(plan(36, 24, 3, 2), fidelity);  // several, rectangular
    check_round_trip(plan(10, 30, 1, 5), fidelity);
    WaferPlan paper = plan(64, 64, 4, 8);
    paper.schedule = WaferSchedule::paper;
    paper.kernel = WaferKernel::listing1;
    check_round_trip(paper, fidelity);
  }
}

TEST(WaferRun, TwoDimensionsTakeOneRowAndOneColumn) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  const WaferPlan plan{.dimensions = 2,
                       .shape = {256, 256, 1},
                       .width = 16,
                       .height = 16,
                       .schedule = WaferSchedule::segmented,
                       .kernel = WaferKernel::stockham};
  const WaferTiming lines = time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets});
  const WaferTiming whole = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
  expect_within_shared_ramps(plan, whole, lines);
}

TEST(WaferRun, TransformsWithRowsAndColumnsAtOnceForwardAndBack) {
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const int n : {4, 8, 12, 16})
      for (const Fidelity fidelity : {Fidelity::wavelets, Fidelity::whole})
        check_round_trip(crossed_cube(n, precision), fidelity);
}

TEST(WaferRun, RowsAndColumnsAtOnceTakeAsLongAsTheirLines) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const int n : {32, 48}) {
      const WaferPlan plan = crossed_cube(n, Precision::f32, direction);
      const WaferTiming lines = time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets});
      const WaferTiming whole = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
      expect_within_shared_ramps(plan, whole, lines);
      EXPECT_LE(whole.used.filters, direction == Direction::forward ? 2 : machine.rules.filters);
      EXPECT_LE(whole.used.colors, machine.rules.colors);
    }
}

TEST(WaferRun, BackwardNeedsNoSiftingWithFourFilters) {
  WaferMachine machine = wafer_of(load_machine("wse2"));
  const WaferPlan plan = crossed_cube(16, Precision::f32, Direction::backward);
  const WaferTiming three = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
  machine.rules.filters = 4;  // as if the host's were free
  const WaferTiming four = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
  EXPECT_EQ(three.used.filters, 3);
  EXPECT_EQ(four.used.filters, 4);
  EXPECT_EQ(four.word_hops, three.word_hops);
  EXPECT_LE(four.cycles, three.cycles);
}

/// W12: what the formulas promise for the schedules beyond the paper, where one percent is allowed.
TEST(WaferRun, NewSchedulesTakeWhatTheirFormulasSay) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const WaferSchedule schedule : {WaferSchedule::segmented, WaferSchedule::crossed})
    for (const Precision precision : {Precision::f32, Precision::f16})
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        WaferPlan plan = crossed_cube(128, precision, direction);
        plan.schedule = schedule;
        const auto simulated = static_cast<double>(
            time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets}).cycles);
        const auto formula = static_cast<double>(
            time_on_wafer(plan, machine, {.fidelity = Fidelity::closed_form}).cycles);
        EXPECT_NEAR(simulated, formula, 0.01 * formula) << plan.describe();
      }
}

TEST(WaferRun, TheWholeMeshIsOneRowAndOneColumnToTheCycle) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const WaferSchedule schedule : {WaferSchedule::paper, WaferSchedule::segmented})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const WaferPlan plan{.shape = {16, 16, 16},
                           .width = 16,
                           .height = 16,
                           .direction = direction,
                           .schedule = schedule};
      const WaferTiming lines = time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets});
      const WaferTiming whole =
          time_on_wafer(plan, machine, {.fidelity = Fidelity::whole, .threads = 2});
      EXPECT_EQ(whole.cycles, lines.cycles) << plan.describe();
      EXPECT_EQ(whole.word_hops, lines.word_hops);
    }
}

TEST(WaferRun, GivesTheSameNumbersOnTheWholeMesh) {
  check_round_trip({.shape = {8, 8, 8}, .width = 8, .height = 8}, Fidelity::whole);
  check_round_trip({.shape = {12, 6, 6},
                    .width = 6,
                    .height = 3,
                    .schedule = WaferSchedule::segmented,
                    .kernel = WaferKernel::stockham},
                   Fidelity::whole);
}

TEST(WaferRun, MoreGroupsTakeTheColorsOfRowsForColumns) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  WaferPlan plan = crossed_cube(40);
  plan.schedule = WaferSchedule::segmented;
  plan.groups = 20;
  check_round_trip(plan, Fidelity::wavelets);
  const WaferTiming timing = time_on_wafer(plan, machine);
  EXPECT_EQ(timing.used.colors, 21);
  EXPECT_EQ(timing.used.filters, 2);
  EXPECT_EQ(timing.steps[2].cycles,
            pencil_cycles(plan, 40, machine) + 21 * filter_move_cycles(machine));
  EXPECT_THROW(time_on_wafer(plan, machine, {.fidelity = Fidelity::whole}), Error);
  plan.groups = 21;
  EXPECT_THROW(with_groups(plan, machine), Error);
}

TEST(WaferMemory, RefusesWhatThePaperCouldNotRun) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  EXPECT_TRUE(lone_pencil_memory(2048, Precision::f32, machine).fits());
  EXPECT_TRUE(lone_pencil_memory(4096, Precision::f16, machine).fits());
  EXPECT_FALSE(lone_pencil_memory(4096, Precision::f32, machine).fits());
  WaferMachine large = machine;  // a mesh that does not exist
  large.width = large.height = 2048;
  const auto cube = [&](int n, int p, Precision precision) {
    return memory_of({.shape = {n, n, n}, .width = p, .height = p, .precision = precision}, large);
  };
  EXPECT_TRUE(cube(1024, 1024, Precision::f32).fits());
  EXPECT_TRUE(cube(2048, 2048, Precision::f16).fits());
  EXPECT_FALSE(cube(2048, 2048, Precision::f32).fits());
  EXPECT_FALSE(cube(1024, 512, Precision::f32).fits());
  EXPECT_TRUE(cube(1024, 512, Precision::f16).fits());
  const WaferPlan too_large{.shape = {1024, 1024, 1024}, .width = 512, .height = 512};
  EXPECT_THROW(time_on_wafer(too_large, machine, {.fidelity = Fidelity::closed_form}), Error);
}

TEST(WaferMemory, CountsTheConstantsOfEveryLength) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  const auto bytes = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    return memory_of({.shape = {x, y, z},
                      .width = 8,
                      .height = 8,
                      .schedule = WaferSchedule::segmented,
                      .kernel = WaferKernel::stockham},
                     machine)
        .kernel_bytes;
  };
  EXPECT_GT(bytes(64, 128, 64), bytes(128, 128, 128));
}

TEST(WaferMemory, HugePencilsDoNotOverflowTheCount) {
  const std::int64_t n = 1 << 20;
  EXPECT_THROW(
      memory_of({.shape = {n, n, n}, .width = 1, .height = 1}, wafer_of(load_machine("wse2"))),
      Error);
}

TEST(WaferMemory, TheSimulatorStoresInAllOfItAndInNoByteMore) {
  for (const auto schedule :
       {WaferSchedule::paper, WaferSchedule::segmented, WaferSchedule::crossed})
    for (const auto direction : {Direction::forward, Direction::backward})
      for (const auto sending :
           {WaferSending::pencils, WaferSending::halves, WaferSending::quarter}) {
        if (schedule == WaferSchedule::paper && sending != WaferSending::pencils) continue;
        WaferMachine machine = wafer_of(load_machine("wse2"));
        const WaferPlan plan = with_groups({.shape = {8, 8, 8},
                                            .width = 8,
                                            .height = 8,
                                            .direction = direction,
                                            .schedule = schedule,
                                            .kernel = WaferKernel::stockham,
                                            .sending = sending},
                                           machine);
        machine.memory_bytes = memory_of(plan, machine).total();
        EXPECT_NO_THROW(simulate(mesh_program(plan, machine))) << plan.describe();
        machine.memory_bytes -= 4;
        EXPECT_THROW(simulate(mesh_program(plan, machine)), Error) << plan.describe();
      }
}

TEST(WaferRun, OnlyCrossedLeavesTheRoutersAsTheyWere) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const auto schedule :
       {WaferSchedule::paper, WaferSchedule::segmented, WaferSchedule::crossed}) {
    const WaferPlan plan = with_groups({.shape = {16, 16, 16},
                                        .width = 16,
                                        .height = 16,
                                        .schedule = schedule,
                                        .kernel = WaferKernel::stockham},
                                       machine);
    EXPECT_EQ(simulate(mesh_program(plan, machine)).rearmed, schedule == WaferSchedule::crossed)
        << plan.describe();
  }
}

TEST(WaferPlan, NeedsColorsForItsSchedule) {
  WaferMachine machine = wafer_of(load_machine("wse2"));
  machine.rules.colors = 3;
  for (const auto schedule :
       {WaferSchedule::paper, WaferSchedule::segmented, WaferSchedule::crossed})
    EXPECT_THROW(with_groups({.shape = {8, 8, 8},
                              .width = 8,
                              .height = 8,
                              .schedule = schedule,
                              .kernel = WaferKernel::stockham},
                             machine),
                 Error);
}

TEST(WaferPlan, RefusesWhatDoesNotDivide) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  EXPECT_THROW(layout_of({.shape = {10, 10, 10}, .width = 4, .height = 5}, machine), Error);
  EXPECT_THROW(layout_of({.shape = {1000, 1000, 1000}, .width = 1000, .height = 10}, machine),
               Error);
  EXPECT_THROW(
      layout_of({.shape = {9, 9, 9}, .width = 9, .height = 9, .schedule = WaferSchedule::crossed},
                machine),
      Error);
}

}  // namespace
}  // namespace weft::fabric
