// SPDX-License-Identifier: BSD-3-Clause
// weft simulate: a transform on a simulated wafer, with real numbers, checked against weft's own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.hpp"
#include "fabric/arguments.hpp"
#include "fabric/field.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  WaferArguments wafer;
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
           const fabric::Machine& machine, const Outcome& outcome) {
  const fabric::WaferMachine& wafer = fabric::wafer_of(machine);
  fmt::print("{}\nmachine {}, level {}\n", plan.describe(), machine.name, arguments.level);
  fmt::print("  {}\n", fabric::memory_of(plan, wafer).describe());
  print_timing(plan, outcome.forward, wafer);
  if (outcome.has_numbers)
    fmt::print("  numbers: relative error {:.2e} (allowed {:.1e}) against {}\n",
               outcome.spectrum.relative, allowed_error(plan), outcome.spectrum.against);
  if (outcome.has_round_trip)
    fmt::print("  and back in {} cycles: relative error {:.2e} against the input\n",
               outcome.backward.cycles, outcome.field.relative);
  fmt::print("  simulated in {}\n", seconds_text(outcome.wall_s));
}

void run(const Arguments& arguments) {
  const fabric::Machine machine = fabric::load_machine(arguments.wafer.machine);
  const fabric::WaferMachine& wafer = fabric::wafer_of(machine);
  const fabric::WaferPlan plan = fabric::with_groups(make_wafer_plan(arguments.wafer), wafer);
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
  }
  write_json(arguments.json, document);
  if (outcome.has_numbers && !(outcome.spectrum.relative <= allowed_error(plan)))
    throw Failed{fmt::format("the numbers are wrong: relative error {:.2e}, allowed {:.2e}",
                             outcome.spectrum.relative, allowed_error(plan))};
  if (outcome.has_round_trip && !(outcome.field.relative <= 2 * allowed_error(plan)))
    throw Failed{
        fmt::format("the round trip is wrong: relative error {:.2e}", outcome.field.relative)};
}

}  // namespace

void add_simulate_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *app.add_subcommand("simulate", "Run a transform on a simulated wafer, with real numbers");
  add_wafer_options(command, arguments->wafer);
  command
      .add_option(
          "--level", arguments->level,
          "closed-form: formulas; runs: blocks of words; wavelets: every wavelet of one row "
          "and one column; whole: of every router")
      ->capture_default_str();
  command.add_flag("--round-trip", arguments->round_trip, "Transform back as well, and compare");
  command.add_flag("--cycles-only", arguments->cycles_only, "No numbers");
  command.add_option("--threads", arguments->threads, "Threads of the simulator; 0: all cores")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--progress", arguments->progress, "auto, always or never")
      ->capture_default_str();
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft simulate --size 64^3\n"
      "  weft simulate --size 512^3 --precision f16 --machine wse2-measured --round-trip\n"
      "  weft simulate --size 64^3 --schedule crossed --level whole\n"
      "  weft simulate --size 60x48x30 --mesh 30x12 --schedule segmented");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
