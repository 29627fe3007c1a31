// SPDX-License-Identifier: BSD-3-Clause
// heFFTe on Summit: its roofline, and its figures from a model whose parameters were fitted to the
// few numbers that are printed of it.
#include <fmt/format.h>

#include <cmath>

#include "fabric/network/cluster_fft.hpp"
#include "paper.hpp"

namespace weft::tool {
namespace heffte_paper {

using fabric::ClusterMachine;
using fabric::ClusterScheme;
using fabric::ClusterTime;

constexpr double billion = 1073741824;  // 1024^3

ClusterMachine summit(const char* name, int ranks_per_node) {
  ClusterMachine machine = fabric::cluster_of(fabric::load_machine(name));
  machine.ranks_per_node = ranks_per_node;
  return machine;
}

ClusterTime time_on(const ClusterMachine& machine, int nodes, double points,
                    ClusterScheme scheme = ClusterScheme::heffte) {
  return fabric::cluster_fft_time(machine, nodes, points, 16, scheme);
}

double rate_on(const ClusterMachine& machine, int nodes, double points,
               ClusterScheme scheme = ClusterScheme::heffte) {
  return 5 * points * std::log2(points) / time_on(machine, nodes, points, scheme).total() / 1e12;
}

double roofline(const ClusterMachine& machine, int nodes, double points) {
  return fabric::roofline_flops(machine, nodes, points, 16, 4) / 1e12;
}

Series over_nodes(std::string name, int first, int last,
                  const std::function<double(int nodes)>& value) {
  Series series{.name = std::move(name), .points = {}};
  for (int nodes = first; nodes <= last; nodes *= 2)
    series.points.emplace_back(nodes, value(nodes));
  return series;
}

Chart chart_of(std::string title, std::vector<Series> series) {
  return {.title = std::move(title),
          .x_label = "nodes",
          .y_label = "Tflop/s",
          .log_x = true,
          .log_y = true,
          .series = std::move(series)};
}

void roofline_rows(PaperReport& report, const ClusterMachine& gpus) {
  report.rows.push_back({.id = "H1",
                         .item = "roofline per node and log2 N",
                         .basis = Basis::printed,
                         .expected = 1.953,
                         .weft = 1e3 * roofline(gpus, 1, billion) / 30,
                         .tolerance = 0.0003,
                         .quote = quote("heffte eq 3"),
                         .unit = "Gflop/s"});
  report.rows.push_back({.id = "H1",
                         .item = "intensity of 1024^3 on one node, roofline over bandwidth",
                         .basis = Basis::evaluated,
                         .expected = 5.0 * 30 / (16 * 4),
                         .weft = 1e12 * roofline(gpus, 1, billion) / gpus.node_bytes_per_s,
                         .tolerance = 1e-9,
                         .quote = quote("heffte eq 1"),
                         .unit = "flop/byte"});
}

void published_points(PaperReport& report, const ClusterMachine& gpus) {
  const std::tuple<double, int, double> measured[] = {
      {256, 32, 0.5}, {512, 64, 1.3}, {1024, 1024, 9.0}};
  for (const auto& [edge, nodes, value] : measured) {
    const double points = edge * edge * edge;
    report.rows.push_back({.id = "H2",
                           .item = fmt::format("{:.0f}^3 on {} nodes", edge, nodes),
                           .basis = Basis::printed,
                           .expected = value,
                           .weft = rate_on(gpus, nodes, points),
                           .tolerance = 0.15,
                           .is_fitted = true,
                           .quote = quote(fmt::format("heffte {:.0f}", edge)),
                           .unit = "Tflop/s",
                           .remark = fmt::format("{:.0f} % of the roofline",
                                                 100 * value / roofline(gpus, nodes, points))});
  }
  for (const int nodes : {512, 1024})
    report.rows.push_back(
        {.id = "H3",
         .item = fmt::format("1024^3, gain from {} to {} nodes", nodes / 2, nodes),
         .basis = Basis::printed,
         .expected = 50,
         .weft = 100 * (rate_on(gpus, nodes, billion) / rate_on(gpus, nodes / 2, billion) - 1),
         .is_limit = true,
         .quote = quote("heffte steps"),
         .unit = "%"});
}

void drawings(PaperReport& report) {
  report.items.push_back({.name = "Figure 1",
                          .subject = "heFFTe in the software stack of the Exascale Project",
                          .answer = "a drawing of other projects; weft is not in that stack"});
  report.items.push_back({.name = "Figure 2",
                          .subject = "The steps of a transform by pencils, and by slabs",
                          .answer = "a drawing; `weft explain --ranks 12 60x60x60` prints the same "
                                    "steps for any recipe, with the boxes of every rank"});
  report.items.push_back(
      {.name = "Table 1",
       .subject = "MPI routines that parallel FFT libraries need",
       .answer = "the rows of heFFTe and FFTE as printed, and weft's, from src/mpi/mpi_comm.cpp",
       .table = TextTable{
           .head = {"library", "point to point", "collective", "topology"},
           .rows = {{"FFTE", "none", "MPI_Alltoallv, MPI_Bcast", "none"},
                    {"heFFTe", "MPI_Send, MPI_Recv, MPI_Sendrecv, MPI_Isend, MPI_Irecv",
                     "MPI_Alltoallv, MPI_Allreduce, MPI_Barrier, heFFTe_Alltoall",
                     "MPI_Comm_create, MPI_Group, MPI_Cart_sub"},
                    {"weft", "MPI_Isend, MPI_Irecv, MPI_Testall, MPI_Waitall",
                     "MPI_Alltoall, MPI_Alltoallv, MPI_Allgather, MPI_Allreduce, MPI_Bcast, "
                     "MPI_Barrier, and these without waiting",
                     "MPI_Comm_split, MPI_Comm_split_type, MPI_Comm_dup"}}}});
  report.items.push_back({.name = "Figure 3",
                          .subject = "Packing before an all-to-all, and overlapped with it",
                          .answer = "a drawing; weft has no packing step to overlap: stages read "
                                    "and write where the exchanges have the data"});
}

void figure_4(PaperReport& report, const ClusterMachine& gpus, const ClusterMachine& cores) {
  report.rows.push_back({.id = "H5",
                         .item = "1024^3 on 32 nodes, GPU ranks over CPU ranks, 24 per node",
                         .basis = Basis::printed,
                         .expected = 2,
                         .weft = rate_on(gpus, 32, billion) / rate_on(cores, 32, billion),
                         .tolerance = 0.1,
                         .is_fitted = true,
                         .quote = quote("heffte figure 4"),
                         .unit = "times",
                         .remark = "the rate of the CPUs is fitted to it"});
  int last = 1;  // the node count after which the rate falls
  while (rate_on(cores, 2 * last, billion) > rate_on(cores, last, billion)) last *= 2;
  report.rows.push_back(
      {.id = "H5",
       .item = "1024^3 on CPU ranks: the rate falls after",
       .basis = Basis::printed,
       .expected = 512,
       .weft = static_cast<double>(last),
       .is_explained = true,
       .quote = quote("heffte drop"),
       .unit = "nodes",
       .remark =
           fmt::format("from 512 to 1024 nodes the model still gains {:.0f} %, with {:.0f} % "
                       "of the time in start-ups of messages",
                       100 * (rate_on(cores, 1024, billion) / rate_on(cores, 512, billion) - 1),
                       100 * time_on(cores, 1024, billion).messages_s /
                           time_on(cores, 1024, billion).total())});
  const auto rate = [](const ClusterMachine& machine) {
    return [&machine](int nodes) { return rate_on(machine, nodes, billion); };
  };
  report.items.push_back(
      {.name = "Figure 4",
       .subject = "Strong scaling of 1024^3, 24 ranks per node on CPUs and on GPUs",
       .answer = "from the model; the paper prints only that GPUs are about 2 times faster and "
                 "that CPUs drop after 512 nodes",
       .pictures = {to_svg(chart_of("Figure 4: 1024^3 on Summit, 24 ranks per node",
                                    {over_nodes("GPU ranks, model", 4, 2048, rate(gpus)),
                                     over_nodes("CPU ranks, model", 4, 2048, rate(cores))}))}});
}

constexpr double points_per_node = 1 << 24;

void figure_5(PaperReport& report, const ClusterMachine& gpus, const ClusterMachine& cores) {
  const auto weak = [](const ClusterMachine& machine) {
    return [&machine](int nodes) { return rate_on(machine, nodes, points_per_node * nodes); };
  };
  report.items.push_back(
      {.name = "Figure 5",
       .subject = "Weak scaling of growing transforms, 24 ranks per node on CPUs and on GPUs",
       .answer = "from the model with 2^24 points per node; `weft sweep --size 256^3 --edges "
                 "256,512,1024 --nodes 1,8,64` grows size and nodes together",
       .pictures = {to_svg(chart_of("Figure 5: 2^24 points per node, 24 ranks per node",
                                    {over_nodes("GPU ranks, model", 1, 1024, weak(gpus)),
                                     over_nodes("CPU ranks, model", 1, 1024, weak(cores))}))}});
}

void figure_6(PaperReport& report) {
  const ClusterMachine cores = summit("summit-cpu", 40), gpus = summit("summit", 6);
  BarChart chart{.title = "Figure 6: 1024^3 on 32 nodes",
                 .x_label = "",
                 .y_label = "ms",
                 .parts = {"links", "start-ups of messages", "local transforms"},
                 .bars = {},
                 .mark_name = ""};
  const auto add = [&](const char* label, const ClusterMachine& machine) {
    const ClusterTime time = time_on(machine, 32, billion);
    chart.bars.push_back(
        {.label = label,
         .values = {1e3 * time.bandwidth_s, 1e3 * time.messages_s, 1e3 * time.compute_s}});
    return time;
  };
  const ClusterTime slow = add("CPU, 40 ranks per node", cores);
  const ClusterTime fast = add("GPU, 6 ranks per node", gpus);
  report.rows.push_back({.id = "H6",
                         .item = "1024^3 on 32 nodes, local transforms, CPU over GPU",
                         .basis = Basis::printed,
                         .expected = 40,
                         .weft = slow.compute_s / fast.compute_s,
                         .tolerance = 0.05,
                         .is_fitted = true,
                         .quote = quote("heffte figure 6"),
                         .unit = "times"});
  const ClusterTime large = time_on(gpus, 1024, billion);
  report.rows.push_back({.id = "H6",
                         .item = "1024^3 on 1024 nodes, share of the time in exchanges",
                         .basis = Basis::printed,
                         .expected = 90,
                         .weft = 100 * (1 - large.compute_s / large.total()),
                         .tolerance = 0.12,
                         .is_fitted = true,
                         .quote = quote("heffte 90 share"),
                         .unit = "%",
                         .remark = "printed as over 90"});
  report.items.push_back({.name = "Figure 6",
                          .subject = "Profile of one transform of 1024^3 on 32 nodes, CPU and GPU",
                          .answer = "from the model; packing is inside its efficiency of the links",
                          .pictures = {to_svg(chart)}});
}

void figure_7(PaperReport& report) {
  const ClusterMachine cores = summit("summit-cpu", 40), gpus = summit("summit", 6);
  const auto strong = [](const ClusterMachine& machine, double share) {
    return [&machine, share](int nodes) { return share * rate_on(machine, nodes, billion); };
  };
  const auto weak = [](const ClusterMachine& machine, double share) {
    return [&machine, share](int nodes) {
      return share * rate_on(machine, nodes, points_per_node * nodes);
    };
  };
  const auto picture = [&](const char* title, int first, const auto& value) {
    Series limit = over_nodes("half of heFFTe GPU: FFTE is below", first, 1024, value(gpus, 0.5));
    limit.dashed = true;
    return to_svg(
        chart_of(title, {over_nodes("heFFTe GPU, model", first, 1024, value(gpus, 1)),
                         over_nodes("heFFTe CPU, model", first, 1024, value(cores, 1)), limit}));
  };
  report.items.push_back(
      {.name = "Figure 7",
       .subject = "Strong and weak scaling of heFFTe and FFTE, 40 CPU or 6 GPU ranks per node",
       .answer = "heFFTe from the model; of FFTE the paper prints only that heFFTe is faster by "
                 "more than 2, which the dashed line shows",
       .pictures = {picture("Figure 7, left: 1024^3", 4, strong),
                    picture("Figure 7, right: 2^24 points per node", 1, weak)}});
}

void figure_8(PaperReport& report, const ClusterMachine& gpus) {
  const ClusterMachine cores = summit("summit-cpu", 40);
  Series roof = over_nodes("roofline, Eq. (3)", 2, 4096,
                           [&](int nodes) { return roofline(gpus, nodes, billion); });
  roof.dashed = true;
  const Series heffte = over_nodes("heFFTe's scheme on GPUs, model", 2, 4096,
                                   [&](int nodes) { return rate_on(gpus, nodes, billion); });
  double best_share = 0;
  for (std::size_t k = 0; k < heffte.points.size(); ++k)
    best_share = std::max(best_share, heffte.points[k].second / roof.points[k].second);
  report.rows.push_back({.id = "H4",
                         .item = "1024^3, best share of the roofline, 2 to 4096 nodes",
                         .basis = Basis::printed,
                         .expected = 90,
                         .weft = 100 * best_share,
                         .tolerance = 0.05,
                         .is_explained = true,
                         .quote = quote("heffte figure 8"),
                         .unit = "%",
                         .remark =
                             "the model stays below its fitted efficiency, 54 %; the rates "
                             "that the wsFFT paper prints are 33, 39 and 15 % of the roofline"});
  report.items.push_back(
      {.name = "Figure 8",
       .subject = "The roofline of Eq. (3) and heFFTe's rate on 1024^3, CPU and GPU",
       .answer = "from the model, with the node-aware exchange of weft beside it; the text says "
                 "90 % of the roofline, the wsFFT paper prints a rate at 15 % of it for 1024 nodes",
       .pictures = {to_svg(
           chart_of("Figure 8: 1024^3 on Summit",
                    {heffte,
                     over_nodes("on CPUs, model", 2, 4096,
                                [&](int nodes) { return rate_on(cores, nodes, billion); }),
                     over_nodes("node-aware, model", 2, 4096,
                                [&](int nodes) {
                                  return rate_on(gpus, nodes, billion, ClusterScheme::node_aware);
                                }),
                     roof}))}});
}

std::string ranks_of(const MeasuredOnRanks& measured) {
  return measured.transport == "threads" ? "ranks that are threads"
                                         : "the ranks of " + measured.transport;
}

/// LAMMPS' own run is only a picture. What its solver asks of an FFT library is a particle-mesh
/// step, which weft-pppm computes; its transforms are timed here.
void figure_9(PaperReport& report, const std::optional<MeasuredOnRanks>& measured) {
  PaperItem item{
      .name = "Figure 9",
      .subject =
          "LAMMPS' rhodopsin benchmark with two FFT libraries, 128^3 grid, 8 ranks on two "
          "nodes",
      .answer =
          "its bars have no printed number, and LAMMPS' run takes Summit; `--measure` times "
          "the mesh of one step of weft's own particle-mesh program on the same grid here"};
  if (measured) {
    TextTable table{
        .head = {"ranks", "separate transforms, ms", "one operator, ms", "times", "difference"},
        .rows = {}};
    for (const MeshStepTime& time : measured->mesh_steps)
      table.rows.push_back({fmt::format("{}", time.ranks),
                            fmt::format("{:.1f}", 1e3 * time.separate_s),
                            fmt::format("{:.1f}", 1e3 * time.operator_s),
                            fmt::format("{:.2f}", time.separate_s / time.operator_s),
                            time.difference > 0 ? fmt::format("{:.1e}", time.difference) : "none"});
    item.answer = fmt::format(
        "the mesh of one particle-mesh step on the same grid, as weft-pppm computes it: charges "
        "forward, potential and field back, measured here over {}; LAMMPS' own bars have no "
        "printed number",
        ranks_of(*measured));
    item.table = table;
  }
  report.items.push_back(item);
}

void transforms_here(PaperReport& report, const MeasuredOnRanks& measured) {
  constexpr double points = 96.0 * 96 * 96;
  TextTable table{.head = {"ranks", "ms", "Gflop/s"}, .rows = {}};
  for (const RanksTime& time : measured.transforms)
    table.rows.push_back(
        {fmt::format("{}", time.ranks), fmt::format("{:.2f}", 1e3 * time.seconds),
         fmt::format("{:.2f}", 5 * points * std::log2(points) / time.seconds / 1e9)});
  report.items.push_back(
      {.name = "Measured",
       .subject = "96^3 by pencils over ranks of this machine",
       .answer = fmt::format("weft's own plans in the same run, over {}; `mpiexec -n 4 weft bench "
                             "mpi` sets heFFTe and others beside them",
                             ranks_of(measured)),
       .table = table});
}

}  // namespace heffte_paper

double heffte_model_tflops(double edge, double nodes) {
  using namespace heffte_paper;
  return rate_on(summit("summit", 6), nodes, edge * edge * edge);
}

PaperReport heffte_report(const PaperOptions& options) {
  using namespace heffte_paper;
  PaperReport report{
      .name = "heffte", .title = "heFFTe on Summit", .rows = {}, .items = {}, .notes = {}};
  const ClusterMachine gpus = summit("summit", 6);
  const ClusterMachine gpus_24 = summit("summit", 24), cores_24 = summit("summit-cpu", 24);
  roofline_rows(report, gpus);
  published_points(report, gpus);
  drawings(report);
  figure_4(report, gpus_24, cores_24);
  figure_5(report, gpus_24, cores_24);
  figure_6(report);
  figure_7(report);
  figure_8(report, gpus);
  figure_9(report, options.measured);
  if (options.measured) transforms_here(report, *options.measured);
  report.notes.push_back(
      "Times are formulas; `weft simulate --machine summit` moves numbers. The efficiency 0.54 of "
      "the links and 62 us per message are fitted to the three points that the wsFFT paper prints "
      "of heFFTe; heFFTe's own paper does not print them. The rate of the CPUs is fitted to 'about "
      "2 times', that of the GPUs to 'over 40 times' the CPUs'. The node-aware curve is a "
      "prediction with the same parameters.");
  return report;
}

}  // namespace weft::tool
