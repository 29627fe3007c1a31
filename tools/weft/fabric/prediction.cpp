// SPDX-License-Identifier: BSD-3-Clause
#include "prediction.hpp"

#include <fmt/format.h>

#include <cmath>

#include "../problem.hpp"
#include "../text.hpp"
#include "fabric/network/cluster_fft.hpp"
#include "fabric/network/global_fft.hpp"
#include "fabric/systolic/transform.hpp"
#include "recipe_prediction.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

double points_of(const std::vector<Index>& size) {
  double points = 1;
  for (const Index length : size) points *= static_cast<double>(length);
  return points;
}

int default_nodes(const fabric::TorusMachine& machine) {
  const auto& last = machine.shapes.back();
  return static_cast<int>(std::min<std::int64_t>(512, std::int64_t{last[0]} * last[1] * last[2]));
}

double flops_for(double points) { return 5 * points * std::log2(std::max(points, 2.0)); }

Prediction on_wafer(const fabric::WaferMachine& machine, const PredictionRequest& request) {
  WaferArguments arguments = request.wafer;
  if (request.nodes > 0 && arguments.mesh.empty()) {
    const int side = static_cast<int>(std::lround(std::sqrt(request.nodes)));
    if (side * side != request.nodes)
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("{} elements are no square; give --mesh, as in 30x12", request.nodes));
    arguments.mesh = fmt::format("{}x{}", side, side);
  }
  const fabric::WaferPlan plan = fabric::with_groups(make_wafer_plan(arguments), machine);
  const fabric::WaferMemory memory = fabric::memory_of(plan, machine);
  fabric::WaferMachine roomy = machine;  // the verdict on memory is given beside the time
  roomy.memory_bytes = std::max(machine.memory_bytes, memory.total());
  const fabric::WaferTiming timing =
      fabric::time_on_wafer(plan, roomy, {.fidelity = fabric::Fidelity::closed_form});
  const fabric::WaferLayout layout = fabric::layout_of(plan, machine);
  // Half of every line's numbers cross its middle, and rows and columns may work at once.
  const double line = std::max(plan.width, plan.height);
  const double bound = static_cast<double>(layout.numbers() * layout.words) * line / 4;
  Prediction result;
  result.scheme = plan.describe();
  result.seconds = timing.seconds(machine);
  result.exchange_s = static_cast<double>(timing.exchange) / machine.clock_hz;
  result.bound_s = bound / machine.clock_hz;
  result.flops = flops_of(plan.shape);
  result.nodes = static_cast<double>(plan.width) * plan.height;
  result.limit = fmt::format("{}: {} words", timing.busiest_link, timing.busiest_link_words);
  result.memory = memory.describe();
  result.fits = memory.fits();
  for (const fabric::WaferStep& step : timing.steps)
    result.notes.push_back(fmt::format("{:<36}{:>12} cycles", step.name, step.cycles));
  return result;
}

std::vector<Prediction> on_systolic(const fabric::SystolicMachine& machine,
                                    const PredictionRequest& request, Precision precision) {
  if (precision != Precision::f32)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("precision {}: this machine computes in f32", to_string(precision)));
  const std::vector<Index> size = parse_size(request.wafer.size);
  if (size.size() != 2 || size[0] != size[1])
    throw Error(ErrorCode::invalid_argument,
                fmt::format("size {}: this machine transforms square matrices, as in 8192^2",
                            request.wafer.size));
  if (request.nodes > 0 && request.nodes != machine.nodes())
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} nodes: this machine has {}; others are ape100-q4, -qh1, -qh2, -qh4",
                            request.nodes, machine.nodes()));
  if (size[0] < machine.nodes())
    throw Error(ErrorCode::invalid_argument,
                fmt::format("size {}: the {} nodes of this machine need an edge of at least {}",
                            request.wafer.size, machine.nodes(), machine.nodes()));
  std::vector<Prediction> results;
  for (const int transpositions : {1, 2}) {
    const fabric::SystolicTime time = fabric::fft_2d_time(machine, size[0], transpositions);
    Prediction result;
    result.scheme = transpositions == 1 ? "one transposition, result left transposed"
                                        : "two transpositions, layout restored";
    result.exchange_s = time.transposition();
    result.seconds = time.compute_s + time.transposition();
    result.flops = flops_for(points_of(size));
    result.nodes = machine.nodes();
    const double words = 2 * points_of(size) / machine.nodes();
    result.bound_s = words * machine.hop_cycles_per_word / machine.clock_hz / 6 * transpositions;
    result.limit = fmt::format("{} in shifts, {} in skews", seconds_text(time.shift_s),
                               seconds_text(time.skew_s));
    result.memory = fmt::format("{} per node and copy", bytes_text(words * machine.word_bytes));
    result.notes.push_back(fmt::format(
        "{:.1f} % of peak", 100 * result.flops / result.seconds / fabric::peak_flops(machine)));
    results.push_back(result);
  }
  return results;
}

