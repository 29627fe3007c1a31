// SPDX-License-Identifier: BSD-3-Clause
// FFT for the APE Parallel Computer: scaling, efficiency, hop counts, and the algorithms on data.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "fabric/systolic/transform.hpp"
#include "paper.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace {

using fabric::Complex;

constexpr const char* machines[] = {"ape100-q4", "ape100-qh1", "ape100-qh2", "ape100-qh4"};

fabric::SystolicMachine ape(const char* name) {
  return fabric::systolic_of(fabric::load_machine(name));
}

/// The slope of log y over log x.
double exponent(const std::vector<std::pair<double, double>>& points) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    sx += std::log(x);
    sy += std::log(y);
    sxx += std::log(x) * std::log(x);
    sxy += std::log(x) * std::log(y);
  }
  const auto count = static_cast<double>(points.size());
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

double algorithm_error(int p, bool by_phases) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> matrix(static_cast<std::size_t>(p * p));
  for (Complex& value : matrix) value = {uniform(generator), uniform(generator)};
  std::vector<Complex> expected(matrix.size());
  Plan(c2c({p, p})).execute(matrix.data(), expected.data());
  const std::vector<Complex> result =
      by_phases ? fabric::systolic_fft_2d_by_phases(matrix, p)
                : fabric::systolic_fft_2d(matrix, p, p, fabric::AbelianGroup{{p}},
                                          fabric::Layout2d::restored);
  double largest = 0;
  for (std::size_t k = 0; k < result.size(); ++k)
    largest = std::max(largest, std::abs(result[k] - expected[k]));
  return largest;
}

void add_scaling(PaperReport& report) {
  Series shift{.name = "between nodes", .points = {}}, all{.name = "with skewing", .points = {}};
  for (const char* name : machines) {
    const fabric::SystolicMachine machine = ape(name);
    const fabric::SystolicTime time = fabric::transposition_time(machine, 2048);
    shift.points.emplace_back(machine.nodes(), time.shift_s);
    all.points.emplace_back(machine.nodes(), time.transposition());
  }
  report.rows.push_back({.id = "A1",
                         .item = "Fig. 8, exponent of the time over nodes, 2048^2",
                         .published = -0.76,
                         .weft = exponent(shift.points),
                         .tolerance = 0.03,
                         .is_absolute = true});
  report.charts.push_back({.title = "Figure 8: transposition of 2048 x 2048",
                           .x_label = "nodes",
                           .y_label = "seconds",
                           .log_x = true,
                           .log_y = true,
                           .series = {shift, all}});
}

void add_crossing(PaperReport& report) {
  Series q4{.name = "Q4, 32 nodes", .points = {}}, qh4{.name = "QH4, 512 nodes", .points = {}};
  double crossing = 0;
  for (int n = 256; n <= 8192; n += 16) {
    const double small = fabric::transposition_time(ape("ape100-q4"), n).transposition();
    const double large = fabric::transposition_time(ape("ape100-qh4"), n).transposition();
    if (large < small && crossing == 0) crossing = n;
    if ((n & (n - 1)) == 0) {
      q4.points.emplace_back(n, small);
      qh4.points.emplace_back(n, large);
    }
  }
  report.rows.push_back({.id = "A3",
                         .item = "Fig. 7, the curves of Q4 and QH4 cross at n",
                         .published = 1024,
                         .weft = crossing,
                         .tolerance = 0.27,
                         .is_fitted = true});
  report.charts.push_back({.title = "Figure 7: transposition by size",
                           .x_label = "n",
                           .y_label = "seconds",
                           .log_x = true,
                           .log_y = true,
                           .series = {q4, qh4}});
}

}  // namespace

PaperReport ape_report() {
  PaperReport report{.name = "ape",
                     .title = "FFT for the APE Parallel Computer (APE100 / Quadrics)",
                     .rows = {},
                     .charts = {},
                     .notes = {}};
  add_scaling(report);
  const fabric::SystolicMachine qh4 = ape("ape100-qh4");
  const double flops = 5.0 * 8192 * 8192 * 26;
  for (const int transpositions : {1, 2}) {
    const fabric::SystolicTime time = fabric::fft_2d_time(qh4, 8192, transpositions);
    const double seconds = time.compute_s + time.transposition();
    report.rows.push_back({.id = "A2",
                           .item = fmt::format("8192^2 on QH4, {} transposition{}", transpositions,
                                               transpositions == 1 ? "" : "s"),
                           .published = transpositions == 1 ? 8.5 : 5.8,
                           .weft = 100 * flops / seconds / fabric::peak_flops(qh4),
                           .tolerance = 0.3,
                           .is_fitted = true,
                           .is_absolute = true,
                           .unit = "% of peak",
                           .remark = transpositions == 1 ? "printed as about 9 %; 4 s are 8.5 %"
                                                         : "printed as about 6 %"});
  }
  add_crossing(report);
  const double hops[] = {96, 512, 1280, 3072};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto& sides = ape(machines[k]).torus;
    const fabric::AbelianGroup torus{{sides[0], sides[1], sides[2]}};
    report.rows.push_back(
        {.id = "A4",
         .item = fmt::format("row hops, torus {}x{}x{}", sides[0], sides[1], sides[2]),
         .published = hops[k],
         .weft = static_cast<double>(fabric::row_shift_count(torus).row_hops)});
    report.rows.push_back({.id = "A4",
                           .item = "Eq. (3), the same torus as a ring in one direction",
                           .published = torus.order() / 2.0 * (sides[0] + sides[1] + sides[2] + 3),
                           .weft = static_cast<double>(fabric::ring_cost(torus))});
  }
  report.rows.push_back({.id = "A5",
                         .item = "Algorithm 4, 64 x 64 on 64 cells, largest error",
                         .published = 0,
                         .weft = algorithm_error(64, false),
                         .tolerance = 1e-12,
                         .is_absolute = true});
  report.rows.push_back({.id = "A6",
                         .item = "Algorithm 7, 64 x 64 by phase factors, largest error",
                         .published = 0,
                         .weft = algorithm_error(64, true),
                         .tolerance = 1e-12,
                         .is_absolute = true});
  report.notes.push_back(
      "Fitted: 550 cycles per masked row move (to the crossing), 6 cycles per word of "
      "skewing and the share of the local transforms (to 4 s and 6 %).");
  report.notes.push_back(
      "Errata: Algorithm 2 is missing in print; Algorithm 6 as printed moves nothing, its "
      "condition is never true; after Algorithm 5 the axes come back rotated.");
  return report;
}

}  // namespace weft::tool
