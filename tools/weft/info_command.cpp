// SPDX-License-Identifier: BSD-3-Clause
// weft info: prints the properties of this machine that weft uses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/bandwidth.hpp"
#include "base/machine.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "commands.hpp"
#include "text.hpp"
#include "weft/version.h"
#include "weft/wisdom.hpp"

namespace weft::tool {
namespace info_command {

struct LevelBandwidth {
  std::string level;
  std::size_t bytes;
  int threads;
  double ordinary, non_temporal;  // bytes per second
};

std::vector<LevelBandwidth> measure_all_levels() {
  std::vector<LevelBandwidth> rows;
  std::vector<int> thread_counts = {1};
  if (this_machine().usable_threads > 1) thread_counts.push_back(this_machine().usable_threads);
  for (const int threads : thread_counts)
    for (const MemoryLevel& level : memory_levels(threads))
      rows.push_back({level.name, level.bytes, threads,
                      copy_bandwidth({level.bytes, threads, Store::ordinary, 0.02}),
                      copy_bandwidth({level.bytes, threads, Store::non_temporal, 0.02})});
  return rows;
}

/// Instruction sets of this machine for which weft has kernels, best last.
std::vector<std::string> kernel_sets() {
  std::vector<std::string> names;
  for (const codelet::Isa isa : codelet::available_isas()) names.emplace_back(to_string(isa));
  return names;
}

nlohmann::json as_json(const Machine& machine, const std::vector<LevelBandwidth>& bandwidth) {
  nlohmann::json caches = nlohmann::json::array(), rows = nlohmann::json::array();
  for (const Cache& cache : machine.data_caches)
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"line_bytes", cache.line_bytes},
                      {"ways", cache.ways},
                      {"sharers", cache.sharers}});
  for (const LevelBandwidth& row : bandwidth)
    rows.push_back({{"level", row.level},
                    {"bytes_per_thread", row.bytes},
                    {"threads", row.threads},
                    {"ordinary_gb_s", row.ordinary / 1e9},
                    {"non_temporal_gb_s", row.non_temporal / 1e9}});
  return {{"weft", WEFT_VERSION},
          {"cpu", machine.cpu},
          {"architecture", machine.architecture},
          {"sockets", machine.sockets},
          {"cores", machine.cores},
          {"hardware_threads", machine.hardware_threads},
          {"usable_threads", machine.usable_threads},
          {"caches", caches},
          {"instruction_sets", machine.instruction_sets},
          {"kernels", kernel_sets()},
          {"memory_bytes", machine.memory_bytes},
          {"page_bytes", machine.page_bytes},
          {"huge_page_bytes", machine.huge_page_bytes},
          {"transparent_huge_pages", machine.transparent_huge_pages},
          {"wisdom", wisdom::default_path()},
          {"copy_bandwidth", rows}};
}

void print_machine(const Machine& machine) {
  fmt::print("weft {}\n\n", WEFT_VERSION);
  fmt::print("CPU           {} ({})\n", machine.cpu, machine.architecture);
  fmt::print("cores         {} on {} socket{}, {} hardware threads, {} usable by this process\n",
             machine.cores, machine.sockets, machine.sockets == 1 ? "" : "s",
             machine.hardware_threads, machine.usable_threads);
  fmt::print("instructions  {}\n", fmt::join(machine.instruction_sets, " "));
  fmt::print("kernels       {}\n", fmt::join(kernel_sets(), " "));
  for (const Cache& cache : machine.data_caches)
    fmt::print("L{} data       {}, {} ways, lines of {} bytes, shared by {} thread{}\n",
               cache.level, bytes_text(static_cast<double>(cache.bytes)), cache.ways,
               cache.line_bytes, cache.sharers, cache.sharers == 1 ? "" : "s");
  fmt::print("memory        {}\n", bytes_text(static_cast<double>(machine.memory_bytes)));
  std::vector<std::string> pages = {bytes_text(static_cast<double>(machine.page_bytes))};
  for (const std::size_t bytes : machine.huge_page_bytes)
    pages.push_back(bytes_text(static_cast<double>(bytes)));
  fmt::print("pages         {}; transparent huge pages: {}\n", fmt::join(pages, ", "),
             machine.transparent_huge_pages.empty() ? "unknown" : machine.transparent_huge_pages);
  fmt::print("wisdom        {}\n", wisdom::default_path());
}

