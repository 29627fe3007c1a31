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
#include "reshape/copy.hpp"
#include "streams.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

Index bytes_of_real(Precision precision) { return precision == Precision::f64 ? 8 : 4; }

double allowed_error(Precision precision) { return precision == Precision::f64 ? 1e-12 : 1e-4; }

enum class Peer { timed, no_plan, absent };

/// One of weft's plans of a row.
struct Variant {
  std::string name;  // "measure, distributed"
  std::string recipe = {};
  double seconds = 0;
};

struct RankResult {
  std::string label = {};
  double flops = 0;  // nominal
  std::vector<Variant> weft = {};
  PeerTime fftw = {};
  Peer peer = Peer::absent;
  std::optional<PeerTime> heffte = {}, mpi4py = {};
  std::optional<double> error = {};  // relative, L2
  // The largest of all ranks. The peak is that of the whole process, before others allocate memory.
  Index array_bytes = 0, workspace_bytes = 0, peak_bytes = 0, messages = 0, message_bytes = 0;
};

/// Input and output of weft's plans, in the rank's own memory or in distributed arrays.
struct RankArrays {
  std::shared_ptr<DistributedMemory> in_memory, out_memory;
  Buffer<std::byte> in_buffer, out_buffer;
  std::byte *in = nullptr, *out = nullptr;
};

/// weft's side of a row: a plan for each effort and kind of array. It runs first, so that the peak
/// of memory is weft's alone.
class WeftSide {
 public:
  WeftSide(const RankRow& row, const Comm& comm, const RankBenchOptions& options)
      : transform_(row.transform) {
    const bool real_in = transform_.kind == Kind::r2c || transform_.kind == Kind::r2r;
    const bool real_out = transform_.kind == Kind::r2r;
    const Index unit = bytes_of_real(transform_.precision);
    std::vector<std::string> efforts = options.efforts;
    if (efforts.empty()) efforts = {options.plan.effort};
    for (const std::string& kind : options.arrays) {
      const bool is_distributed = kind == "distributed";
      RankArrays arrays;
      if (is_distributed) {
        arrays.in_memory = place_boxes(row.input, unit * (real_in ? 1 : 2), comm).memory;
        if (row.output)
          arrays.out_memory = place_boxes(*row.output, unit * (real_out ? 1 : 2), comm).memory;
      }
      for (const std::string& effort : efforts) {
        DistributedOptions choice = options_of(options.plan);
        choice.effort = parse_effort(effort);
        choice.input_memory = arrays.in_memory;
        choice.output_memory = arrays.out_memory;
        plans_.push_back(row.output
                             ? DistributedPlan(transform_, row.input, *row.output, comm, choice)
                             : DistributedPlan(transform_, row.input, any_order, comm, choice));
        of_plan_.push_back(arrays_.size());
        variants_.push_back({.name = effort + (is_distributed ? ", distributed" : "")});
        variants_.back().recipe = plans_.back().recipe();
      }
      input_reals_ = plans_.back().input_count() * (real_in ? 1 : 2);
      output_reals_ = plans_.back().output_count() * (real_out ? 1 : 2);
      agree(comm, [&] {
        if (!arrays.in_memory) arrays.in_buffer = Buffer<std::byte>(input_reals_ * unit);
        if (!arrays.out_memory) arrays.out_buffer = Buffer<std::byte>(output_reals_ * unit);
      });
      arrays.in = arrays.in_memory ? arrays.in_memory->data() : arrays.in_buffer.data();
      arrays.out = arrays.out_memory ? arrays.out_memory->data() : arrays.out_buffer.data();
      fill_random(arrays.in, static_cast<std::size_t>(input_reals_ * unit), transform_.precision,
                  static_cast<unsigned>(comm.rank() + 1));
      if (output_reals_ > 0)
        std::memset(arrays.out, 0, static_cast<std::size_t>(output_reals_ * unit));
      arrays_.push_back(std::move(arrays));
    }
  }
  void run(std::size_t i = 0) {
    RankArrays& arrays = arrays_[of_plan_[i]];
    execute(plans_[i], transform_, arrays.in, arrays.out);
  }
  std::size_t size() const { return plans_.size(); }
  DistributedPlan& plan() { return plans_.front(); }
  const std::vector<Variant>& variants() const { return variants_; }
  const std::byte* in() const { return arrays_.front().in; }
  std::byte* in(std::size_t i) { return arrays_[of_plan_[i]].in; }
  std::byte* out(std::size_t i = 0) { return arrays_[of_plan_[i]].out; }
  Index input_reals() const { return input_reals_; }
  Index output_reals() const { return output_reals_; }
  Index array_bytes() const {
    return (input_reals_ + output_reals_) * bytes_of_real(transform_.precision);
  }

