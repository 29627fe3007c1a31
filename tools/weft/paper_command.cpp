// SPDX-License-Identifier: BSD-3-Clause
// weft paper: computes the tables and figures of four papers again and compares them with the
// published numbers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/ranks.hpp"
#include "commands.hpp"
#include "fabric/flow_picture.hpp"
#include "fabric/paper.hpp"
#include "file.hpp"
#include "mpi/runtime.hpp"
#include "progress.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace paper_command {

struct Arguments {
  std::string name, html;
  bool full = false, measure = false;
  std::vector<std::string> points;
  Index length = 16, ranks = 1;
  std::string flow;
  JsonTarget json;
};

void check(const Arguments& arguments) {
  if (arguments.name != "wsfft" && arguments.name != "ape" && arguments.name != "spiral" &&
      arguments.name != "heffte")
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("paper {}: unknown; choose wsfft, ape, spiral or heffte", arguments.name));
  if (!arguments.points.empty() && (arguments.name != "spiral" || !arguments.measure))
    throw Error(ErrorCode::invalid_argument,
                "--points: these lengths are timed by `weft paper spiral --measure` only; add "
                "--measure, or leave --points out");
}

PaperReport report_of(const Arguments& arguments, std::optional<MeasuredOnRanks> measured) {
  if (arguments.name == "ape") return ape_report();
  PaperOptions options{.full = arguments.full,
                       .flow_length = arguments.length,
                       .flow_ranks = arguments.ranks,
                       .measured = std::move(measured)};
  if (arguments.name == "spiral") return spiral_report(options);
  if (arguments.name == "heffte") return heffte_report(options);
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
  options.on_progress = on_progress;
  return wsfft_report(options);
}

nlohmann::json to_json(const PaperReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const PaperRow& row : report.rows) {
    nlohmann::json entry = {{"id", row.id},
                            {"item", row.item},
                            {"weft", row.weft},
                            {"unit", row.unit},
                            {"verdict", to_string(row.verdict())},
                            {"fitted", row.is_fitted},
                            {"basis", to_string(row.basis)},
                            {"remark", row.remark}};
    if (row.basis != Basis::none)
      entry[row.basis == Basis::printed ? "published" : "derived"] = row.expected;
    if (row.quote != nullptr) {
      entry["place"] = row.quote->place;
      entry["quote"] = row.quote->text;
    }
    rows.push_back(entry);
  }
  nlohmann::json items = nlohmann::json::array();
  for (const PaperItem& item : report.items) {
    items.push_back({{"name", item.name},
                     {"subject", item.subject},
                     {"answer", item.answer},
                     {"shown", item.is_shown()}});
    if (item.table)
      items.back()["table"] = {{"head", item.table->head}, {"rows", item.table->rows}};
  }
  return {{"paper", report.name}, {"title", report.title}, {"rows", rows},
          {"items", items},       {"notes", report.notes}, {"good", report.good()}};
}

/// With mpiexec all ranks measure, and rank 0 alone reports.
std::optional<MeasuredOnRanks> measure(const Arguments& arguments, const Comm& comm) {
  if (!arguments.measure) return std::nullopt;
  std::vector<Index> lengths;
  for (const std::string& text : arguments.points) lengths.push_back(parse_length(text, comm));
  return measure_on_ranks(arguments.name, mpi_runtime() != nullptr ? &comm : nullptr, lengths);
}

void run(const Arguments& arguments) {
  check(arguments);
  const auto comm = tool_comm();
  std::optional<MeasuredOnRanks> measured = measure(arguments, *comm);
  if (comm->rank() > 0) return;
  if (!arguments.flow.empty())
    write_file(arguments.flow,
               flow_svg(fmt::format("FFT of {} points on {} rank{}", arguments.length,
                                    arguments.ranks, arguments.ranks == 1 ? "" : "s"),
                        global_fft_stages(arguments.length, arguments.ranks), arguments.ranks));
  const PaperReport report = report_of(arguments, std::move(measured));
  if (arguments.json != "-") fmt::print("{}", to_text(report));
  if (!arguments.html.empty()) write_file(arguments.html, to_html(report));
  write_json(arguments.json, to_json(report));
  if (!report.good())
    throw Failed{fmt::format("paper {}: at least one number deviates from the paper; see the table",
                             report.name)};
}

}  // namespace paper_command

void add_paper_command(CLI::App& app) {
  using namespace paper_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand(
      "paper", "Compute the tables and figures of a paper again and compare them with its numbers");
  command.add_option("PAPER", arguments->name, "The paper: wsfft, ape, spiral or heffte")
      ->required();
  command.add_option("--html", arguments->html, "Write the table and the charts as one HTML page");
  command.add_flag(
      "--full", arguments->full,
      "wsfft only: also simulate 256^3 and 512^3 packet by packet (default: up to 128^3)");
  command.add_flag("--measure", arguments->measure,
                   "spiral and heffte: also run and time on this machine what it can run, over the "
                   "ranks of mpiexec, or with threads as ranks");
  command
      .add_option("--points", arguments->points,
                  "spiral --measure: lengths of the transforms over ranks, such as 2^20,2^24; the "
                  "ranks must divide two factors of each (default: about 2^18,2^20,2^22)")
      ->delimiter(',');
  command.add_option(
      "--length", arguments->length,
      "spiral: length of the transform whose data flow is drawn, as in Figure 3; up to 128 "
      "(default: 16)");
  command.add_option("--ranks", arguments->ranks,
                     "spiral: number of ranks in that data flow (default: 1)");
  command.add_option("--flow", arguments->flow, "spiral: SVG file to write, with that data flow");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft paper wsfft\n"
      "  weft paper wsfft --full --html wsfft.html\n"
      "  weft paper ape --json=ape.json\n"
      "  weft paper spiral --measure --html spiral.html\n"
      "  mpiexec -n 4 weft paper spiral --measure --points 2^20,2^24\n"
      "  weft paper spiral --length 64 --ranks 4 --flow flow.svg");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
