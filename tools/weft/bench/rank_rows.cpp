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
#include "mpi/mpi4py_fft.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "streams.hpp"
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
  double weft_s = 0;
  PeerTime fftw = {};
  Peer peer = Peer::absent;
  std::optional<PeerTime> mpi4py = {};
  std::optional<double> error = {};  // relative, L2
  // The largest of all ranks. The peak is that of the whole process, before FFTW allocates memory.
  Index array_bytes = 0, workspace_bytes = 0, peak_bytes = 0, messages = 0, message_bytes = 0;
};

/// weft's side of a row. It runs first, so that the peak of memory is weft's alone.
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

/// FFTW's side, with the same input; null if there is no FFTW.
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

double sum_of_squares(const Comm& comm, Precision precision, const std::byte* data, Index count) {
  double sum = 0;
  for (Index i = 0; i < count; ++i) {
    const double value = precision == Precision::f64
                             ? reinterpret_cast<const double*>(data)[i]
                             : static_cast<double>(reinterpret_cast<const float*>(data)[i]);
    sum += value * value;
  }
  return sum_of_ranks(comm, sum);
}

/// mpi4py-fft's side, with the same input. Its output is distributed in another way, so only the
/// sum of squares is compared.
std::unique_ptr<Mpi4pyPlan> mpi4py_of(Mpi4pyFft& library, const RankRow& row, const Comm& comm,
                                      const RankBenchOptions& options, const WeftSide& weft) {
  FftwMpiProblem problem = row.peer;
  problem.measure = options.fftw_effort != "estimate";
  const Index row_stride =
      problem.kind == Kind::r2c ? 2 * (problem.shape[2] / 2 + 1) : problem.shape[2];
  auto plan = library.plan(problem, weft.in.data(), row_stride);
  plan->execute();
  const double energy = plan->energy();
  if (problem.shape[0] % comm.size() != 0) return plan;
  const double expected =
      sum_of_squares(comm, problem.precision, weft.out.data(), weft.output_reals);
  if (std::abs(energy - expected) > 1e-3 * expected)
    throw Failed{
        fmt::format("{}: mpi4py-fft's result has a sum of squares of {:.6g}, weft's {:.6g}",
                    row.label, energy, expected)};
  return plan;
}

RankResult run_rank_row(const RankRow& row, const Comm& comm, const RankBenchOptions& options,
                        Mpi4pyFft* mpi4py) {
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
  std::unique_ptr<Mpi4pyPlan> python_peer;
  if (mpi4py != nullptr) {
    weft.run();  // the check has overwritten the output
    python_peer = mpi4py_of(*mpi4py, row, comm, options, weft);
  }
  progress.phase("timing " + row.label);
  std::vector<std::function<void()>> peers;
  if (peer) peers.emplace_back([&] { peer->execute(); });
  if (python_peer) peers.emplace_back([&] { python_peer->execute(); });
  const Turns turns = time_in_turns(comm, options.rounds, [&] { weft.run(); }, peers);
  result.weft_s = turns.weft_s;
  if (peer) result.fftw = turns.peers.front();
  if (python_peer) result.mpi4py = turns.peers.back();
  result.recipe = weft.plan.recipe();
  const DistributedCost cost = weft.plan.cost();
  result.array_bytes = largest_of_ranks(comm, weft.in.size() + weft.out.size());
  result.workspace_bytes = largest_of_ranks(comm, cost.workspace_bytes);
  result.messages = largest_of_ranks(comm, cost.messages);
  result.message_bytes = largest_of_ranks(comm, cost.message_bytes);
  return result;
}

/// Only rank 0 prints.
class RankTable {
 public:
  RankTable(const Comm& comm, const JsonTarget& json, bool has_mpi4py);
  /// Throws Failed on all ranks if the error is larger than rounding.
  void add(const RankResult& result, Precision precision);
  void finish();

 private:
  bool speaks_, as_text_, has_mpi4py_;
  JsonTarget json_;
  nlohmann::json document_ = nlohmann::json::array();
  double log_sum_ = 0, lowest_ = 0;
  int compared_ = 0;
};

RankTable::RankTable(const Comm& comm, const JsonTarget& json, bool has_mpi4py)
    : speaks_(comm.rank() == 0),
      as_text_(speaks_ && json != "-"),
      has_mpi4py_(has_mpi4py),
      json_(json) {
  if (!as_text_) return;
  fmt::print("{} rank{}, {}\n", comm.size(), comm.size() == 1 ? "" : "s",
             mpi_runtime() != nullptr ? mpi_runtime()->library()
                                      : "no MPI: use mpiexec to run on several ranks");
  fmt::print("{:<34} {:>9} {:>9} {:>6}{}  {:>7}  {:>8}  {:>9} {:>9} {:>9}  {}\n", "row", "weft",
             "FFTW-MPI", "ratio",
             has_mpi4py_ ? fmt::format(" {:>10} {:>6}", "mpi4py-fft", "ratio") : "", "Gflop/s",
             "error", "in + out", "workspace", "peak", "recipe");
}

