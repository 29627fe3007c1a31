// SPDX-License-Identifier: BSD-3-Clause
// weft predict: how long a transform takes on a machine, what limits it, and how far it is from the
// bound.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fabric/machine_page.hpp"
#include "fabric/prediction.hpp"
#include "file.hpp"
#include "text.hpp"
#include "validators.hpp"

namespace weft::tool {
namespace predict_command {

struct Arguments {
  PredictionRequest request;
  bool list = false;
  std::string show, html;
  JsonTarget json;
};

void list_machines(const JsonTarget& json) {
  nlohmann::json rows = nlohmann::json::array();
  for (const std::string& name : fabric::machine_names()) {
    const fabric::FabricMachine machine = fabric::load_machine(name);
    if (json != "-")
      fmt::print("{:<16}{:<16}{}\n", name, fabric::kind_name(machine), machine.description);
    rows.push_back({{"name", name},
                    {"kind", fabric::kind_name(machine)},
                    {"description", machine.description},
                    {"fitted", machine.fitted},
                    {"assumed", machine.assumed}});
  }
  write_json(json, {{"machines", rows}});
}

void print(const Prediction& prediction) {
  fmt::print("{}\n", prediction.scheme);
  fmt::print("  time            {}, {:.4g} Tflop/s on {:.0f} nodes\n",
             seconds_text(prediction.seconds), prediction.tflops(), prediction.nodes);
  fmt::print("  exchange        {} ({:.0f} %)\n", seconds_text(prediction.exchange_s),
             100 * prediction.exchange_s / prediction.seconds);
  fmt::print("  limiting        {}\n", prediction.limit);
  fmt::print("  memory          {}\n", prediction.memory);
  if (prediction.bound_s > 0)
    fmt::print("  bound           {} by the network alone: {:.1f} times faster\n",
               seconds_text(prediction.bound_s), prediction.seconds / prediction.bound_s);
  for (const std::string& note : prediction.notes) fmt::print("  {}\n", note);
}

nlohmann::json to_json(const Prediction& prediction) {
  return {{"scheme", prediction.scheme},
          {"seconds", prediction.seconds},
          {"exchange_s", prediction.exchange_s},
          {"bound_s", prediction.bound_s},
          {"tflops", prediction.tflops()},
          {"nodes", prediction.nodes},
          {"limit", prediction.limit},
          {"memory", prediction.memory},
          {"fits", prediction.fits},
          {"notes", prediction.notes}};
}

void run(const Arguments& arguments) {
  if (arguments.list) return list_machines(arguments.json);
  if (!arguments.show.empty()) {
    fmt::print("{}", fabric::machine_file(arguments.show));
    return;
  }
  const fabric::FabricMachine machine = fabric::load_machine(arguments.request.wafer.machine);
  if (!arguments.html.empty()) write_file(arguments.html, machine_page(machine, arguments.request));
  const std::vector<Prediction> predictions = predict(machine, arguments.request);
  const char* precision = to_string(precision_of(machine, arguments.request));
  nlohmann::json rows = nlohmann::json::array();
  if (arguments.json != "-") {
    fmt::print("{}: {}\n", machine.name, machine.description);
    if (!machine.fitted.empty())
      fmt::print("fitted to measurements: {}\n", fmt::join(machine.fitted, ", "));
    if (!machine.assumed.empty())
      fmt::print("assumed, not published: {}\n", fmt::join(machine.assumed, ", "));
    fmt::print("size {}, precision {}, by formulas\n", arguments.request.wafer.size, precision);
  }
  for (const Prediction& prediction : predictions) {
    if (arguments.json != "-") print(prediction);
    rows.push_back(to_json(prediction));
  }
  write_json(arguments.json, {{"machine", machine.name},
                              {"size", arguments.request.wafer.size},
                              {"precision", precision},
                              {"fitted", machine.fitted},
                              {"assumed", machine.assumed},
                              {"predictions", rows}});
}

}  // namespace predict_command

void add_predict_command(CLI::App& app) {
  using namespace predict_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand(
      "predict", "Predict the time of a transform on another machine, and its lower bound");
  add_wafer_options(command, arguments->request.wafer);
  command
      .add_option("--nodes", arguments->request.nodes,
                  "Number of nodes or elements (default: one per pencil on a "
                  "wafer, 512 on a torus, 1 on a cluster)")
      ->check(at_least(1));
  command.add_option(
      "--recipe", arguments->request.recipe,
      "Torus and cluster: also predict the time of this recipe, as `weft simulate` prints it");
  command.add_flag("--machines", arguments->list, "List the machines that come with weft");
  command.add_option("--show", arguments->show, "Print a machine's file, to copy and edit");
  command.add_option("--html", arguments->html,
                     "Also write a page about the machine: its numbers and their origin, this "
                     "prediction, charts by size and by nodes");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft predict --machines\n"
      "  weft predict --machine wse2 --size 512^3 --schedule segmented\n"
      "  weft predict --machine summit --size 1024^3 --nodes 1024\n"
      "  weft predict --machine bluegene-p --size 65536^2 --nodes 512\n"
      "  weft predict --machine summit --size 1024^3 --nodes 256 --html summit.html\n"
      "  weft predict --show wse2 > mine.json; weft predict --machine mine.json --size 256^3");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
