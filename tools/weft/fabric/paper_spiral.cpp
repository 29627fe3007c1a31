// SPDX-License-Identifier: BSD-3-Clause
// The Global FFT on BlueGene/P (Spiral).
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "fabric/network/global_fft.hpp"
#include "fabric/schedule.hpp"
#include "flow_picture.hpp"
#include "paper.hpp"
#include "paper_measured.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace spiral_paper {

double equation_19_error(int m, int n, int p) {
  std::mt19937 generator(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(m * n));
  for (auto& value : x) value = {uniform(generator), uniform(generator)};
  std::vector<std::complex<double>> expected(x.size());
  Plan(c2c({m * n})).execute(x.data(), expected.data());
  const auto result = fabric::global_fft(x, m, n, p);
  double largest = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    largest = std::max(largest, std::abs(result[k] - expected[k]));
  return largest;
}

void figures_1_to_4(PaperReport& report, const PaperOptions& options) {
  report.items.push_back({.name = "Figure 1",
                          .subject = "Generated C of an 8-point FFT",
                          .answer = "`weft codegen` prints weft's kernels: another generator, "
                                    "another compiler; the text cannot be the same"});
  report.items.push_back({.name = "Table 1",
                          .subject = "Formulas and the loops that they become",
                          .answer = "docs/formula.md has weft's rules; the printed loop for L is "
                                    "the inverse of its definition"});
  report.items.push_back({.name = "Figure 2",
                          .subject = "A recursive transform in the manner of FFTW 2",
                          .answer = "program text; `weft explain 1024` prints what weft does "
                                    "instead"});
  const auto picture = [](Index length, Index ranks) {
    return flow_svg(ranks == 1 ? fmt::format("Figure 3: six-step FFT of {}", length)
                               : fmt::format("Eq. (19): FFT of {} on {} ranks", length, ranks),
                    global_fft_stages(length, ranks), ranks);
  };
  PaperItem flow{.name = "Figure 3",
                 .subject = "Data flow of the six-step FFT for n = 2^4",
                 .answer =
                     "drawn from the formula, and beside it the algorithm of the paper on "
                     "ranks; --length and --ranks draw others",
                 .pictures = {picture(16, 1), picture(16, 2)}};
  if (options.flow_length != 16 || options.flow_ranks != 1)
    flow.pictures.push_back(picture(options.flow_length, options.flow_ranks));
  report.items.push_back(flow);
  report.items.push_back({.name = "Figure 4",
                          .subject = "The Global FFT as a program",
                          .answer = "src/fabric/network/global_fft.cpp carries it out on numbers "
                                    "(row B1); the second and third all-to-all of the figure name "
                                    "the wrong array"});
}

void figure_5(PaperReport& report) {
  const fabric::TorusMachine machine = fabric::torus_of(fabric::load_machine("bluegene-p"));
  const double points = std::ldexp(1.0, 23);
  Series model{.name = "weft's model", .points = {}};
  for (const auto& shape : machine.shapes) {
    const int nodes = shape[0] * shape[1] * shape[2];
    const fabric::GlobalFftTime time = fabric::global_fft_time(machine, nodes, points);
    model.points.emplace_back(nodes * machine.cores_per_node, time.flops / time.total() / 1e12);
  }
  report.rows.push_back({.id = "B2",
                         .item = "128k cores",
                         .basis = Basis::printed,
                         .expected = 6.4,
                         .weft = model.points.back().second,
                         .tolerance = 0.01,
                         .is_fitted = true,
                         .quote = quote("spiral 32 racks"),
                         .unit = "Tflop/s"});
  for (const auto& [cores, rate] : model.points)
    report.rows.push_back({.id = "B",
                           .item = fmt::format("{:.0f} cores", cores),
                           .weft = rate,
                           .unit = "Tflop/s",
                           .remark = "the model alone; Fig. 5 prints no number"});
  const Chart chart{.title = "Figure 5: Global FFT, 2^23 points per node",
                    .x_label = "cores",
                    .y_label = "Tflop/s",
                    .log_x = true,
                    .log_y = true,
                    .series = {model,
                               {.name = "printed: 6.4 Tflop/s on 32 racks",
                                .points = {{131072, 6.4}},
                                .only_points = true}}};
  report.items.push_back(
      {.name = "Figure 5",
       .subject = "Rates of the Global FFT from 128 cores to 128k cores, and of UPC + ESSL",
       .answer = "from the model, fitted to the one number that is printed; for UPC + ESSL none "
                 "is, --measure compares the two ways on this machine",
       .pictures = {to_svg(chart)}});
}