void RankTable::add(const RankResult& r, Precision precision) {
  const char* without = r.peer == Peer::no_plan ? "no plan" : "-";
  const bool is_compared = r.peer == Peer::timed;
  if (as_text_) {
    const auto bytes = [](Index count) { return bytes_text(static_cast<double>(count)); };
    std::string mpi4py;
    if (has_mpi4py_)
      mpi4py = fmt::format(" {:>10} {:>6}", r.mpi4py ? seconds_text(r.mpi4py->seconds) : "-",
                           r.mpi4py ? fmt::format("{:.2f}", r.mpi4py->ratio) : "-");
    fmt::print("{:<34} {:>9} {:>9} {:>6}{}  {:7.2f}  {:>8}  {:>9} {:>9} {:>9}  {}\n", r.label,
               seconds_text(r.weft_s), is_compared ? seconds_text(r.fftw.seconds) : without,
               is_compared ? fmt::format("{:.2f}", r.fftw.ratio) : "-", mpi4py,
               r.flops / r.weft_s / 1e9, r.error ? fmt::format("{:.1e}", *r.error) : "-",
               bytes(r.array_bytes), bytes(r.workspace_bytes), bytes(r.peak_bytes), r.recipe);
    std::fflush(stdout);
  }
  document_.push_back({{"row", r.label},
                       {"recipe", r.recipe},
                       {"weft_s", r.weft_s},
                       {"fftw_s", r.fftw.seconds},
                       {"fftw", is_compared ? "timed" : without},
                       {"ratio", r.fftw.ratio},
                       {"error", r.error ? nlohmann::json(*r.error) : nlohmann::json()},
                       {"array_bytes", r.array_bytes},
                       {"workspace_bytes", r.workspace_bytes},
                       {"peak_bytes", r.peak_bytes},
                       {"messages", r.messages},
                       {"message_bytes", r.message_bytes}});
  if (r.mpi4py) {
    document_.back()["mpi4py_fft_s"] = r.mpi4py->seconds;
    document_.back()["mpi4py_fft_ratio"] = r.mpi4py->ratio;
  }
  if (r.error && !(*r.error <= allowed_error(precision)))
    throw Failed{fmt::format(
        "{}: weft's result has a relative error of {:.1e}; rounding explains at most {:.0e}",
        r.label, *r.error, allowed_error(precision))};
  if (!is_compared) return;
  log_sum_ += std::log(r.fftw.ratio);
  lowest_ = compared_ == 0 ? r.fftw.ratio : std::min(lowest_, r.fftw.ratio);
  ++compared_;
}

void RankTable::finish() {
  if (as_text_ && compared_ > 0)
    fmt::print("FFTW-MPI's time / weft's time: geometric mean {:.2f} over {} rows, lowest {:.2f}\n",
               std::exp(log_sum_ / compared_), compared_, lowest_);
  if (speaks_) write_json(json_, document_);
}

/// Null if it was not requested. If it cannot be loaded, rank 0 says so.
std::unique_ptr<Mpi4pyFft> mpi4py_for(const RankBenchOptions& options, const Comm& comm) {
  if (options.mpi4py_python.empty()) return nullptr;
  std::string why_not;
  auto library = open_mpi4py_fft(options.mpi4py_python, comm, why_not);
  if (comm.rank() == 0)
    tell(fmt::format("{}\n", library ? library->version() + " is timed in turns with the others"
                                     : fmt::format("mpi4py-fft cannot be used with {}: {}",
                                                   options.mpi4py_python, why_not))
             .c_str());
  return library;
}

}  // namespace

void run_rank_rows(const std::vector<RankRow>& rows, const Comm& comm,
                   const RankBenchOptions& options) {
  const auto mpi4py = mpi4py_for(options, comm);
  RankTable table(comm, options.json, mpi4py != nullptr);
  for (const RankRow& row : rows)
    table.add(run_rank_row(row, comm, options, mpi4py.get()), row.transform.precision);
  table.finish();
}

void add_rank_bench_options(CLI::App& command, RankBenchOptions& options) {
  add_plan_choice(command, options.plan);
  command
      .add_option("--fftw-effort", options.fftw_effort,
                  "Planning effort of FFTW: estimate or measure")
      ->check(CLI::IsMember({"estimate", "measure"}))
      ->capture_default_str();
  command
      .add_option("--fftw-time-limit", options.fftw_time_limit_s,
                  "Limit on FFTW's planning time per row, in seconds. FFTW's ranks check their own "
                  "clocks and may disagree; if MPI aborts, choose another limit")
      ->capture_default_str();
  command.add_flag("--no-fftw", options.no_fftw, "Time weft only");
  command.add_option("--rounds", options.rounds, "Timed calls of each library per row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_json_flag(command, options.json);
}

}  // namespace weft::tool
