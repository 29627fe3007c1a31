// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/run.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "fabric/wafer/plan_program.hpp"
#include "fabric/wafer/simulator.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {
namespace {

using Number = std::complex<float>;

struct Field {
  WaferPlan plan;
  WaferLayout layout;
  std::vector<Number> data;                    ///< as the wafer holds it
  std::vector<std::complex<double>> spectrum;  ///< [kx][ky][kz], by weft's own transform
};

Field make_field(const WaferPlan& plan, const WaferMachine& machine) {
  Field field{plan, layout_of(plan, machine), {}, {}};
  const auto [nx, ny, nz] = plan.shape;
  std::mt19937 generator(11);
  std::uniform_real_distribution<float> uniform(-0.5F, 0.5F);
  const auto count = static_cast<std::size_t>(nx * ny * nz);
  std::vector<std::complex<double>> values(count);
  field.data.resize(count);
  field.spectrum.resize(count);
  for (std::int64_t x = 0; x < nx; ++x)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t z = 0; z < nz; ++z) {
        const Number value(round_to_half(uniform(generator)), round_to_half(uniform(generator)));
        values[static_cast<std::size_t>((x * ny + y) * nz + z)] = value;
        field.data[static_cast<std::size_t>(spatial_position(plan, field.layout, x, y, z))] = value;
      }
  const Plan reference(c2c({nx, ny, nz}));
  reference.execute(values.data(), field.spectrum.data());
  return field;
}

double spectral_error(const Field& field) {
  const auto [nx, ny, nz] = field.plan.shape;
  double difference = 0, norm = 0;
  for (std::int64_t x = 0; x < nx; ++x)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t z = 0; z < nz; ++z) {
        const auto expected = field.spectrum[static_cast<std::size_t>((x * ny + y) * nz + z)];
        const auto at =
            static_cast<std::size_t>(spectral_position(field.plan, field.layout, x, y, z));
        difference += std::norm(std::complex<double>(field.data[at]) - expected);
        norm += std::norm(expected);
      }
  return std::sqrt(difference / norm);
}

double tolerance(const WaferPlan& plan) {
  const double points = static_cast<double>(plan.shape[0] * plan.shape[1] * plan.shape[2]);
  const double eps = plan.precision == Precision::f16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -24);
  return 2 * eps * std::log2(points + 2);
}

double distance(const std::vector<Number>& a, const std::vector<Number>& b) {
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference += std::norm(a[k] - b[k]);
    norm += std::norm(b[k]);
  }
  return std::sqrt(difference / norm);
}

void check_round_trip(WaferPlan plan, Fidelity fidelity) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  Field field = make_field(plan, machine);
  const std::vector<Number> original = field.data;
  run_on_wafer(plan, machine, field.data, {.fidelity = fidelity});
  EXPECT_LT(spectral_error(field), tolerance(plan)) << plan.describe();
  plan.direction = Direction::backward;
  run_on_wafer(plan, machine, field.data, {.fidelity = fidelity});
  EXPECT_LT(distance(field.data, original), 2 * tolerance(plan)) << plan.describe();
}

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
  EXPECT_EQ(whole.word_hops, lines.word_hops);
  EXPECT_NEAR(static_cast<double>(whole.cycles), static_cast<double>(lines.cycles),
              0.01 * static_cast<double>(lines.cycles));
}

WaferPlan crossed_cube(int n, Precision precision = Precision::f32,
                       Direction direction = Direction::forward) {
  return {.shape = {n, n, n},
          .width = n,
          .height = n,
          .precision = precision,
          .direction = direction,
          .schedule = WaferSchedule::crossed,
          .kernel = WaferKernel::stockham};
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
      const auto expected = static_cast<double>(lines.cycles);
      EXPECT_NEAR(static_cast<double>(whole.cycles), expected, 0.01 * expected) << plan.describe();
      EXPECT_EQ(whole.word_hops, lines.word_hops) << plan.describe();
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

WaferPlan in_halves(WaferPlan plan) {
  plan.sending = WaferSending::halves;
  return plan;
}

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
    const auto expected = static_cast<double>(lines.cycles);
    EXPECT_NEAR(static_cast<double>(whole.cycles), expected, 0.01 * expected) << plan.describe();
    EXPECT_EQ(whole.word_hops, lines.word_hops);
    EXPECT_LE(whole.used.filters, machine.rules.filters);
  }
}

