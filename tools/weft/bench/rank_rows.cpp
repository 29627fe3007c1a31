// SPDX-License-Identifier: BSD-3-Clause
#include "bench/rank_rows.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/buffer.hpp"
#include "comm/agree.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

Index bytes_of_real(Precision precision) { return precision == Precision::f64 ? 8 : 4; }

double allowed_error(Precision precision) { return precision == Precision::f64 ? 1e-12 : 1e-4; }

DistributedPlan plan_of(const RankRow& row, const Comm& comm, const RankBenchOptions& options) {
  const DistributedOptions choice = options_of(options.plan);
  return row.output ? DistributedPlan(row.transform, row.input, *row.output, comm, choice)
                    : DistributedPlan(row.transform, row.input, any_order, comm, choice);
}

enum class Peer { timed, no_plan, absent };

struct RankResult {
  std::string label = {}, recipe = {};
  double flops = 0;  // nominal
  Turns times = {};
  Peer peer = Peer::absent;
  std::optional<double> error = {};  // relative, L2
  // The most of any rank. The peak is of the whole process, before FFTW has any memory.
  Index array_bytes = 0, workspace_bytes = 0, peak_bytes = 0, messages = 0, message_bytes = 0;
};

/// weft's side of a row. It comes first, so that the peak of memory is its own.
struct WeftSide {
  WeftSide(const RankRow& row, const Comm& comm, const RankBenchOptions& options)
      : transform(row.transform), plan(plan_of(row, comm, options)) {
    const Index unit = bytes_of_real(row.transform.precision);
    input_reals = plan.input_count() * (transform.kind == Kind::r2c ? 1 : 2);
    output_reals = plan.output_count() * 2;
    agree(comm, [&] {
      in = Buffer<std::byte>(input_reals * unit);
      out = Buffer<std::byte>(output_reals * unit);
    });
    fill_random(in.data(), static_cast<std::size_t>(in.size()), transform.precision,
                static_cast<unsigned>(comm.rank() + 1));
    if (out.size() > 0) std::memset(out.data(), 0, static_cast<std::size_t>(out.size()));
  }
  void run() { execute(plan, transform, in.data(), out.data()); }

  Transform transform;
  DistributedPlan plan;
  Index input_reals = 0, output_reals = 0;
  Buffer<std::byte> in, out;
};

/// FFTW's side, with the same input; null where there is none.
std::unique_ptr<FftwMpiPlan> peer_of(const RankRow& row, const RankBenchOptions& options,
                                     const WeftSide& weft) {
  FftwMpiProblem problem = row.peer;
  problem.measure = options.fftw_effort != "estimate";
  problem.time_limit_s = options.fftw_time_limit_s;
  auto peer = mpi_runtime()->fftw(problem);
  if (peer && weft.in.size() > 0)
    std::memcpy(peer->input(), weft.in.data(), static_cast<std::size_t>(weft.in.size()));
  return peer;
}

RankResult run_rank_row(const RankRow& row, const Comm& comm, const RankBenchOptions& options) {
  Progress progress(comm.rank() == 0 ? ShowProgress::on_terminal : ShowProgress::never, 3);
  progress.phase("planning " + row.label);
  RankResult result{.label = row.label};
  const Size size = size_of(row.transform);
  result.flops = nominal_flops(size.points, size.batch, has_real_side(row.transform.kind));
  reset_peak_memory();
  WeftSide weft(row, comm, options);
  weft.run();
  result.peak_bytes = largest_of_ranks(comm, peak_memory_bytes());
  progress.advance(1);

  std::unique_ptr<FftwMpiPlan> peer;
  if (mpi_runtime() != nullptr && !options.no_fftw &&
      mpi_runtime()->has_fftw(row.transform.precision)) {
    progress.phase("FFTW plans " + row.label);
    peer = peer_of(row, options, weft);
    result.peer = peer ? Peer::timed : Peer::no_plan;
  }
  progress.advance(1);
  progress.phase("checking " + row.label);
  if (peer) peer->execute();
  if (peer && row.output)
    result.error = relative_difference(comm, row.transform.precision, weft.out.data(),
                                       peer->output(), weft.output_reals);
  else if (row.transform.kind == Kind::c2c)
    result.error = order_free_error(weft.plan, row.transform, row.output.has_value(), comm,
                                    weft.in.data(), weft.out.data());
  progress.phase("timing " + row.label);
  result.times = time_in_turns(
      comm, options.rounds, [&] { weft.run(); },
      peer ? std::function<void()>([&] { peer->execute(); }) : nullptr);
  result.recipe = weft.plan.recipe();
  const DistributedCost cost = weft.plan.cost();
  result.array_bytes = largest_of_ranks(comm, weft.in.size() + weft.out.size());
  result.workspace_bytes = largest_of_ranks(comm, cost.workspace_bytes);
  result.messages = largest_of_ranks(comm, cost.messages);
  result.message_bytes = largest_of_ranks(comm, cost.message_bytes);
  return result;
}

