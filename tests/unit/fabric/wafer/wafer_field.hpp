// SPDX-License-Identifier: BSD-3-Clause
// Random fields as a wafer holds them, their spectra by weft's own transform, and the plans that
// tests of whole transforms have in common.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "fabric/wafer/run.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {

using Number = std::complex<float>;

struct Field {
  WaferPlan plan;
  WaferLayout layout;
  std::vector<Number> data;                    ///< as the wafer holds it
  std::vector<std::complex<double>> spectrum;  ///< [kx][ky][kz], by weft's own transform
};

inline Field make_field(const WaferPlan& plan, const WaferMachine& machine) {
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

inline double spectral_error(const Field& field) {
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

inline double tolerance(const WaferPlan& plan) {
  const double points = static_cast<double>(plan.shape[0] * plan.shape[1] * plan.shape[2]);
  const double eps = plan.precision == Precision::f16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -24);
  return 2 * eps * std::log2(points + 2);
}

inline double distance(const std::vector<Number>& a, const std::vector<Number>& b) {
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    difference += std::norm(a[k] - b[k]);
    norm += std::norm(b[k]);
  }
  return std::sqrt(difference / norm);
}

inline void check_round_trip(WaferPlan plan, Fidelity fidelity) {
  const WaferMachine machine = wafer_of(load_machine("wse2"));
  Field field = make_field(plan, machine);
  const std::vector<Number> original = field.data;
  run_on_wafer(plan, machine, field.data, {.fidelity = fidelity});
  EXPECT_LT(spectral_error(field), tolerance(plan)) << plan.describe();
  plan.direction = Direction::backward;
  run_on_wafer(plan, machine, field.data, {.fidelity = fidelity});
  EXPECT_LT(distance(field.data, original), 2 * tolerance(plan)) << plan.describe();
}

inline WaferPlan crossed_cube(int n, Precision precision = Precision::f32,
                              Direction direction = Direction::forward) {
  return {.shape = {n, n, n},
          .width = n,
          .height = n,
          .precision = precision,
          .direction = direction,
          .schedule = WaferSchedule::crossed,
          .kernel = WaferKernel::stockham};
}

/// What a line that is simulated alone lacks: on the mesh an element's row and column share its
/// ramps. In each of the two exchanges, and in the hop between sisters, a word waits at most for
/// those of the other line that pass the same ramp: no more than an element sends or receives.
inline double shared_ramp_words(const WaferPlan& plan) {
  const WaferLayout layout = layout_of(plan, wafer_of(load_machine("wse2")));
  const double sister = plan.schedule == WaferSchedule::crossed ? 0.5 : 0;
  return (2 + sister) * static_cast<double>(layout.numbers() * layout.words);
}

inline void expect_within_shared_ramps(const WaferPlan& plan, const WaferTiming& whole,
                                       const WaferTiming& lines) {
  EXPECT_NEAR(static_cast<double>(whole.cycles), static_cast<double>(lines.cycles),
              shared_ramp_words(plan))
      << plan.describe();
  EXPECT_EQ(whole.word_hops, lines.word_hops) << plan.describe();
}

inline WaferPlan in_halves(WaferPlan plan) {
  plan.sending = WaferSending::halves;
  return plan;
}

}  // namespace weft::fabric