/// Crossed and segmented, a quarter of the numbers first; back in halves.
TEST(WaferRun, SendsAQuarterWhileTheRestIsTransformed) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const Precision precision : {Precision::f32, Precision::f16})
    for (const Fidelity fidelity : {Fidelity::wavelets, Fidelity::whole})
      for (const WaferSchedule schedule : {WaferSchedule::segmented, WaferSchedule::crossed})
        for (const bool timed : {false, true}) {
          WaferPlan plan = crossed_cube(16, precision);
          plan.schedule = schedule;
          plan.sending = WaferSending::quarter;
          plan.timed = timed;
          Field field = make_field(plan, machine);
          run_on_wafer(plan, machine, field.data, {.fidelity = fidelity});
          EXPECT_LT(spectral_error(field), tolerance(plan)) << plan.describe();
        }
  WaferPlan plan = crossed_cube(16, Precision::f32, Direction::backward);
  plan.sending = WaferSending::quarter;
  EXPECT_THROW(layout_of(plan, machine), Error);
  plan = crossed_cube(12);
  plan.sending = WaferSending::quarter;
  EXPECT_THROW(layout_of(plan, machine), Error);
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
  for (const WaferSending sending :
       {WaferSending::pencils, WaferSending::halves, WaferSending::quarter}) {
    WaferPlan plan = crossed_cube(48);
    plan.sending = sending;
    plan.timed = true;
    const WaferTiming lines = time_on_wafer(plan, machine, {.fidelity = Fidelity::wavelets});
    const WaferTiming whole = time_on_wafer(plan, machine, {.fidelity = Fidelity::whole});
    const auto expected = static_cast<double>(lines.cycles);
    EXPECT_NEAR(static_cast<double>(whole.cycles), expected, 0.02 * expected) << plan.describe();
    EXPECT_EQ(whole.word_hops, lines.word_hops) << plan.describe();
    EXPECT_EQ(whole.used.filters, 2);
    EXPECT_LE(whole.used.colors, machine.rules.colors);
  }
}

/// Elements know the second timetable's start from the first one: no element is ready much later.
TEST(WaferRun, TheSecondTimetableBeginsWhenTheLastElementIsReady) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  WaferPlan plan = with_groups(crossed_cube(32), machine);
  plan.timed = true;
  const WaferProgram program = mesh_program(plan, machine);
  const SimulationResult result = simulate(program);
  Cycle ready = 0;
  for (int id = 0; id < program.count(); ++id)
    ready = std::max(ready, result.done(1, id, program.count()));
  const Cycle begin = program.elements[0].phases[2].timetable_at;
  EXPECT_NEAR(static_cast<double>(ready), static_cast<double>(begin),
              0.02 * static_cast<double>(begin));
  for (const Element& element : program.elements) EXPECT_EQ(element.phases[2].timetable_at, begin);
}

TEST(WaferRun, HalvesOfLongPencilsSaveCycles) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  const WaferPlan pencils = crossed_cube(128);
  EXPECT_LT(static_cast<double>(time_on_wafer(in_halves(pencils), machine).cycles),
            0.92 * static_cast<double>(time_on_wafer(pencils, machine).cycles));
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

/// W12: what the formulas promise for the schedules beyond the paper.
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

TEST(WaferMemory, WordsThatArriveDuringTheOddHalfHaveAPlaceOfTheirOwn) {
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
  }
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
      for (const auto sending : {WaferSending::pencils, WaferSending::halves}) {
        if (schedule == WaferSchedule::paper && sending == WaferSending::halves) continue;
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
