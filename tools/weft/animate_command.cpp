// SPDX-License-Identifier: BSD-3-Clause
// weft animate: writes an animation of a small simulation as one HTML page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fabric/animation.hpp"
#include "fabric/arguments.hpp"
#include "file.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace animate_command {

struct Arguments {
  std::string what = "wafer", cells = "8", output = "animation.html";
  WaferArguments wafer;
  bool machine_given = false;
  JsonTarget json;
};

Film shoot(const Arguments& arguments) {
  const auto machine = [&](const char* usual) {
    return fabric::load_machine(arguments.machine_given ? arguments.wafer.machine : usual);
  };
  if (arguments.what == "wafer") {
    const fabric::FabricMachine wse2 = machine("wse2");
    const fabric::WaferMachine& wafer = fabric::wafer_of(wse2);
    return film_of_wafer(fabric::with_groups(make_wafer_plan(arguments.wafer), wafer), wafer);
  }
  if (arguments.what == "ring") {
    const fabric::FabricMachine ape = machine("ape100-q4");
    fabric::AbelianGroup group;
    for (const Index side : parse_size(arguments.cells))
      group.moduli.push_back(static_cast<int>(std::min<Index>(side, 1 << 10)));
    return film_of_systolic(fabric::systolic_of(ape), group);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("animate {}: unknown; choose wafer or ring", arguments.what));
}

void run(const Arguments& arguments) {
  const Film film = shoot(arguments);
  write_file(arguments.output, to_html(film));
  if (arguments.json != "-")
    fmt::print("{}\n{} cycles; wrote {}, open it in a browser\n", film.title, film.cycles,
               arguments.output);
  write_json(arguments.json, {{"title", film.title},
                              {"cycles", film.cycles},
                              {"travellers", film.travellers.size()},
                              {"legs", film.legs.size()},
                              {"output", arguments.output}});
}

}  // namespace animate_command

void add_animate_command(CLI::App& app) {
  using namespace animate_command;
  auto arguments = std::make_shared<Arguments>();
  arguments->wafer.size = "8^3";
  CLI::App& command = *app.add_subcommand(
      "animate", "Write an animation of a small simulation: data packets or rows, cycle by cycle");
  command.add_option("WHAT", arguments->what, "wafer, or ring (a systolic array)")
      ->capture_default_str();
  add_wafer_options(command, arguments->wafer);
  command.add_flag("--inverse", arguments->wafer.inverse, "Run the backward transform");
  command
      .add_option("--cells", arguments->cells,
                  "Number of cells of the ring; 4x2 makes a torus, 2x2x2 a hypercube")
      ->capture_default_str();
  command.add_option("--output", arguments->output, "HTML file to write")->capture_default_str();
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft animate\n"
      "  weft animate wafer --size 8^3 --schedule crossed --output crossed.html\n"
      "  weft animate ring --cells 8 --output ring.html");
  command.callback([arguments, &command] {
    arguments->machine_given = command.count("--machine") > 0;
    run(*arguments);
  });
}

}  // namespace weft::tool