 private:
  Transform transform_;
  std::vector<RankArrays> arrays_;
  std::vector<DistributedPlan> plans_;
  std::vector<std::size_t> of_plan_;  // the arrays of a plan
  std::vector<Variant> variants_;
  Index input_reals_ = 0, output_reals_ = 0;
};

/// FFTW's side, with the same input; null if there is no FFTW.
std::unique_ptr<PeerPlan> peer_of(const RankRow& row, const RankBenchOptions& options,
                                  const WeftSide& weft) {
  FftwMpiProblem problem = *row.peer;
  problem.measure = options.fftw_effort != "estimate";
  problem.time_limit_s = options.fftw_time_limit_s;
  auto peer = mpi_runtime()->fftw(problem);
  if (peer && weft.input_reals() > 0)
    std::memcpy(peer->input(), weft.in(),
                static_cast<std::size_t>(weft.input_reals() * bytes_of_real(problem.precision)));
  return peer;
}

/// heFFTe's side, with the same input, whose rows may have gaps in weft's array.
std::unique_ptr<PeerPlan> heffte_of(const RankRow& row, const WeftSide& weft) {
  auto peer = mpi_runtime()->heffte(*row.heffte);
  const Index bytes =
      bytes_of_real(row.transform.precision) * (row.transform.kind == Kind::r2c ? 1 : 2);
  for (const reshape::Piece& piece : reshape::pieces_of(row.input, reshape::Memory::input, bytes)) {
    reshape::copy_box(piece.box, const_cast<std::byte*>(weft.in()) + piece.offset, piece.strides,
                      peer->input(), reshape::dense_strides(piece.box), bytes);
  }
  peer->execute();
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
                                      const RankBenchOptions& options, WeftSide& weft) {
  FftwMpiProblem problem = *row.peer;
  problem.measure = options.fftw_effort != "estimate";
  const Index row_stride =
      problem.kind == Kind::r2c ? 2 * (problem.shape[2] / 2 + 1) : problem.shape[2];
  auto plan = library.plan(problem, weft.in(), row_stride);
  plan->execute();
  const double energy = plan->energy();
  if (problem.shape[0] % comm.size() != 0) return plan;
  const double expected = sum_of_squares(comm, problem.precision, weft.out(), weft.output_reals());
  if (std::abs(energy - expected) > 1e-3 * expected)
    throw Failed{
        fmt::format("{}: mpi4py-fft's result has a sum of squares of {:.6g}, weft's {:.6g}",
                    row.label, energy, expected)};
  return plan;
}

/// Compares with `reference`, the output of another library in the order of weft's.
void check_variants(const RankRow& row, const Comm& comm, WeftSide& weft,
                    const std::byte* reference, RankResult& result) {
  for (std::size_t i = 0; i < weft.size(); ++i) {
    weft.run(i);
    const double error = relative_difference(comm, row.transform.precision, weft.out(i), reference,
                                             weft.output_reals());
    result.error = std::max(result.error.value_or(0), error);
  }
}

/// Compares with the known transform of another input, which replaces the row's.
void check_by_products(const RankRow& row, const Comm& comm, WeftSide& weft, RankResult& result) {
  for (std::size_t i = 0; i < weft.size(); ++i) {
    const double error = separable_error(row, comm, [&] { weft.run(i); }, weft.in(i), weft.out(i));
    result.error = std::max(result.error.value_or(0), error);
  }
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
  for (std::size_t i = 0; i < weft.size(); ++i) weft.run(i);
  result.peak_bytes = largest_of_ranks(comm, peak_memory_bytes());
  progress.advance(1);

  std::unique_ptr<PeerPlan> peer, heffte;
  if (mpi_runtime() != nullptr && !options.no_fftw && row.peer &&
      mpi_runtime()->has_fftw(row.transform.precision)) {
    progress.phase("FFTW plans " + row.label);
    peer = peer_of(row, options, weft);
    result.peer = peer ? Peer::timed : Peer::no_plan;
  }
  if (!options.heffte_folder.empty() && row.heffte) {
    progress.phase("heFFTe plans " + row.label);
    heffte = heffte_of(row, weft);
  }
  progress.advance(1);
  progress.phase("checking " + row.label);
  if (peer) peer->execute();
  if (peer && row.output) check_variants(row, comm, weft, peer->output(), result);
  if (heffte && row.output) check_variants(row, comm, weft, heffte->output(), result);
  const bool is_one_complex = row.transform.kind == Kind::c2c && size.batch == 1;
  if (!result.error && row.output && !is_one_complex) check_by_products(row, comm, weft, result);
  if (!result.error && is_one_complex)
    result.error = order_free_error(weft.plan(), row.transform, row.output.has_value(), comm,
                                    weft.in(), weft.out());
  std::unique_ptr<Mpi4pyPlan> python_peer;
  if (mpi4py != nullptr && row.peer && row.transform.kind != Kind::r2r) {
    weft.run();  // the check has overwritten the output
    python_peer = mpi4py_of(*mpi4py, row, comm, options, weft);
  }
  progress.phase("timing " + row.label);
  std::vector<std::function<void()>> others;
  for (std::size_t i = 1; i < weft.size(); ++i) others.emplace_back([&weft, i] { weft.run(i); });
  if (peer) others.emplace_back([&] { peer->execute(); });
  if (heffte) others.emplace_back([&] { heffte->execute(); });
  if (python_peer) others.emplace_back([&] { python_peer->execute(); });
  const Turns turns = time_in_turns(comm, options.rounds, [&] { weft.run(); }, others);
  result.weft = weft.variants();
  result.weft[0].seconds = turns.weft_s;
  auto next = turns.peers.begin();
  for (std::size_t i = 1; i < weft.size(); ++i) result.weft[i].seconds = (next++)->seconds;
  if (peer) result.fftw = *next++;
  if (heffte) result.heffte = *next++;
  if (python_peer) result.mpi4py = *next++;
  const DistributedCost cost = weft.plan().cost();
  result.array_bytes = largest_of_ranks(comm, weft.array_bytes());
  result.workspace_bytes = largest_of_ranks(comm, cost.workspace_bytes);
  result.messages = largest_of_ranks(comm, cost.messages);
  result.message_bytes = largest_of_ranks(comm, cost.message_bytes);
  return result;
}