/// Rank 0 speaks.
class RankTable {
 public:
  RankTable(const Comm& comm, const JsonTarget& json);
  /// Throws Failed on all ranks when the error is beyond rounding.
  void add(const RankResult& result, Precision precision);
  void finish();

 private:
  bool speaks_, as_text_;
  JsonTarget json_;
  nlohmann::json document_ = nlohmann::json::array();
  double log_sum_ = 0, lowest_ = 0;
  int compared_ = 0;
};

RankTable::RankTable(const Comm& comm, const JsonTarget& json)
    : speaks_(comm.rank() == 0), as_text_(speaks_ && json != "-"), json_(json) {
  if (!as_text_) return;
  fmt::print("{} rank{}, {}\n", comm.size(), comm.size() == 1 ? "" : "s",
             mpi_runtime() != nullptr ? mpi_runtime()->library() : "no MPI: start with mpiexec");
  fmt::print("{:<34} {:>9} {:>9} {:>6}  {:>7}  {:>8}  {:>9} {:>9} {:>9}  {}\n", "row", "weft",
             "FFTW-MPI", "ratio", "Gflop/s", "error", "in + out", "workspace", "peak", "recipe");
}

void RankTable::add(const RankResult& r, Precision precision) {
  const char* without = r.peer == Peer::no_plan ? "no plan" : "-";
  const bool is_compared = r.peer == Peer::timed;
  if (as_text_) {
    const auto bytes = [](Index count) { return bytes_text(static_cast<double>(count)); };
    fmt::print("{:<34} {:>9} {:>9} {:>6}  {:7.2f}  {:>8}  {:>9} {:>9} {:>9}  {}\n", r.label,
               seconds_text(r.times.weft_s), is_compared ? seconds_text(r.times.peer_s) : without,
               is_compared ? fmt::format("{:.2f}", r.times.ratio) : "-",
               r.flops / r.times.weft_s / 1e9, r.error ? fmt::format("{:.1e}", *r.error) : "-",
               bytes(r.array_bytes), bytes(r.workspace_bytes), bytes(r.peak_bytes), r.recipe);
    std::fflush(stdout);
  }
  document_.push_back({{"row", r.label},
                       {"recipe", r.recipe},
                       {"weft_s", r.times.weft_s},
                       {"fftw_s", r.times.peer_s},
                       {"fftw", is_compared ? "timed" : without},
                       {"ratio", r.times.ratio},
                       {"error", r.error ? nlohmann::json(*r.error) : nlohmann::json()},
                       {"array_bytes", r.array_bytes},
                       {"workspace_bytes", r.workspace_bytes},
                       {"peak_bytes", r.peak_bytes},
                       {"messages", r.messages},
                       {"message_bytes", r.message_bytes}});
  if (r.error && !(*r.error <= allowed_error(precision)))
    throw Failed{
        fmt::format("{}: weft's result is off by {:.1e}, relative; rounding explains {:.0e}",
                    r.label, *r.error, allowed_error(precision))};
  if (!is_compared) return;
  log_sum_ += std::log(r.times.ratio);
  lowest_ = compared_ == 0 ? r.times.ratio : std::min(lowest_, r.times.ratio);
  ++compared_;
}

void RankTable::finish() {
  if (as_text_ && compared_ > 0)
    fmt::print("geometric mean of FFTW-MPI's time by weft's: {:.2f} over {} rows, lowest {:.2f}\n",
               std::exp(log_sum_ / compared_), compared_, lowest_);
  if (speaks_) write_json(json_, document_);
}

}  // namespace

void run_rank_rows(const std::vector<RankRow>& rows, const Comm& comm,
                   const RankBenchOptions& options) {
  RankTable table(comm, options.json);
  for (const RankRow& row : rows)
    table.add(run_rank_row(row, comm, options), row.transform.precision);
  table.finish();
}

void add_rank_bench_options(CLI::App& command, RankBenchOptions& options) {
  add_plan_choice(command, options.plan);
  command.add_option("--fftw-effort", options.fftw_effort, "FFTW: estimate or measure")
      ->check(CLI::IsMember({"estimate", "measure"}))
      ->capture_default_str();
  command
      .add_option(
          "--fftw-time-limit", options.fftw_time_limit_s,
          "Seconds FFTW may plan a row; its ranks look at clocks of their own and may fall out "
          "of step: if MPI then ends the run, choose another limit")
      ->capture_default_str();
  command.add_flag("--no-fftw", options.no_fftw, "weft alone");
  command.add_option("--rounds", options.rounds, "Timed calls of each library per row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_json_flag(command, options.json);
}

}  // namespace weft::tool
