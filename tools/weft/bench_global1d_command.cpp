// SPDX-License-Identifier: BSD-3-Clause
// weft bench global1d: one long 1-D transform over all ranks, weft and FFTW-MPI in turns.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/rank_rows.hpp"
#include "commands.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace bench_global1d_command {

struct Arguments {
  std::vector<std::string> sizes = {"2^20", "2^22", "2^24", "10^7", "3^15"};
  std::vector<std::string> precisions = {"f64", "f32"}, orders = {"natural", "scrambled"};
  RankBenchOptions bench;
};

LocalBoxes block(Index begin, Index count) {
  if (count == 0) return {};
  return {LocalBox{.box = Box({begin}, {begin + count})}};
}

/// FFTW's blocks if FFTW takes part, otherwise equal blocks.
RankRow row_of(Index n, const std::string& text, Precision precision, bool scrambled,
               const Comm& comm, bool with_fftw) {
  RankRow row;
  row.label =
      fmt::format("{} {} {}", text, to_string(precision), scrambled ? "scrambled" : "natural");
  row.transform = c2c({n}, {.precision = precision});
  row.peer = FftwMpiProblem{.shape = {n}, .precision = precision, .transposed = scrambled};
  LocalBoxes output;
  if (with_fftw) {
    const FftwMpiBlocks blocks = mpi_runtime()->fftw_blocks(*row.peer);
    row.input = block(blocks.input_begin, blocks.input_count);
    output = block(blocks.output_begin, blocks.output_count);
  } else {
    row.input = output = slabs(row.transform.shape, 0, comm.size(), comm.rank());
  }
  if (!scrambled) row.output = output;
  return row;
}

/// Number of arrays of the input's size that exist at the same time: weft's input, output and
/// buffer; the result of the round trip and its buffer if the check needs them; and three arrays of
/// FFTW.
void require_memory_for(const RankRow& row, const Comm& comm, bool with_fftw) {
  const bool compares = with_fftw && row.output.has_value();
  const Index arrays = 3 + (compares ? 0 : 2) + (with_fftw ? 3 : 0);
  const Index element = row.transform.precision == Precision::f64 ? 16 : 8;
  const Index share = (row.transform.shape[0] + comm.size() - 1) / comm.size();
  require_memory(comm, arrays * share * element, row.label,
                 "choose a shorter length, f32 or --no-fftw, or use more nodes");
}

std::vector<RankRow> rows_of(const Arguments& arguments, const Comm& comm) {
  std::vector<RankRow> rows;
  for (const std::string& size : arguments.sizes)
    for (const std::string& name : arguments.precisions)
      for (const std::string& order : arguments.orders) {
        const Index n = parse_length(size, comm);
        const Precision precision = parse_precision(name);
        if (precision == Precision::f16)
          throw Error(ErrorCode::invalid_argument,
                      "--precisions f16: not available in this benchmark; choose f32 or f64");
        if (order != "natural" && order != "scrambled")
          throw Error(ErrorCode::invalid_argument,
                      fmt::format("--orders '{}': unknown; choose natural or scrambled", order));
        const bool with_fftw = mpi_runtime() != nullptr && !arguments.bench.no_fftw &&
                               mpi_runtime()->has_fftw(precision);
        rows.push_back(row_of(n, size, precision, order == "scrambled", comm, with_fftw));
        require_memory_for(rows.back(), comm, with_fftw);
      }
  return rows;
}

void run(const Arguments& arguments) {
  const auto comm = tool_comm();
  run_rank_rows(rows_of(arguments, *comm), *comm, arguments.bench);
}

}  // namespace bench_global1d_command

void add_bench_global1d_command(CLI::App& bench) {
  using namespace bench_global1d_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command =
      *bench.add_subcommand("global1d", "One long 1-D transform over all ranks: weft and FFTW-MPI");
  command
      .add_option("--sizes", arguments->sizes,
                  "Lengths, such as 2^20,3^15 (default: 2^20,2^22,2^24,10^7,3^15)")
      ->delimiter(',');
  command.add_option("--precisions", arguments->precisions, "Precisions: f64, f32 (default: both)")
      ->delimiter(',');
  command
      .add_option("--orders", arguments->orders,
                  "Orders of the output: natural, scrambled (default: both)")
      ->delimiter(',');
  add_rank_bench_options(command, arguments->bench);
  command.footer(
      "One forward complex transform, out of place. The array is distributed in FFTW's\n"
      "blocks (for a prime length all on one rank); without FFTW in equal blocks. Both\n"
      "libraries run in turns; times are those of the slowest rank, medians over the\n"
      "rounds.\n"
      "Order scrambled: each library leaves its output in the order that is best for it\n"
      "(FFTW_MPI_SCRAMBLED_OUT, weft::any_order).\n"
      "In the column of FFTW-MPI, 'no plan' means that FFTW cannot plan this row (as on\n"
      "one rank), '-' that there is no FFTW-MPI for this MPI.\n"
      "error is the relative L2 difference from FFTW's result. If FFTW's result is\n"
      "missing or has another order, it is the error of the round trip plus that of a\n"
      "pure tone. The exit code is 1 if an error is larger than rounding.\n"
      "peak is the largest memory use of any rank's process, measured before FFTW\n"
      "allocates any.\n"
      "Examples:\n"
      "  mpiexec -n 2 weft bench global1d\n"
      "  mpiexec -n 4 weft bench global1d --sizes 2^24,2^26 --precisions f64 --orders natural\n"
      "  mpiexec -n 2 weft bench global1d --sizes 1000003 --rounds 3 --fftw-time-limit 5 --json");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
