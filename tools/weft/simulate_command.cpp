// SPDX-License-Identifier: BSD-3-Clause
// weft simulate: a transform on a simulated wafer, systolic array, torus or fat tree, with real
// numbers, checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.hpp"
#include "fabric/arguments.hpp"
#include "fabric/field.hpp"
#include "fabric/network_simulation.hpp"
#include "fabric/stream_simulation.hpp"
#include "fabric/systolic_simulation.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "validators.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace simulate_command {

struct Arguments {
  WaferArguments wafer;
  NetworkRequest network;
  SystolicRequest systolic;
  StreamRequest stream;
  std::string level = "wavelets";
  bool cycles_only = false, round_trip = false;
  int threads = 0;
  std::string progress = "auto";
  JsonTarget json;
};

ShowProgress parse_progress(const std::string& text) {
  if (text == "auto") return ShowProgress::on_terminal;
  if (text == "always") return ShowProgress::always;
  if (text == "never") return ShowProgress::never;
  throw Error(ErrorCode::invalid_argument, fmt::format("progress {}: auto, always or never", text));
}

/// One bar for every phase that the simulation reports: time left is the phase's.
class PhaseProgress {
 public:
  explicit PhaseProgress(ShowProgress show) : show_(show) {}
  void operator()(const std::string& phase, double share) {
    if (phase != phase_) {
      bar_ = std::make_unique<Progress>(show_, 1.0);
      bar_->phase(phase);
      phase_ = phase;
      done_ = 0;
    }
    if (share > done_) {
      bar_->advance(share - done_);
      done_ = share;
    }
  }
  void clear() { bar_.reset(); }

 private:
  ShowProgress show_;
  std::unique_ptr<Progress> bar_;
  std::string phase_;
  double done_ = 0;
};

struct Outcome {
  fabric::WaferTiming forward, backward;
  FieldError spectrum, field;
  bool has_numbers = false, has_round_trip = false;
  double wall_s = 0;
};

Outcome carry_out(const Arguments& arguments, const fabric::WaferPlan& plan,
                  const fabric::WaferMachine& machine, const fabric::RunOptions& options) {
  Outcome outcome;
  const Stopwatch watch;
  if (arguments.cycles_only || options.fidelity < fabric::Fidelity::wavelets) {
    outcome.forward = fabric::time_on_wafer(plan, machine, options);
    outcome.wall_s = watch.seconds();
    return outcome;
  }
  const fabric::WaferLayout layout = fabric::layout_of(plan, machine);
  // What the elements cannot hold is refused before this machine's memory is asked for.
  fabric::time_on_wafer(plan, machine, {.fidelity = fabric::Fidelity::closed_form});
  std::vector<std::complex<float>> data(
      static_cast<std::size_t>(layout.nx * layout.ny * layout.nz));
  fill_field(plan, layout, data, options.threads);
  outcome.forward = fabric::run_on_wafer(plan, machine, data, options);
  outcome.has_numbers = true;
  outcome.spectrum = compare_spectrum(plan, layout, data, options.threads, options.on_progress);
  if (arguments.round_trip) {
    fabric::WaferPlan back = plan;
    back.direction = Direction::backward;
    outcome.backward = fabric::run_on_wafer(back, machine, data, options);
    outcome.field = compare_field(plan, layout, data, options.threads);
    outcome.has_round_trip = true;
  }
  outcome.wall_s = watch.seconds();
  return outcome;
}

nlohmann::json timing_json(const fabric::WaferTiming& timing, const fabric::WaferMachine& machine) {
  nlohmann::json steps = nlohmann::json::array();
  for (const fabric::WaferStep& step : timing.steps)
    steps.push_back({{"name", step.name}, {"cycles", step.cycles}});
  return {{"cycles", timing.cycles},
          {"seconds", timing.seconds(machine)},
          {"exchange_cycles", timing.exchange},
          {"steps", steps},
          {"busiest_link", timing.busiest_link},
          {"busiest_link_words", timing.busiest_link_words},
          {"word_hops", timing.word_hops},
          {"colors", timing.used.colors},
          {"filters", timing.used.filters},
          {"switch_positions", timing.used.switch_positions}};
}

void print_timing(const fabric::WaferPlan& plan, const fabric::WaferTiming& timing,
                  const fabric::WaferMachine& machine) {
  const double total = static_cast<double>(timing.cycles);
  for (const fabric::WaferStep& step : timing.steps)
    fmt::print("  {:<36}{:>12} cycles {:6.1f} %\n", step.name, step.cycles,
               100 * static_cast<double>(step.cycles) / total);
  fmt::print("  {:<36}{:>12} cycles = {}, {:.2f} Tflop/s\n", "in all", timing.cycles,
             seconds_text(timing.seconds(machine)),
             flops_of(plan.shape) / timing.seconds(machine) / 1e12);
  fmt::print("  busiest link: {}, {} words\n", timing.busiest_link, timing.busiest_link_words);
  if (timing.used.colors > 0)
    fmt::print("  hardware used: {} colors, {} filters, {} switch positions\n", timing.used.colors,
               timing.used.filters, timing.used.switch_positions);
}

