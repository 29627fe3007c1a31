// SPDX-License-Identifier: BSD-3-Clause
// Whole transforms whose pencils are sent in parts, and by a timetable.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fabric/wafer/plan_program.hpp"
#include "fabric/wafer/run.hpp"
#include "fabric/wafer/simulator.hpp"
#include "wafer_field.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

TEST(WaferRun, SendsEvenNumbersWhileOddOnesAreTransformed) {
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const int n : {4, 8, 12, 16})
      for (const Fidelity fidelity : {Fidelity::wavelets, Fidelity::whole}) {
        WaferPlan plan = in_halves(crossed_cube(n, precision));
        check_round_trip(plan, fidelity);
        plan.schedule = WaferSchedule::segmented;
        check_round_trip(plan, fidelity);
      }
}

TEST(WaferRun, HalvesTakeAsLongOnTheMeshAsOnLines) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const WaferPlan plan = in_halves(crossed_cube(32, Precision::f32, direction));
    const WaferTiming lines = time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets});
    const WaferTiming whole = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
    expect_within_shared_ramps(plan, whole, lines);
    EXPECT_LE(whole.used.filters, machine.rules.filters);
  }
}

/// Crossed and segmented, a quarter of the numbers first. Backward, `crossed` has fewer filters
/// than colors, and software sifts both what a filter would and the three other quarters.
TEST(WaferRun, SendsAQuarterWhileTheRestIsTransformed) {
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const Fidelity fidelity : {Fidelity::wavelets, Fidelity::whole})
      for (const WaferSchedule schedule : {WaferSchedule::segmented, WaferSchedule::crossed})
        for (const bool timed : {false, true}) {
          WaferPlan plan = crossed_cube(16, precision);
          plan.schedule = schedule;
          plan.sending = WaferSending::quarter;
          plan.timed = timed;
          check_round_trip(plan, fidelity);
        }
  WaferPlan plan = crossed_cube(12);
  plan.sending = WaferSending::quarter;
  EXPECT_THROW(layout_of(plan, wafer_of(load_machine("wse2"))), Error);
}

TEST(WaferRun, TransformsByATimetable) {
  for (const Fidelity fidelity : {Fidelity::wavelets, Fidelity::whole})
    for (const int n : {4, 12, 16}) {
      WaferPlan plan = crossed_cube(n);
      plan.timed = true;
      check_round_trip(plan, fidelity);
      check_round_trip(in_halves(plan), fidelity);
      plan.schedule = WaferSchedule::segmented;
      check_round_trip(plan, fidelity);
    }
}

/// A transform by the timetable takes less than computing and the busiest link of equal segments
/// alone, and on the whole mesh as long as by its lines.
TEST(WaferRun, ATimetableBeatsTheBoundOfEqualSegments) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  WaferPlan plan = crossed_cube(192);
  const WaferTiming equal = time_on_wafer(plan, machine, {.fidelity = Fidelity::closed_form});
  plan.timed = true;
  EXPECT_LT(time_on_wafer(plan, machine).cycles,
            equal.cycles - equal.exchange + equal.busiest_link_words);
  plan.schedule = WaferSchedule::paper;
  EXPECT_THROW(layout_of(plan, machine), Error);
}

TEST(WaferRun, ATimetableHoldsOnTheWholeMesh) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const WaferSending sending :
         {WaferSending::pencils, WaferSending::halves, WaferSending::quarter}) {
      WaferPlan plan = crossed_cube(48, Precision::f32, direction);
      plan.sending = sending;
      plan.timed = true;
      const WaferTiming lines = time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets});
      const WaferTiming whole = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
      expect_within_shared_ramps(plan, whole, lines);
      EXPECT_LE(whole.used.filters, direction == Direction::forward ? 2 : machine.rules.filters);
      EXPECT_LE(whole.used.colors, machine.rules.colors);
    }
}