/// Geometric mean and least of a peer's ratios.
class Summary {
 public:
  void add(double ratio) {
    log_sum_ += std::log(ratio);
    lowest_ = rows_ == 0 ? ratio : std::min(lowest_, ratio);
    ++rows_;
  }
  void print(const std::string& peer) const {
    if (rows_ > 0)
      fmt::print("{}'s time / weft's time: geometric mean {:.2f} over {} rows, lowest {:.2f}\n",
                 peer, std::exp(log_sum_ / rows_), rows_, lowest_);
  }

 private:
  double log_sum_ = 0, lowest_ = 0;
  int rows_ = 0;
};

/// Only rank 0 prints. The ratios are those of weft's first plan.
class RankTable {
 public:
  RankTable(const Comm& comm, const RankBenchOptions& options, bool has_mpi4py, std::string heffte);
  /// Throws Failed on all ranks if the error is larger than rounding.
  void add(const RankResult& result, Precision precision);
  void finish();

 private:
  static std::string cell(const std::optional<PeerTime>& peer);
  void print(const RankResult& result) const;
  void record(const RankResult& result);

  bool speaks_, as_text_, has_mpi4py_;
  std::string heffte_;  // its column; empty: none
  JsonTarget json_;
  nlohmann::json document_ = nlohmann::json::array();
  Summary fftw_ratios_, heffte_ratios_;
};

RankTable::RankTable(const Comm& comm, const RankBenchOptions& options, bool has_mpi4py,
                     std::string heffte)
    : speaks_(comm.rank() == 0),
      as_text_(speaks_ && options.json != "-"),
      has_mpi4py_(has_mpi4py),
      heffte_(std::move(heffte)),
      json_(options.json) {
  if (!as_text_) return;
  fmt::print("{} rank{}, {}\n", comm.size(), comm.size() == 1 ? "" : "s",
             mpi_runtime() != nullptr ? mpi_runtime()->library()
                                      : "no MPI: use mpiexec to run on several ranks");
  const std::size_t plans =
      options.arrays.size() * std::max<std::size_t>(1, options.efforts.size());
  if (plans > 1) {
    fmt::print("weft's plans, from the left:");
    for (const std::string& kind : options.arrays)
      for (const std::string& effort : options.efforts.empty()
                                           ? std::vector<std::string>{options.plan.effort}
                                           : options.efforts)
        fmt::print(" {}{};", effort, kind == "own" ? "" : ", distributed arrays");
    fmt::print(" the ratios are those of the first\n");
  }
  fmt::print("{:<34}", "row");
  for (std::size_t i = 0; i < plans; ++i) fmt::print(" {:>9}", "weft");
  fmt::print(" {:>9} {:>6}", "FFTW-MPI", "ratio");
  if (!heffte_.empty()) fmt::print(" {:>13} {:>6}", heffte_, "ratio");
  if (has_mpi4py_) fmt::print(" {:>13} {:>6}", "mpi4py-fft", "ratio");
  fmt::print("  {:>7}  {:>8}  {:>9} {:>9} {:>9}  {}\n", "Gflop/s", "error", "in + out", "workspace",
             "peak", "recipe");
}

std::string RankTable::cell(const std::optional<PeerTime>& peer) {
  return fmt::format(" {:>13} {:>6}", peer ? seconds_text(peer->seconds) : "-",
                     peer ? fmt::format("{:.2f}", peer->ratio) : "-");
}

