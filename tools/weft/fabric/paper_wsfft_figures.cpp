// SPDX-License-Identifier: BSD-3-Clause
#include "paper_wsfft_figures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../text.hpp"
#include "arguments.hpp"

namespace weft::tool {
namespace wsfft_figures {

using fabric::WaferMachine;
using fabric::WaferPlan;
using fabric::WaferTiming;

constexpr Precision both_precisions[] = {Precision::f16, Precision::f32};

WaferPlan cube_on(std::int64_t n, int elements, Precision precision) {
  return {.shape = {n, n, n}, .width = elements, .height = elements, .precision = precision};
}

double tflops_of(double n, double cycles, double clock) {
  return 15 * n * n * n * std::log2(n) / (cycles / clock) / 1e12;
}

std::string level(const WsfftRuns& runs, int n) {
  return n <= 128 || runs.full ? "by wavelets" : "by blocks of words";
}

void drawings(PaperReport& report) {
  report.items.push_back({.name = "Figure 1",
                          .subject = "A subset of 4 x 4 elements: links, memory, core, router",
                          .answer = "a drawing without numbers; `weft animate --size 4^3` shows "
                                    "such a mesh at work"});
  report.items.push_back({.name = "Figure 2",
                          .subject = "How 4^3 numbers lie on 4 x 4 elements in the three steps",
                          .answer = "a drawing without numbers; `weft animate --size 4^3` moves "
                                    "every number of it"});
}

void figure_3(PaperReport& report, const WsfftRuns& runs) {
  Chart chart{.title = "Figure 3: pencils on one element",
              .x_label = "n",
              .y_label = "flop per cycle",
              .log_x = true,
              .series = {}};
  for (const Precision precision : both_precisions) {
    const char* name = to_string(precision);
    Series fitted{.name = fmt::format("{}, fitted to the printed ends", name), .points = {}};
    Series formula{
        .name = fmt::format("{}, the paper's formula", name), .points = {}, .dashed = true};
    for (int n = 16; n <= (precision == Precision::f16 ? 4096 : 2048); n *= 2) {
      const double flops = 5.0 * n * std::log2(n);
      fitted.points.emplace_back(n, flops / runs.measured.speeds(precision).pencil.cycles(n));
      formula.points.emplace_back(n, flops / runs.paper.speeds(precision).pencil.cycles(n));
    }
    chart.series.push_back(fitted);
    chart.series.push_back(formula);
  }
  chart.series.push_back(
      {.name = "printed in the text", .points = {{2048, 0.57}, {4096, 0.89}}, .only_points = true});
  report.items.push_back(
      {.name = "Figure 3",
       .subject = "Throughput of a pencil on one element by its length, FP16 and FP32",
       .answer = "the curve that was fitted to the two printed ends, and the paper's own formula, "
                 "which lies below them",
       .pictures = {to_svg(chart)}});
}

void table_1_item(PaperReport& report, const WsfftRuns& runs) {
  TextTable table{.head = {"size", "mesh", "FP16 published", "FP16 weft", "FP32 published",
                           "FP32 weft", "counted"},
                  .rows = {}};
  for (const WsfftCell& cell : wsfft_table_1)
    table.rows.push_back({fmt::format("{}^3", cell.n), fmt::format("{0} x {0}", cell.n),
                          fmt::format("{:.0f}", cell.f16),
                          fmt::format("{}", runs.cycles.at({cell.n, Precision::f16}).cycles),
                          fmt::format("{:.0f}", cell.f32),
                          fmt::format("{}", runs.cycles.at({cell.n, Precision::f32}).cycles),
                          level(runs, cell.n)});
  report.items.push_back({.name = "Table 1",
                          .subject = "Cycles of 3-D transforms measured on the CS-2",
                          .answer = "simulated with parameters fitted to these ten numbers",
                          .table = table});
}

void figure_4(PaperReport& report, const WsfftRuns& runs) {
  BarChart chart{.title = "Figure 4: cycles over n^2",
                 .x_label = "n and precision",
                 .y_label = "cycles / n^2",
                 .parts = {"exchanges", "computing"},
                 .bars = {},
                 .mark_name = "in all, from Table 1"};
  for (const WsfftCell& cell : wsfft_table_1)
    for (const Precision precision : both_precisions) {
      const WaferTiming& timing = runs.cycles.at({cell.n, precision});
      const double area = static_cast<double>(cell.n) * cell.n;
      chart.bars.push_back({.label = fmt::format("{} {}", cell.n, to_string(precision)),
                            .values = {static_cast<double>(timing.exchange) / area,
                                       static_cast<double>(timing.cycles - timing.exchange) / area},
                            .mark = (precision == Precision::f16 ? cell.f16 : cell.f32) / area});
    }
  const auto exchange = [&](Precision precision) {
    return static_cast<double>(runs.cycles.at({512, precision}).exchange);
  };
  report.rows.push_back({.id = "W13",
                         .item = "exchanges of 512^3, FP32 over FP16",
                         .basis = Basis::printed,
                         .expected = 1.8,
                         .weft = exchange(Precision::f32) / exchange(Precision::f16),
                         .tolerance = 0.02,
                         .is_fitted = true,
                         .quote = quote("wsfft 1.8"),
                         .unit = "times",
                         .remark = level(runs, 512)});
  report.items.push_back({.name = "Figure 4",
                          .subject = "Cycles over n^2, split into communication and computation",
                          .answer = "the split of the simulated transforms; the paper prints only "
                                    "its sums",
                          .pictures = {to_svg(chart)}});
}

/// Eq. (10) of the paper, from weft's phases.
double cycles_at_1024(const WsfftRuns& runs, Precision precision) {
  return 4 * static_cast<double>(runs.cycles.at({512, precision}).exchange) +
         3 * runs.measured.speeds(precision).pencil.cycles(1024);
}

void figure_5(PaperReport& report, const WsfftRuns& runs) {
  Chart chart{.title = "Figure 5: weak scaling, n^3 on n x n elements",
              .x_label = "n",
              .y_label = "Tflop/s",
              .log_x = true,
              .series = {}};
  for (const Precision precision : both_precisions) {
    const char* name = to_string(precision);
    Series here{.name = fmt::format("{}, weft", name), .points = {}};
    Series there{.name = fmt::format("{}, published", name), .points = {}, .only_points = true};
    for (const WsfftCell& cell : wsfft_table_1) {
      here.points.emplace_back(
          cell.n, tflops_of(cell.n, static_cast<double>(runs.cycles.at({cell.n, precision}).cycles),
                            runs.clock()));
      there.points.emplace_back(
          cell.n,
          tflops_of(cell.n, precision == Precision::f16 ? cell.f16 : cell.f32, runs.clock()));
    }
    here.points.emplace_back(1024, tflops_of(1024, cycles_at_1024(runs, precision), runs.clock()));
    there.points.emplace_back(1024, precision == Precision::f16 ? 80 : 49.7);
    chart.series.push_back(here);
    chart.series.push_back(there);
  }
  report.items.push_back(
      {.name = "Figure 5",
       .subject = "Weak scaling: Tflop/s of n^3 on n x n elements, 1024 estimated by Eq. (10)",
       .answer = "published points from Table 1; at 1024 Eq. (10) with weft's phases, which "
                 "contradicts the printed FP32 estimate",
       .pictures = {to_svg(chart)}});
}

/// Words that all routers pass on in both exchanges: counted by the simulator where it followed
/// wavelets, else by the formula, which leaves out control wavelets (1 % of them at n = 64).
double routed_words(const WsfftRuns& runs, int n, Precision precision) {
  const WaferTiming& timing = runs.cycles.at({n, precision});
  if (timing.word_hops > 0) return static_cast<double>(timing.word_hops);
  const double r = precision == Precision::f16 ? 1 : 2;
  return 2.0 * n * 2 * r * n * (n - 1.0) * (2.0 * n - 1) / 6;
}

void figure_6(PaperReport& report, const WsfftRuns& runs) {
  Chart chart{.title = "Figure 6: bandwidth used by all routers",
              .x_label = "n",
              .y_label = "TB/s",
              .log_x = true,
              .log_y = true,
              .series = {}};
  for (const Precision precision : both_precisions) {
    Series series{
        .name = fmt::format("{}, hops of the simulator over its time", to_string(precision)),
        .points = {}};
    for (const WsfftCell& cell : wsfft_table_1)
      series.points.emplace_back(
          cell.n, 4 * routed_words(runs, cell.n, precision) /
                      runs.cycles.at({cell.n, precision}).seconds(runs.measured) / 1e12);
    chart.series.push_back(series);
  }
  chart.series.push_back(
      {.name = "printed: 0.8 PB/s", .points = {{512, 800}}, .only_points = true});
  report.items.push_back(
      {.name = "Figure 6",
       .subject = "Bytes per second that the routers pass on, n^3 on n x n elements",
       .answer = fmt::format("word hops counted by the simulator to n = {}, above it by the "
                             "formula without control wavelets",
                             runs.full ? 512 : 128),
       .pictures = {to_svg(chart)}});
}

struct Strong {
  int n, elements;
  double f16, f32;  ///< Tflop/s that the paper prints; 0: none
};
constexpr Strong strong_points[] = {
    {256, 64, 0, 0},        {256, 128, 0, 0},      {256, 256, 11.6, 7.2}, {512, 256, 0, 0},
    {512, 512, 32.7, 18.9}, {1024, 512, 36, 22.5}, {1024, 1024, 80, 49.7}};

void figure_7(PaperReport& report, const WsfftRuns& runs) {
  WaferMachine large =
      runs.measured;  // the memory is judged, not obeyed, and the mesh may be larger
  large.width = large.height = 1024;
  large.memory_bytes = std::int64_t{1} << 30;
  Chart chart{.title = "Figure 7: strong scaling",
              .x_label = "elements",
              .y_label = "Tflop/s",
              .log_x = true,
              .log_y = true,
              .series = {}};
  TextTable table{.head = {"size", "elements", "precision", "Tflop/s published", "Tflop/s weft",
                           "memory of an element"},
                  .rows = {}};
  for (const Precision precision : both_precisions)
    for (const int n : {256, 512, 1024}) {
      Series series{.name = fmt::format("{}^3 {}", n, to_string(precision)), .points = {}};
      for (const Strong& point : strong_points) {
        if (point.n != n) continue;
        const WaferPlan plan = cube_on(n, point.elements, precision);
        const double rate =
            tflops_of(n, static_cast<double>(runs.time(plan, large, false).cycles), runs.clock());
        const double count = static_cast<double>(point.elements) * point.elements;
        series.points.emplace_back(count, rate);
        fabric::WaferMemory memory = fabric::memory_of(plan, large);
        memory.available_bytes = runs.measured.memory_bytes;
        if (!memory.fits()) series.hollow.insert(count);
        const double printed = precision == Precision::f16 ? point.f16 : point.f32;
        table.rows.push_back({fmt::format("{}^3", n), fmt::format("{}^2", point.elements),
                              to_string(precision),
                              printed > 0 ? fmt::format("{:g}", printed) : "not printed",
                              fmt::format("{:.3g}", rate), memory.describe()});
      }
      chart.series.push_back(series);
    }
  Series printed{.name = "printed in the text", .points = {}, .only_points = true};
  for (const Strong& point : strong_points)
    for (const double rate : {point.f16, point.f32})
      if (rate > 0)
        printed.points.emplace_back(static_cast<double>(point.elements) * point.elements, rate);
  chart.series.push_back(printed);
  report.items.push_back(
      {.name = "Figure 7",
       .subject = "Strong scaling: 256^3, 512^3 and 1024^3 on growing square meshes",
       .answer = "counted by blocks of words with m x m pencils per element, where the paper "
                 "estimates by Eq. (11); hollow points do not fit 48 KB",
       .pictures = {to_svg(chart)},
       .table = table});
}

void table_2(PaperReport& report, const WsfftRuns& runs) {
  const auto rate = [&](int n, Precision precision) {
    return fmt::format(
        "{:.3g}",
        tflops_of(n, static_cast<double>(runs.cycles.at({n, precision}).cycles), runs.clock()));
  };
  const auto by_eq_11 = [&](Precision precision) {
    const double cycles = 8 * static_cast<double>(runs.cycles.at({512, precision}).exchange) +
                          12 * runs.measured.speeds(precision).pencil.cycles(1024);
    return fmt::format("{:.3g} (Eq. (11))", tflops_of(1024, cycles, runs.clock()));
  };
  const std::string none = "not a machine of weft";
  const auto summit = [](double edge, double nodes) {
    return fmt::format("{:.2g} (model of weft paper heffte)", heffte_model_tflops(edge, nodes));
  };
  report.items.push_back(
      {.name = "Table 2",
       .subject = "wsFFT beside the fastest reported transforms of other machines, Tflop/s",
       .answer =
           "weft's column has the wafer and heFFTe's scheme on Summit; the others stand as printed",
       .table = TextTable{
           .head = {"size", "precision", "software and machine", "published", "weft"},
           .rows = {
               {"256^3", "64-bit", "Takahashi on Appro Xtreme-X3", "0.4", none},
               {"256^3", "64-bit", "HeFFTe on 32-node Summit", "0.5", summit(256, 32)},
               {"256^3", "32-bit", "wsFFT on CS-2", "7.2", rate(256, Precision::f32)},
               {"256^3", "16-bit", "wsFFT on CS-2", "11.6", rate(256, Precision::f16)},
               {"512^3", "64-bit", "HeFFTe on 64-node Summit", "1.3", summit(512, 64)},
               {"512^3", "32-bit", "cuFFT on DGXA100", "~16", none},
               {"512^3", "32-bit", "wsFFT on CS-2", "18.9", rate(512, Precision::f32)},
               {"512^3", "16-bit", "wsFFT on CS-2", "32.7", rate(512, Precision::f16)},
               {"1024^3", "64-bit", "HeFFTe on 1024-node Summit", "~9", summit(1024, 1024)},
               {"1024^3", "32-bit", "Google's FFT on TPU v3 pod", "10.9", none},
               {"1024^3", "32-bit", "cuFFT on DGXA100", "~19", none},
               {"1024^3", "32-bit", "wsFFT on CS-2, estimated", "22.5", by_eq_11(Precision::f32)},
               {"1024^3", "16-bit", "wsFFT on CS-2, estimated", "36", by_eq_11(Precision::f16)},
           }}});
}

/// Inequalities (5) and (7), on exchanges that were simulated.
void inequalities(PaperReport& report, const WsfftRuns& runs) {
  const auto exchange = [&](const WaferPlan& plan) {
    return static_cast<double>(runs.time(plan, runs.paper, true).exchange);
  };
  for (const int n : {32, 128}) {
    const double ratio =
        exchange(cube_on(n, n, Precision::f32)) / exchange(cube_on(n, n, Precision::f16));
    report.rows.push_back({.id = "W14",
                           .item = fmt::format("exchanges of {}^3, FP32 over FP16", n),
                           .basis = Basis::evaluated,
                           .expected = 2,
                           .weft = ratio,
                           .is_limit = true,
                           .quote = quote("wsfft eq 5"),
                           .unit = "times",
                           .remark = "simulated by wavelets"});
  }
  const double one = exchange(cube_on(64, 64, Precision::f32));
  for (const int m : {2, 4})
    report.rows.push_back({.id = "W14",
                           .item = fmt::format("exchanges of 64^3, {0} x {0} pencils over one", m),
                           .basis = Basis::evaluated,
                           .expected = static_cast<double>(m),
                           .weft = exchange(cube_on(64, 64 / m, Precision::f32)) / one,
                           .is_limit = true,
                           .quote = quote("wsfft eq 7"),
                           .unit = "times",
                           .remark = "simulated by wavelets"});
}

/// What section 1 says about the link to the host, and section 6 about the bisection and two
/// dimensions.
void links(PaperReport& report, const WsfftRuns& runs) {
  const double bytes = 8.0 * 512 * 512 * 512;
  report.rows.push_back({.id = "W15",
                         .item = "512^3, f32, onto the wafer and off it",
                         .basis = Basis::printed,
                         .expected = 14,
                         .weft = 2e3 * runs.measured.host_seconds(bytes),
                         .tolerance = 0.03,
                         .quote = quote("wsfft host"),
                         .unit = "ms",
                         .remark = "1.2 Tbit/s; one way it is half"});
  report.rows.push_back({.id = "W15",
                         .item = "bisection of 512 x 512, both directions",
                         .basis = Basis::printed,
                         .expected = 3.5,
                         .weft = 2 * 512 * 4 * runs.measured.clock_hz / 1e12,
                         .tolerance = 0.01,
                         .quote = quote("wsfft bisection"),
                         .unit = "TB/s"});
  WaferPlan plan{.dimensions = 2, .shape = {256, 256, 1}, .width = 16, .height = 16};
  const WaferTiming timing = runs.time(plan, runs.paper, true);
  const double bound = 2 * std::pow(256, 1.5) / 4;
  report.rows.push_back({.id = "W15",
                         .item = "256^2 on 16 x 16, f32, two exchanges over the bound of one",
                         .weft = static_cast<double>(timing.exchange) / bound,
                         .unit = "times",
                         .remark = "Section 6.1's n^1.5/4 (twice for FP32); broadcast and filter "
                                   "by wavelets"});
}

}  // namespace wsfft_figures

void add_wsfft_figures(PaperReport& report, const WsfftRuns& runs) {
  using namespace wsfft_figures;
  drawings(report);
  figure_3(report, runs);
  table_1_item(report, runs);
  figure_4(report, runs);
  figure_5(report, runs);
  figure_6(report, runs);
  figure_7(report, runs);
  table_2(report, runs);
  inequalities(report, runs);
  links(report, runs);
}

}  // namespace weft::tool