void print_bandwidth(const std::vector<LevelBandwidth>& rows) {
  fmt::print("\nCopy bandwidth in GB/s, bytes read plus bytes written\n");
  fmt::print("  threads  level   bytes per thread  ordinary  non-temporal stores\n");
  for (const LevelBandwidth& row : rows)
    fmt::print("  {:>7}  {:<6} {:>17}  {:>8.1f}  {:>8.1f}\n", row.threads, row.level,
               bytes_text(static_cast<double>(row.bytes)), row.ordinary / 1e9,
               row.non_temporal / 1e9);
}

struct ColumnBandwidth {
  std::size_t stride, piece;
  double out, in_place, out_past, in_place_past;  // bytes per second; past the caches
};

constexpr std::size_t column_rows = 512;

/// Columns of 512 rows, near each other and far apart, by all threads.
std::vector<ColumnBandwidth> measure_columns(std::size_t bytes) {
  const ColumnBench bench(bytes, column_rows, this_machine().usable_threads);
  std::vector<ColumnBandwidth> rows;
  for (const std::size_t stride : {std::size_t{8192}, bytes / column_rows})
    for (const std::size_t piece : {128, 256, 512, 1024, 2048}) {
      const auto measure = [&](Store store, bool in_place) {
        return bench.bandwidth({stride, piece, store, in_place});
      };
      rows.push_back({stride, piece, measure(Store::ordinary, false),
                      measure(Store::ordinary, true), measure(Store::non_temporal, false),
                      measure(Store::non_temporal, true)});
    }
  return rows;
}

nlohmann::json as_json(const std::vector<ColumnBandwidth>& columns) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ColumnBandwidth& row : columns)
    rows.push_back({{"rows", column_rows},
                    {"stride_bytes", row.stride},
                    {"piece_bytes", row.piece},
                    {"ordinary_gb_s", row.out / 1e9},
                    {"ordinary_in_place_gb_s", row.in_place / 1e9},
                    {"non_temporal_gb_s", row.out_past / 1e9},
                    {"non_temporal_in_place_gb_s", row.in_place_past / 1e9}});
  return rows;
}

void print_columns(const std::vector<ColumnBandwidth>& columns) {
  fmt::print("\nColumns of {} rows copied without any arithmetic by {} thread{}, in GB/s\n",
             column_rows, this_machine().usable_threads,
             this_machine().usable_threads == 1 ? "" : "s");
  fmt::print("                      ordinary stores       non-temporal stores\n");
  fmt::print("   stride     piece  elsewhere  in place   elsewhere  in place\n");
  for (const ColumnBandwidth& row : columns)
    fmt::print("  {:>7}  {:>8}  {:>9.1f}  {:>8.1f}   {:>9.1f}  {:>8.1f}\n",
               bytes_text(static_cast<double>(row.stride)),
               bytes_text(static_cast<double>(row.piece)), row.out / 1e9, row.in_place / 1e9,
               row.out_past / 1e9, row.in_place_past / 1e9);
}

/// Of an array: 1 GiB, or an eighth of the memory.
std::size_t column_bytes() {
  constexpr std::size_t wanted = std::size_t{1} << 30;
  const std::size_t memory = this_machine().memory_bytes;
  return memory == 0 ? wanted / 4 : std::min(wanted, std::bit_floor(memory / 8));
}

}  // namespace info_command

void add_info_command(CLI::App& app) {
  using namespace info_command;
  struct Arguments {
    bool quick = false, columns = false;
    JsonTarget json;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *app.add_subcommand("info", "Show CPU, caches, instruction sets and copy bandwidth");
  command.add_flag("--quick", arguments->quick, "Do not measure the bandwidth");
  command.add_flag("--columns", arguments->columns,
                   "Also copy columns of 512 rows, the limit of transforms along an axis that is "
                   "not contiguous; takes some seconds and 2 GiB");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft info\n"
      "  weft info --quick --columns\n"
      "  weft info --quick --json");
  command.callback([arguments] {
    const bool as_text = arguments->json != "-";
    if (as_text) print_machine(this_machine());
    const auto bandwidth = arguments->quick ? std::vector<LevelBandwidth>{} : measure_all_levels();
    if (as_text && !arguments->quick) print_bandwidth(bandwidth);
    nlohmann::json result = as_json(this_machine(), bandwidth);
    if (arguments->columns) {
      const auto columns = measure_columns(column_bytes());
      if (as_text) print_columns(columns);
      result["column_bandwidth"] = as_json(columns);
    }
    write_json(arguments->json, result);
  });
}

}  // namespace weft::tool