/// The start of the second timetable, which elements know beforehand, is about when the last one is
/// ready; and afterwards all switches and filters are as they began, so nothing is to be set again.
TEST(WaferRun, TheSecondTimetableBeginsWhenTheLastElementIsReady) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const WaferSending sending :
       {WaferSending::pencils, WaferSending::halves, WaferSending::quarter}) {
    WaferPlan plan = crossed_cube(32);
    plan.sending = sending;
    plan.timed = true;
    const WaferProgram program = mesh_program(with_groups(plan, machine), machine);
    const SimulationResult result = simulate(program);
    EXPECT_TRUE(result.rearmed) << plan.describe();
    Cycle ready = 0;
    const Cycle begin = program.elements[0].phases[2].timetable_at;
    for (int id = 0; id < program.count(); ++id) {
      const Phase& phase = program.elements[static_cast<std::size_t>(id)].phases[2];
      EXPECT_EQ(phase.timetable_at, begin);
      ready = std::max(ready, result.done(1, id, program.count()) + phase.compute_cycles);
    }
    EXPECT_NEAR(static_cast<double>(ready), static_cast<double>(begin), shared_ramp_words(plan))
        << plan.describe();
  }
}

/// Two exchanges begin earlier by what a pencil takes after its first half. Of that they lose at
/// most the control wavelets of the second round, where the other half is computed before its turn.
TEST(WaferRun, HalvesOfLongPencilsSaveCycles) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  const WaferPlan plan = crossed_cube(128);
  const WaferTiming pencils = time_on_wafer(plan, machine);
  const WaferTiming halves = time_on_wafer(in_halves(plan), machine);
  const SendingCycles sending = sending_cycles(in_halves(plan), {128, 1}, machine);
  ASSERT_LT(sending.meanwhile, pencils.exchange / 4);  // half of one exchange
  const Cycle earlier = 2 * (pencil_cycles(plan, 128, machine) - sending.before);
  const Cycle saved = pencils.cycles - halves.cycles;
  EXPECT_LE(saved, earlier);
  EXPECT_GE(saved + halves.busiest_link_words, earlier + pencils.busiest_link_words);
}

TEST(WaferRun, HalvesNeedOnePencilPerElementAndAKernelThatHasThem) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  EXPECT_THROW(layout_of(in_halves(crossed_cube(6)), machine), Error);
  WaferPlan plan = in_halves(crossed_cube(8));
  plan.schedule = WaferSchedule::paper;
  EXPECT_THROW(layout_of(plan, machine), Error);
  plan.schedule = WaferSchedule::segmented;
  plan.width = plan.height = 4;
  EXPECT_THROW(layout_of(plan, machine), Error);
  plan.width = plan.height = 8;
  plan.kernel = WaferKernel::listing1;
  EXPECT_THROW(layout_of(plan, machine), Error);
}

/// Reals outside the pencil's own place that a kernel reads or writes.
std::int64_t reals_beside(const KernelProgram& kernel) {
  std::set<std::int64_t> touched;
  for (const VectorInstruction& instruction : kernel.instructions)
    for (const Operand& operand : {instruction.dst, instruction.a, instruction.b})
      for (std::int32_t i = 0; i < instruction.extents[0]; ++i)
        for (std::int32_t j = 0; j < instruction.extents[1]; ++j)
          for (std::int32_t k = 0; k < instruction.extents[2]; ++k)
            touched.insert(operand.base + i * operand.strides[0] + j * operand.strides[1] +
                           k * operand.strides[2]);
  return static_cast<std::int64_t>(touched.size()) -
         std::distance(touched.begin(), touched.lower_bound(2 * kernel.length));
}

TEST(WaferMemory, WordsThatArriveWhileTheRestIsComputedHaveAPlaceOfTheirOwn) {
  WaferMachine large = wafer_of(load_machine("wse2"));
  large.width = large.height = 1024;
  for (const std::int64_t n : {64, 128, 1024}) {
    const auto side = static_cast<int>(n);
    const WaferPlan plan = with_groups({.shape = {n, n, n},
                                        .width = side,
                                        .height = side,
                                        .schedule = WaferSchedule::crossed,
                                        .kernel = WaferKernel::stockham,
                                        .sending = WaferSending::halves},
                                       large);
    const WaferMemory memory = memory_of(plan, large);
    EXPECT_EQ(memory.data_bytes, (2 * n + n / 2) * 8);
    EXPECT_GE(memory.kernel_bytes, 4 * reals_beside(sending_kernel_of(plan, n, large)));
    EXPECT_EQ(memory.fits(), n < 1024) << memory.describe();
    WaferPlan quarter = plan;
    quarter.sending = WaferSending::quarter;
    EXPECT_GE(memory_of(quarter, large).kernel_bytes,
              4 * reals_beside(sending_kernel_of(quarter, n, large)));
  }
}

}  // namespace
}  // namespace weft::fabric
