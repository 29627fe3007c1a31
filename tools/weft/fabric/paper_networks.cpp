// SPDX-License-Identifier: BSD-3-Clause
// The Global FFT on BlueGene/P (Spiral) and heFFTe on Summit.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "fabric/network/cluster_fft.hpp"
#include "fabric/network/global_fft.hpp"
#include "fabric/schedule.hpp"
#include "paper.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace {

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

}  // namespace

PaperReport spiral_report() {
  PaperReport report{.name = "spiral",
                     .title = "The Global FFT on BlueGene/P (Spiral)",
                     .rows = {},
                     .charts = {},
                     .notes = {}};
  const fabric::TorusMachine machine = fabric::torus_of(fabric::load_machine("bluegene-p"));
  const double points = std::ldexp(1.0, 23);
  report.rows.push_back({.id = "B1",
                         .item = "Eq. (19), 128 x 96 on 32 processes, largest error",
                         .published = 0,
                         .weft = equation_19_error(128, 96, 32),
                         .tolerance = 1e-11,
                         .is_absolute = true});
  Series merged{.name = "merged", .points = {}}, separate{.name = "explicit", .points = {}};
  Series published{.name = "published, 32 racks", .points = {}, .dashed = true};
  for (const auto& shape : machine.shapes) {
    const int nodes = shape[0] * shape[1] * shape[2];
    for (const auto reorder : {fabric::Reorder::merged, fabric::Reorder::explicit_steps}) {
      const fabric::GlobalFftTime time = fabric::global_fft_time(machine, nodes, points, reorder);
      (reorder == fabric::Reorder::merged ? merged : separate)
          .points.emplace_back(nodes * machine.cores_per_node, time.flops / time.total() / 1e12);
    }
  }
  const double best = merged.points.back().second;
  const double other = separate.points.back().second;
  report.rows.push_back({.id = "B2",
                         .item = "128k cores, merged",
                         .published = 6.4,
                         .weft = best,
                         .tolerance = 0.01,
                         .is_fitted = true,
                         .unit = "Tflop/s"});
  report.rows.push_back({.id = "B2",
                         .item = "128k cores, explicit reordering",
                         .published = 5.0,
                         .weft = other,
                         .tolerance = 0.01,
                         .is_fitted = true,
                         .unit = "Tflop/s"});
  report.rows.push_back({.id = "B3",
                         .item = "gain of merging",
                         .published = 28,
                         .weft = 100 * (best / other - 1),
                         .tolerance = 2,
                         .is_fitted = true,
                         .is_absolute = true,
                         .unit = "%"});
  const fabric::Topology torus = fabric::Topology::torus({8, 8, 8});
  const fabric::LinkLoad load =
      fabric::direct(torus, fabric::alltoall(torus.nodes(), 1)).load(torus);
  report.rows.push_back({.id = "B4",
                         .item = "busiest link of an 8x8x8 all-to-all, of D = 512 words",
                         .published = 512.0 * 8 / 8,
                         .weft = static_cast<double>(load.most)});
  published.points = {{131072, 6.4}, {131072, 5.0}};
  for (const auto& [cores, rate] : merged.points)
    report.rows.push_back({.id = "B",
                           .item = fmt::format("{:.0f} cores, merged", cores),
                           .weft = rate,
                           .has_published = false,
                           .unit = "Tflop/s"});
  report.charts.push_back({.title = "Figure 5: Global FFT, 2^23 points per node",
                           .x_label = "cores",
                           .y_label = "Tflop/s",
                           .log_x = true,
                           .log_y = true,
                           .series = {merged, separate, published}});
  report.notes.push_back(
      "6.4 and 5.0 Tflop/s are inputs of the calibration (efficiency of the links, rate of a "
      "node, passes of explicit reordering); Figure 5 gives no other numbers to compare with.");
  report.notes.push_back(
      "Errata: the loop for L in the paper's Table 1 is the inverse of its definition; the "
      "second and third all-to-all of Figure 4 name the wrong array.");
  return report;
}

PaperReport heffte_report() {
  PaperReport report{
      .name = "heffte", .title = "heFFTe on Summit", .rows = {}, .charts = {}, .notes = {}};
  const fabric::ClusterMachine summit = fabric::cluster_of(fabric::load_machine("summit"));
  const double points = std::ldexp(1.0, 30);
  report.rows.push_back({.id = "H1",
                         .item = "Eq. (3), roofline per node and log2 N",
                         .published = 1.953,
                         .weft = fabric::roofline_flops(summit, 1, points, 16, 4) / 30 / 1e9,
                         .tolerance = 0.0003,
                         .unit = "Gflop/s"});
  const auto rate = [&](double edge, int nodes, fabric::ClusterScheme scheme) {
    const double count = edge * edge * edge;
    return 5 * count * std::log2(count) /
           fabric::cluster_fft_time(summit, nodes, count, 16, scheme).total() / 1e12;
  };
  const std::tuple<double, int, double> measured[] = {
      {256, 32, 0.5}, {512, 64, 1.3}, {1024, 1024, 9.0}};
  for (const auto& [edge, nodes, value] : measured)
    report.rows.push_back({.id = "H2",
                           .item = fmt::format("{:.0f}^3 on {} nodes", edge, nodes),
                           .published = value,
                           .weft = rate(edge, nodes, fabric::ClusterScheme::heffte),
                           .tolerance = 0.15,
                           .is_fitted = true,
                           .unit = "Tflop/s"});
  for (const int nodes : {512, 1024}) {
    const double gain = rate(1024, nodes, fabric::ClusterScheme::heffte) /
                        rate(1024, nodes / 2, fabric::ClusterScheme::heffte);
    report.rows.push_back(
        {.id = "H3",
         .item = fmt::format("1024^3, {} to {} nodes: below 1.5", nodes / 2, nodes),
         .published = 1.25,
         .weft = gain,
         .tolerance = 0.25,
         .is_absolute = true,
         .unit = "gain"});
  }
  Series heffte{.name = "heFFTe's scheme", .points = {}}, aware{.name = "node-aware", .points = {}};
  Series roof{.name = "roofline, Eq. (3)", .points = {}, .dashed = true};
  for (int nodes = 2; nodes <= 4096; nodes *= 2) {
    heffte.points.emplace_back(nodes, rate(1024, nodes, fabric::ClusterScheme::heffte));
    aware.points.emplace_back(nodes, rate(1024, nodes, fabric::ClusterScheme::node_aware));
    roof.points.emplace_back(nodes, fabric::roofline_flops(summit, nodes, points, 16, 4) / 1e12);
  }
  report.charts.push_back({.title = "1024^3 on Summit",
                           .x_label = "nodes",
                           .y_label = "Tflop/s",
                           .log_x = true,
                           .log_y = true,
                           .series = {heffte, aware, roof}});
  report.notes.push_back(
      "The efficiency 0.54 of the links and 62 us per message are fitted to the three measured "
      "points; the node-aware curve is a prediction with the same parameters.");
  return report;
}

}  // namespace weft::tool
