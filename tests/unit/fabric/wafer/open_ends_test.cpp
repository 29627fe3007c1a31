// SPDX-License-Identifier: BSD-3-Clause
// One long line on a wafer, arrays that come through the host's link, and several wafers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../rounding.hpp"
#include "fabric/wafer/run.hpp"
#include "fabric/wafer/stream.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {
namespace {

using Double = std::complex<double>;

std::vector<std::complex<float>> random_field(std::size_t count) {
  std::mt19937 generator(11);
  std::uniform_int_distribution<int> part(-512, 511);
  std::vector<std::complex<float>> field(count);
  for (auto& value : field)
    value = {static_cast<float>(part(generator)) / 1024,
             static_cast<float>(part(generator)) / 1024};
  return field;
}

double allowed(Precision precision, std::size_t points) {
  return two_roundings(points, precision == Precision::f16 ? 0x1p-11 : 0x1p-24);
}

/// The transform of one line on the wafer against weft's own.
double line_error(const WaferPlan& plan, Fidelity fidelity) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  const WaferLayout layout = layout_of(plan, machine);
  const auto [nx, ny, nz] = plan.shape;
  const auto count = static_cast<std::size_t>(nx * ny * nz);
  const auto field = random_field(count);
  const auto at = [](std::int64_t k) { return static_cast<std::size_t>(k); };
  std::vector<std::complex<float>> data(count);
  for (std::int64_t x = 0; x < nx; ++x)
    for (std::int64_t y = 0; y < ny; ++y)
      for (std::int64_t z = 0; z < nz; ++z)
        data[at(spatial_position(plan, layout, x, y, z))] = field[at((z * nx + x) * ny + y)];
  if (plan.dimensions == 2)
    for (std::int64_t x = 0; x < nx; ++x)
      for (std::int64_t y = 0; y < ny; ++y)
        data[at(spatial_position(plan, layout, x, y, 0))] = field[at(y * nx + x)];
  run_on_wafer(plan, machine, data, {.fidelity = fidelity});
  std::vector<Double> expected(field.begin(), field.end()), got(count);
  Plan(c2c({static_cast<Index>(count)})).execute(expected.data(), expected.data());
  for (std::int64_t kx = 0; kx < nx; ++kx)
    for (std::int64_t ky = 0; ky < ny; ++ky)
      for (std::int64_t kz = 0; kz < nz; ++kz) {
        const std::int64_t point = plan.dimensions == 2 ? ky + ny * kx : kz + nz * (kx + nx * ky);
        got[at(point)] = data[at(spectral_position(plan, layout, kx, ky, kz))];
      }
  return relative_difference(got, expected);
}

TEST(OneLine, OfSquaresAndCubesOfPoints) {
  for (const auto schedule : {WaferSchedule::paper, WaferSchedule::segmented})
    for (const auto precision : {Precision::f32, Precision::f16})
      for (const auto fidelity : {Fidelity::wavelets, Fidelity::whole}) {
        const WaferPlan square{.dimensions = 2,
                               .shape = {16, 16, 1},
                               .width = 4,
                               .height = 4,
                               .precision = precision,
                               .schedule = schedule,
                               .one_line = true};
        EXPECT_LT(line_error(square, fidelity), allowed(precision, 256)) << square.describe();
        WaferPlan cube{.shape = {8, 8, 8},
                       .width = 8,
                       .height = 8,
                       .precision = precision,
                       .schedule = schedule,
                       .one_line = true};
        EXPECT_LT(line_error(cube, fidelity), allowed(precision, 512)) << cube.describe();
      }
  // several pencils per element, no cube, lengths that are no powers of two
  const WaferPlan box{.shape = {12, 20, 6},
                      .width = 6,
                      .height = 4,
                      .schedule = WaferSchedule::segmented,
                      .kernel = WaferKernel::stockham,
                      .one_line = true};
  EXPECT_LT(line_error(box, Fidelity::wavelets), allowed(Precision::f32, 1440));
}