void print(const Arguments& arguments, const fabric::WaferPlan& plan,
           const fabric::FabricMachine& machine, const Outcome& outcome) {
  const fabric::WaferMachine& wafer = fabric::wafer_of(machine);
  fmt::print("{}\nmachine {}, level {}\n", plan.describe(), machine.name, arguments.level);
  fmt::print("  {}\n", fabric::memory_of(plan, wafer).describe());
  print_timing(plan, outcome.forward, wafer);
  if (outcome.has_numbers)
    fmt::print("  numbers: relative error {:.2e} (allowed {:.1e}) against {}\n",
               outcome.spectrum.relative, allowed_error(plan), outcome.spectrum.against);
  if (outcome.has_round_trip)
    fmt::print(
        "  and back in {} cycles: relative error {:.2e} against the input; setting the "
        "routers back in between is not charged\n",
        outcome.backward.cycles, outcome.field.relative);
  fmt::print("  simulated in {}\n", seconds_text(outcome.wall_s));
}

void run_on_network(const Arguments& arguments, const fabric::FabricMachine& machine) {
  NetworkRequest request = arguments.network;
  request.size = arguments.wafer.size;
  request.precision = arguments.wafer.precision;
  write_json(arguments.json, simulate_network(machine, request, arguments.json == "-"));
}

void run_on_wafer(const Arguments& arguments, const fabric::FabricMachine& machine) {
  const fabric::WaferMachine& wafer = fabric::wafer_of(machine);
  if (arguments.network.inverse)
    throw Error(ErrorCode::invalid_argument,
                "--inverse is for torus and cluster; --round-trip transforms back on a wafer");
  if (arguments.network.real)
    throw Error(ErrorCode::invalid_argument,
                "--real is for torus and cluster; wafers transform complex numbers");
  if (arguments.stream.is_asked) {
    StreamRequest request = arguments.stream;
    request.level = arguments.level;
    write_json(arguments.json,
               simulate_stream(machine, arguments.wafer, request, arguments.json == "-"));
    return;
  }
  const fabric::WaferPlan plan = fabric::with_groups(make_wafer_plan(arguments.wafer), wafer);
  if (arguments.round_trip) {
    fabric::WaferPlan back = plan;
    back.direction = Direction::backward;
    if (!plan.one_line) fabric::layout_of(back, wafer);  // refused before anything is simulated
  }
  if (arguments.round_trip && plan.one_line)
    throw Error(ErrorCode::invalid_argument,
                "--one-line goes forward only; leave --round-trip out");
  PhaseProgress progress(parse_progress(arguments.progress));
  const fabric::RunOptions options{
      .fidelity = parse_fidelity(arguments.level),
      .threads = arguments.threads > 0
                     ? arguments.threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())),
      .on_progress = [&](const std::string& phase, double share) { progress(phase, share); }};
  const Outcome outcome = carry_out(arguments, plan, wafer, options);
  progress.clear();
  if (arguments.json != "-") print(arguments, plan, machine, outcome);
  nlohmann::json document = {{"plan", plan.describe()},
                             {"machine", machine.name},
                             {"level", arguments.level},
                             {"forward", timing_json(outcome.forward, wafer)},
                             {"wall_s", outcome.wall_s}};
  if (outcome.has_numbers)
    document["numbers"] = {{"relative_error", outcome.spectrum.relative},
                           {"allowed", allowed_error(plan)},
                           {"compared", outcome.spectrum.compared},
                           {"against", outcome.spectrum.against}};
  if (outcome.has_round_trip) {
    document["backward"] = timing_json(outcome.backward, wafer);
    document["round_trip_error"] = outcome.field.relative;
    document["charges_routers_between"] = false;
  }
  write_json(arguments.json, document);
  if (outcome.has_numbers && !(outcome.spectrum.relative <= allowed_error(plan)))
    throw Failed{fmt::format("the numbers are wrong: relative error {:.2e}, allowed {:.2e}",
                             outcome.spectrum.relative, allowed_error(plan))};
  if (outcome.has_round_trip && !(outcome.field.relative <= 2 * allowed_error(plan)))
    throw Failed{
        fmt::format("the round trip is wrong: relative error {:.2e}", outcome.field.relative)};
}

SystolicRequest with_size(const Arguments& arguments) {
  if (arguments.network.inverse || arguments.network.real)
    throw Error(ErrorCode::invalid_argument,
                "--inverse and --real are for torus and cluster; systolic arrays transform complex "
                "numbers forward");
  SystolicRequest request = arguments.systolic;
  request.size = arguments.wafer.size;
  request.precision = arguments.wafer.precision;
  return request;
}