void RankTable::print(const RankResult& r) const {
  const bool is_compared = r.peer == Peer::timed;
  const auto bytes = [](Index count) { return bytes_text(static_cast<double>(count)); };
  fmt::print("{:<34}", r.label);
  for (const Variant& variant : r.weft) fmt::print(" {:>9}", seconds_text(variant.seconds));
  fmt::print(" {:>9} {:>6}",
             is_compared               ? seconds_text(r.fftw.seconds)
             : r.peer == Peer::no_plan ? "no plan"
                                       : "-",
             is_compared ? fmt::format("{:.2f}", r.fftw.ratio) : "-");
  if (!heffte_.empty()) fmt::print("{}", cell(r.heffte));
  if (has_mpi4py_) fmt::print("{}", cell(r.mpi4py));
  fmt::print("  {:7.2f}  {:>8}  {:>9} {:>9} {:>9}  {}\n", r.flops / r.weft[0].seconds / 1e9,
             r.error ? fmt::format("{:.1e}", *r.error) : "-", bytes(r.array_bytes),
             bytes(r.workspace_bytes), bytes(r.peak_bytes), r.weft[0].recipe);
  for (std::size_t i = 1; i < r.weft.size(); ++i)
    if (r.weft[i].recipe != r.weft[0].recipe)
      fmt::print("{:<34} {}: {}\n", "", r.weft[i].name, r.weft[i].recipe);
  std::fflush(stdout);
}

void RankTable::record(const RankResult& r) {
  nlohmann::json plans = nlohmann::json::array();
  for (const Variant& variant : r.weft)
    plans.push_back(
        {{"plan", variant.name}, {"recipe", variant.recipe}, {"weft_s", variant.seconds}});
  document_.push_back({{"row", r.label},
                       {"recipe", r.weft[0].recipe},
                       {"weft_s", r.weft[0].seconds},
                       {"plans", plans},
                       {"fftw_s", r.fftw.seconds},
                       {"fftw", r.peer == Peer::timed     ? "timed"
                                : r.peer == Peer::no_plan ? "no plan"
                                                          : "-"},
                       {"ratio", r.fftw.ratio},
                       {"error", r.error ? nlohmann::json(*r.error) : nlohmann::json()},
                       {"array_bytes", r.array_bytes},
                       {"workspace_bytes", r.workspace_bytes},
                       {"peak_bytes", r.peak_bytes},
                       {"messages", r.messages},
                       {"message_bytes", r.message_bytes}});
  if (r.heffte) {
    document_.back()["heffte_s"] = r.heffte->seconds;
    document_.back()["heffte_ratio"] = r.heffte->ratio;
  }
  if (r.mpi4py) {
    document_.back()["mpi4py_fft_s"] = r.mpi4py->seconds;
    document_.back()["mpi4py_fft_ratio"] = r.mpi4py->ratio;
  }
}

void RankTable::add(const RankResult& r, Precision precision) {
  if (as_text_) print(r);
  record(r);
  if (r.error && !(*r.error <= allowed_error(precision)))
    throw Failed{fmt::format(
        "{}: weft's result has a relative error of {:.1e}; rounding explains at most {:.0e}",
        r.label, *r.error, allowed_error(precision))};
  if (r.peer == Peer::timed) fftw_ratios_.add(r.fftw.ratio);
  if (r.heffte) heffte_ratios_.add(r.heffte->ratio);
}

void RankTable::finish() {
  if (as_text_) {
    fftw_ratios_.print("FFTW-MPI");
    heffte_ratios_.print(heffte_);
  }
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
  std::string heffte;
  if (!options.heffte_folder.empty()) {
    if (mpi_runtime() == nullptr)
      throw Error(ErrorCode::invalid_argument, "--heffte: heFFTe needs MPI; start with mpiexec");
    heffte = "heFFTe, " + mpi_runtime()->open_heffte(options.heffte_folder);
  }
  RankTable table(comm, options, mpi4py != nullptr, heffte);
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
  command.add_flag("--no-fftw", options.no_fftw, "Leave FFTW-MPI out");
  command
      .add_option("--efforts", options.efforts,
                  "Time a plan of weft for each of these efforts: estimate, measure, patient "
                  "(default: that of --effort)")
      ->check(CLI::IsMember({"estimate", "measure", "patient"}))
      ->delimiter(',');
  command
      .add_option("--arrays", options.arrays,
                  "Where weft's arrays lie: own (memory of each rank), distributed "
                  "(weft::DistributedArray), or both (default: own)")
      ->check(CLI::IsMember({"own", "distributed"}))
      ->delimiter(',');
  command.add_option("--rounds", options.rounds, "Timed calls of each library per row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_json_flag(command, options.json);
}

}  // namespace weft::tool
