// SPDX-License-Identifier: BSD-3-Clause
// weft paper: the tables and figures of the four papers, rerun, beside the published numbers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fabric/paper.hpp"
#include "file.hpp"
#include "progress.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  std::string name, html;
  bool full = false;
  JsonTarget json;
};

PaperReport report_of(const Arguments& arguments) {
  if (arguments.name == "ape") return ape_report();
  if (arguments.name == "spiral") return spiral_report();
  if (arguments.name == "heffte") return heffte_report();
  if (arguments.name != "wsfft")
    throw Error(ErrorCode::invalid_argument,
                fmt::format("paper {}: one of wsfft, ape, spiral, heffte", arguments.name));
  std::unique_ptr<Progress> bar;
  std::string phase;
  double done = 0;
  const auto on_progress = [&](const std::string& now, double share) {
    if (now != phase) {
      bar = std::make_unique<Progress>(ShowProgress::on_terminal, 1.0);
      bar->phase(now);
      phase = now;
      done = 0;
    }
    if (share <= done) return;
    bar->advance(share - done);
    done = share;
  };
  return wsfft_report({.full = arguments.full, .on_progress = on_progress});
}

nlohmann::json to_json(const PaperReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PaperRow& row : report.rows) {
    nlohmann::json entry = {{"id", row.id},
                            {"item", row.item},
                            {"weft", row.weft},
                            {"unit", row.unit},
                            {"verdict", name_of(row.verdict())},
                            {"fitted", row.is_fitted},
                            {"remark", row.remark}};
    if (row.has_published) entry["published"] = row.published;
    rows.push_back(entry);
  }
  return {{"paper", report.name},
          {"title", report.title},
          {"rows", rows},
          {"notes", report.notes},
          {"good", report.good()}};
}

void run(const Arguments& arguments) {
  const PaperReport report = report_of(arguments);
  if (arguments.json != "-") fmt::print("{}", to_text(report));
  if (!arguments.html.empty()) write_file(arguments.html, to_html(report));
  write_json(arguments.json, to_json(report));
  if (!report.good()) throw Failed{fmt::format("paper {}: a number deviates", report.name)};
}

}  // namespace

void add_paper_command(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *app.add_subcommand("paper", "Rerun the tables and figures of a paper beside its numbers");
  command.add_option("PAPER", arguments->name, "wsfft, ape, spiral or heffte")->required();
  command.add_option("--html", arguments->html, "Write the table and the charts as one page");
  command.add_flag("--full", arguments->full,
                   "wsfft: simulate the wavelets of 256^3 and 512^3 too, not only up to 128^3");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft paper wsfft\n"
      "  weft paper wsfft --full --html wsfft.html\n"
      "  weft paper ape --json=ape.json");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