void run(const Arguments& arguments) {
  const fabric::FabricMachine machine = fabric::load_machine(arguments.wafer.machine);
  if (std::holds_alternative<fabric::TorusMachine>(machine.what) ||
      std::holds_alternative<fabric::ClusterMachine>(machine.what))
    run_on_network(arguments, machine);
  else if (std::holds_alternative<fabric::SystolicMachine>(machine.what))
    write_json(arguments.json,
               simulate_systolic(machine, with_size(arguments), arguments.json == "-"));
  else
    run_on_wafer(arguments, machine);
}

/// For machines that have ranks.
void add_network_options(CLI::App& command, NetworkRequest& request) {
  const char* group = "Torus and cluster";
  command.add_option("--nodes", request.nodes, "Nodes (default: 8, or the smallest torus)")
      ->check(at_least(1))
      ->group(group);
  command
      .add_option("--ranks", request.ranks, "Number of ranks (default: as many as the nodes have)")
      ->check(at_least(1))
      ->group(group);
  command
      .add_option("--ranks-per-node", request.ranks_per_node,
                  "Ranks per node (default: the machine's)")
      ->check(at_least(1))
      ->group(group);
  command
      .add_option(
          "--recipe", request.recipe,
          "A recipe as `weft explain --ranks` prints it (default: the one predicted fastest)")
      ->group(group);
  command
      .add_option("--exchange", request.exchange,
                  "all_to_all, all_to_all_v, point_to_point, pipelined, shared or node_aware")
      ->group(group);
  command.add_flag("--inverse", request.inverse, "Backward instead of forward")->group(group);
  command.add_flag("--real", request.real, "Real input (r2c); with --inverse: real output (c2r)")
      ->group(group);
  command.add_option("--svg", request.svg, "SVG file to write, with the load of every link")
      ->group(group);
}

/// For wafers alone.
void add_open_ends(CLI::App& command, Arguments& arguments) {
  const char* group = "Wafers";
  command
      .add_flag("--one-line", arguments.wafer.one_line,
                "One 1-D transform of as many points as 64^2 or 64^3 has")
      ->group(group);
  command
      .add_flag(
          "--stream", arguments.stream.is_asked,
          "An array that a wafer does not hold: planes, then lines, come through the link to the "
          "host")
      ->group(group);
  command
      .add_option(
          "--wafers", arguments.stream.wafers,
          "With --stream: number of wafers that share the planes and keep them (default: 1)")
      ->check(at_least(1))
      ->group(group);
  command
      .add_option(
          "--link", arguments.stream.link_bits_per_s,
          "With --stream: bandwidth of a wafer's link, in bits per second (default: that of its "
          "link to the host)")
      ->check(CLI::Range(1.0, 1e21))
      ->group(group);
}

/// For systolic machines.
void add_systolic_options(CLI::App& command, SystolicRequest& request) {
  const char* group = "Systolic machines";
  command
      .add_option("--strides", request.strides,
                  "Shift by these strides on one ring of all nodes, such as 1,8,64 (default: hop "
                  "by hop on the torus)")
      ->delimiter(',')
      ->group(group);
  command
      .add_flag("--restored", request.restored,
                "Transpose back at the end (default: leave the result transposed)")
      ->group(group);
}

}  // namespace simulate_command

void add_simulate_command(CLI::App& app) {
  using namespace simulate_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *app.add_subcommand("simulate", "Run a transform on a simulated machine, with real numbers");
  add_wafer_options(command, arguments->wafer);
  add_open_ends(command, *arguments);
  add_network_options(command, arguments->network);
  add_systolic_options(command, arguments->systolic);
  command
      .add_option(
          "--level", arguments->level,
          "Wafer: how exactly to simulate. closed-form: formulas; runs: blocks of words; wavelets: "
          "every packet in one row and one column; whole: every packet in every router")
      ->capture_default_str();
  command.add_flag("--round-trip", arguments->round_trip, "Transform back as well, and compare");
  command.add_flag("--cycles-only", arguments->cycles_only,
                   "Count cycles only; do not compute the transform");
  command.add_option("--threads", arguments->threads, "Threads of the simulator; 0: all cores")
      ->check(at_least(0));
  command
      .add_option("--progress", arguments->progress,
                  "Progress bar: auto (on a terminal), always or never")
      ->capture_default_str();
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft simulate --size 64^3\n"
      "  weft simulate --size 512^3 --precision f16 --machine wse2-measured --round-trip\n"
      "  weft simulate --size 64^3 --schedule crossed --level whole\n"
      "  weft simulate --size 60x48x30 --mesh 30x12 --schedule segmented\n"
      "  weft simulate --size 32^3 --one-line --schedule segmented\n"
      "  weft simulate --size 64^3 --stream --wafers 4\n"
      "  weft simulate --machine ape100-qh4 --size 8192^2\n"
      "  weft simulate --machine ape100-q4 --size 4096 --strides 1,4,16\n"
      "  weft simulate --machine bluegene-p --size 32^3 --ranks 64\n"
      "  weft simulate --machine summit --size 64^3 --nodes 8 --exchange all_to_all_v");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