TEST(OneLine, ChargesTwiddlesAndTheirMemory) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  WaferPlan plan{.shape = {64, 64, 64},
                 .width = 64,
                 .height = 64,
                 .schedule = WaferSchedule::segmented,
                 .kernel = WaferKernel::stockham};
  const Cycle array = time_on_wafer(plan, machine, {.fidelity = Fidelity::closed_form}).cycles;
  const std::int64_t bytes = memory_of(plan, machine).total();
  plan.one_line = true;
  const Cycle line = time_on_wafer(plan, machine, {.fidelity = Fidelity::closed_form}).cycles;
  EXPECT_EQ(line, array + 2 * (4 * 64 + 3 + 18));  // four cycles a number, three instructions
  EXPECT_EQ(memory_of(plan, machine).total(), bytes + 2 * 64 * 8);
  plan.direction = Direction::backward;
  EXPECT_THROW(layout_of(plan, machine), Error);
}

StreamPlan planes(std::int64_t n, int side, std::int64_t nz, int wafers) {
  return {.plane = {.dimensions = 2,
                    .shape = {n, n, 1},
                    .width = side,
                    .height = side,
                    .schedule = WaferSchedule::segmented,
                    .kernel = WaferKernel::stockham},
          .nz = nz,
          .wafers = wafers};
}

TEST(Stream, TransformsPlanesAndThenLines) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  for (const auto& [n, side, nz, wafers] :
       {std::tuple{16, 4, 6, 1}, {16, 4, 8, 2}, {12, 2, 9, 3}, {4, 2, 1, 1}}) {
    const auto field = random_field(static_cast<std::size_t>(n * n * nz));
    auto data = field;
    const StreamTiming timing = run_stream(planes(n, side, nz, wafers), machine, data);
    std::vector<Double> expected(field.begin(), field.end()), got(data.begin(), data.end());
    Plan(c2c({nz, n, n})).execute(expected.data(), expected.data());
    EXPECT_LT(relative_difference(got, expected), allowed(Precision::f32, field.size()))
        << n << " " << nz;
    EXPECT_GE(timing.seconds, timing.bound_s);
  }
}

TEST(Stream, IsBoundByTheHostAndWafersByTheirLinks) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  StreamPlan large = planes(1024, 32, 1024, 1);
  large.plane.kernel = WaferKernel::listing1;  // stockham's tables need more than 48 KB
  const RunOptions formulas{.fidelity = Fidelity::closed_form};
  const StreamTiming streamed = time_of_stream(large, machine, formulas);
  EXPECT_EQ(streamed.limit, "the link to the host");
  EXPECT_NEAR(streamed.link_s, 4 * 8.0 * 8 * std::pow(1024, 3) / 1.2e12, 1e-9);
  EXPECT_LT(streamed.seconds, 1.2 * streamed.link_s);
  EXPECT_EQ(streamed.planes_at_once, (757 / 32) * (996 / 32));
  large.wafers = 16;
  const StreamTiming wafers = time_of_stream(large, machine, formulas);
  EXPECT_EQ(wafers.limit, "the links between wafers");
  EXPECT_LT(wafers.seconds, streamed.seconds / 16);
  large.link_bits_per_s = 1.2e15;  // faster links, and computing decides
  EXPECT_EQ(time_of_stream(large, machine, formulas).limit, "computing");
}

TEST(Stream, RefusesWhatDoesNotFit) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  const RunOptions formulas{.fidelity = Fidelity::closed_form};
  EXPECT_THROW(time_of_stream(planes(64, 8, 8192, 1), machine, formulas), Error);  // a long line
  EXPECT_THROW(time_of_stream(planes(64, 8, 63, 2), machine, formulas), Error);
  WaferMachine small = machine;
  small.width = small.height = 32;
  EXPECT_NO_THROW(time_of_stream(planes(256, 16, 256, 1), small, formulas));
  EXPECT_THROW(time_of_stream(planes(256, 16, 256, 2), small, formulas), Error);  // do not hold it
  StreamPlan backward = planes(16, 4, 4, 1);
  backward.plane.direction = Direction::backward;
  EXPECT_THROW(time_of_stream(backward, machine, formulas), Error);
}

}  // namespace
}  // namespace weft::fabric