/// weft's own recipes, as its planner would choose them there.
void append_recipes(std::vector<Prediction>& results, const fabric::MachineRanks& machine,
                    const PredictionRequest& request, Precision precision) {
  if (request.closed_forms_only) return;
  const std::vector<Index> size = parse_size(request.wafer.size);
  const Index most = most_priced_ranks(size);
  if (machine.ranks() > most)
    results.back().notes.push_back(fmt::format(
        "recipes         weft's are only predicted up to {} ranks (asked: {}); use fewer "
        "--nodes",
        most, machine.ranks()));
  for (const Prediction& recipe : price_recipes(machine, size, precision, request.recipe))
    results.push_back(recipe);
}

/// Two copies of a node's share of the array against the memory it has.
void judge_memory(Prediction& result, double needed, double available) {
  result.fits = needed <= available;
  result.memory = fmt::format("{} per node (two copies) of {}: {}", bytes_text(needed),
                              bytes_text(available), result.fits ? "fits" : "does not fit");
}

std::vector<Prediction> on_torus(const fabric::TorusMachine& machine,
                                 const PredictionRequest& request, Precision precision) {
  const int nodes = request.nodes > 0 ? request.nodes : default_nodes(machine);
  const double points = points_of(parse_size(request.wafer.size));
  const auto shape = fabric::shape_for(machine, nodes);
  const double used = static_cast<double>(shape[0]) * shape[1] * shape[2];
  const fabric::GlobalFftTime time =
      fabric::global_fft_time(machine, nodes, points / used, complex_bytes(precision));
  Prediction result;
  result.scheme = fmt::format("Global FFT: one line of {:.0f} points in three all-to-alls", points);
  result.seconds = time.total();
  result.exchange_s = time.exchange_s;
  result.bound_s = time.bound_s;
  result.flops = time.flops;
  result.nodes = used;
  result.limit = fmt::format("longest side of the {}x{}x{} {}: {} per link and all-to-all",
                             time.shape[0], time.shape[1], time.shape[2],
                             time.is_torus ? "torus" : "mesh", bytes_text(time.busiest_link_bytes));
  judge_memory(result, 2 * time.bytes_per_node, machine.memory_bytes_per_node);
  std::vector<Prediction> results = {result};
  append_recipes(results, ranks_of(machine, nodes), request, precision);
  return results;
}

std::vector<Prediction> on_cluster(const fabric::ClusterMachine& machine,
                                   const PredictionRequest& request, Precision precision) {
  const int nodes = request.nodes > 0 ? request.nodes : 1;
  const double points = points_of(parse_size(request.wafer.size));
  std::vector<Prediction> results;
  for (const fabric::ClusterScheme scheme :
       {fabric::ClusterScheme::heffte, fabric::ClusterScheme::node_aware}) {
    const fabric::ClusterTime time =
        fabric::cluster_fft_time(machine, nodes, points, complex_bytes(precision), scheme);
    Prediction result;
    const bool heffte = scheme == fabric::ClusterScheme::heffte;
    result.scheme =
        heffte ? "heFFTe: pencils, every rank sends" : "node-aware: one message per pair of nodes";
    result.seconds = time.total();
    result.exchange_s = time.bandwidth_s + time.messages_s + time.shared_s;
    result.bound_s = time.bound_s;
    result.flops = flops_for(points);
    result.nodes = nodes;
    result.limit = nodes == 1 ? "the memory of the node"
                   : time.messages_s > time.bandwidth_s
                       ? fmt::format("start-ups of {:.0f} messages per {}", time.messages,
                                     heffte ? "rank" : "node")
                       : "the link of each node";
    judge_memory(result, 2 * time.bytes_per_node, machine.memory_bytes_per_node);
    results.push_back(result);
  }
  append_recipes(results, ranks_of(machine, nodes), request, precision);
  return results;
}

}  // namespace

Precision precision_of(const fabric::FabricMachine& machine, const PredictionRequest& request) {
  if (!request.wafer.precision.empty()) return parse_precision(request.wafer.precision);
  const bool is_wafer = std::holds_alternative<fabric::WaferMachine>(machine.what);
  const bool is_systolic = std::holds_alternative<fabric::SystolicMachine>(machine.what);
  return is_wafer || is_systolic ? Precision::f32 : Precision::f64;
}

std::vector<Prediction> predict(const fabric::FabricMachine& machine,
                                const PredictionRequest& request) {
  struct Visitor {
    const PredictionRequest& request;
    Precision precision;
    std::vector<Prediction> operator()(const fabric::WaferMachine& wafer) const {
      return {on_wafer(wafer, request)};
    }
    std::vector<Prediction> operator()(const fabric::SystolicMachine& systolic) const {
      return on_systolic(systolic, request, precision);
    }
    std::vector<Prediction> operator()(const fabric::TorusMachine& torus) const {
      return on_torus(torus, request, precision);
    }
    std::vector<Prediction> operator()(const fabric::ClusterMachine& cluster) const {
      return on_cluster(cluster, request, precision);
    }
  };
  return std::visit(Visitor{request, precision_of(machine, request)}, machine.what);
}

}  // namespace weft::tool