void reordering(PaperReport& report, const MeasuredOnRanks& measured) {
  TextTable table{.head = {"points", "ranks", "merged, ms", "explicit, ms", "explicit / merged"},
                  .rows = {}};
  for (const ReorderingTime& time : measured.reorderings) {
    const double power = std::log2(static_cast<double>(time.points));
    const std::string points =
        power == std::floor(power) ? fmt::format("2^{:.0f}", power) : fmt::to_string(time.points);
    table.rows.push_back(
        {points, fmt::format("{}", time.ranks), fmt::format("{:.2f}", 1e3 * time.merged_s),
         fmt::format("{:.2f}", 1e3 * time.explicit_s), fmt::format("{:.2f}", time.ratio)});
    report.rows.push_back({.id = "B5",
                           .item = fmt::format("{} points on {} ranks, merged and explicit, "
                                               "relative difference",
                                               points, time.ranks),
                           .basis = Basis::derived,
                           .expected = 2 * 0x1p-53 * power,  // eps log2 N of each
                           .weft = time.difference,
                           .is_limit = true,
                           .remark = "on data"});
  }
  report.items.push_back(
      {.name = "Section 4",
       .subject = "Merged against explicit reordering; the paper says that merging generally wins",
       .answer = fmt::format(
           "measured here over {}, in turns, medians of 9: weft's recipe for one line, and Eq. "
           "(19) "
           "with weft's transforms and every permutation as a pass of its own; both with "
           "all-to-alls",
           measured.transport == "threads"
               ? "ranks that are threads (over MPI: mpiexec -n 4 weft paper spiral --measure)"
               : "the ranks of " + measured.transport),
       .table = table});
}

void figure_6(PaperReport& report) {
  Chart chart{.title = "Figure 6: one process of this machine",
              .x_label = "points",
              .y_label = "Gflop/s",
              .log_x = true,
              .series = {{.name = "GSL", .points = {}, .dashed = true},
                         {.name = "weft, scalar", .points = {}},
                         {.name = "weft, SIMD", .points = {}},
                         {.name = "weft, SIMD and threads", .points = {}}}};
  TextTable table{
      .head = {"points", "GSL, Gflop/s", "scalar", "SIMD", "SIMD and threads", "SIMD / GSL"},
      .rows = {}};
  int threads = 1;
  bool has_gsl = false;
  for (int power = 6; power <= 20; power += 2) {
    const NodeRates rates = measure_node(Index{1} << power);
    const double values[] = {rates.gsl, rates.scalar, rates.simd, rates.threads};
    for (std::size_t k = 0; k < 4; ++k)
      if (values[k] > 0)
        chart.series[k].points.emplace_back(static_cast<double>(rates.points), values[k]);
    std::vector<std::string> cells = {fmt::format("2^{}", power)};
    for (const double value : values)
      cells.push_back(value > 0 ? fmt::format("{:.2f}", value) : "-");
    cells.push_back(rates.gsl > 0 ? fmt::format("{:.1f}", rates.simd / rates.gsl) : "-");
    table.rows.push_back(cells);
    threads = rates.thread_count;
    has_gsl = has_gsl || rates.gsl > 0;
  }
  std::erase_if(chart.series, [](const Series& series) { return series.points.empty(); });
  report.items.push_back(
      {.name = "Figure 6",
       .subject = "One node of BlueGene/P: GSL, and Spiral's code scalar, vectorised, threaded",
       .answer = fmt::format("measured here in turns, {} threads{}", threads,
                             has_gsl ? "" : "; GSL is missing, install libgsl27"),
       .pictures = {to_svg(chart)},
       .table = table});
}

}  // namespace spiral_paper

PaperReport spiral_report(const PaperOptions& options) {
  using namespace spiral_paper;
  PaperReport report{.name = "spiral",
                     .title = "The Global FFT on BlueGene/P (Spiral)",
                     .rows = {},
                     .items = {},
                     .notes = {}};
  report.rows.push_back({.id = "B1",
                         .item = "Eq. (19), 128 x 96 on 32 processes, largest error",
                         .basis = Basis::derived,
                         .expected = 1e-11,
                         .weft = equation_19_error(128, 96, 32),
                         .is_limit = true,
                         .remark = "on data"});
  const fabric::Topology torus = fabric::Topology::torus({8, 8, 8});
  const fabric::LinkLoad load =
      fabric::direct(torus, fabric::alltoall(torus.nodes(), 1)).load(torus);
  report.rows.push_back({.id = "B4",
                         .item = "busiest link of an 8x8x8 all-to-all, of D = 512 words",
                         .basis = Basis::derived,
                         .expected = 512.0 * 8 / 8,
                         .weft = static_cast<double>(load.most),
                         .remark = "D L/8"});
  figures_1_to_4(report, options);
  figure_5(report);
  if (options.measured) {
    reordering(report, *options.measured);
    figure_6(report);
  } else {
    report.items.push_back({.name = "Figure 6",
                            .subject = "One node of BlueGene/P: GSL, and Spiral's code scalar, "
                                       "vectorised, threaded",
                            .answer = "--measure times weft's code and GSL here; BlueGene/P's "
                                      "curves print no number"});
  }
  report.items.push_back({.name = "Figure 7",
                          .subject = "One thread of BlueGene/Q with QPX: Spiral, FFTW and ESSL",
                          .answer = "cannot be computed: the machine is not described enough for a "
                                    "model, and no number is printed; `weft bench local` has weft "
                                    "and FFTW here"});
  report.notes.push_back(
      "Times are formulas. Fitted to the 6.4 Tflop/s: the efficiency of the links and the rate of "
      "a node, which one number cannot tell apart.");
  report.notes.push_back(
      "The paper's 5 Tflop/s, which 6.4 is 28 % more than, is the 2008 Class I run of FFTE on the "
      "same machine. For its own version with explicit reordering (UPC and ESSL, up to eight "
      "racks) the paper prints no number, so weft has no model of it.");
  report.notes.push_back(
      "Errata: the loop for L in the paper's Table 1 is the inverse of its definition; the "
      "second and third all-to-all of Figure 4 name the wrong array.");
  return report;
}

}  // namespace weft::tool
