// SPDX-License-Identifier: BSD-3-Clause
// weft bench mpi: weft and FFTW-MPI on the same slabs of the same array, in turns.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/bandwidth.hpp"
#include "commands.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {
namespace {

struct Arguments {
  std::vector<std::string> sizes = {"128x128x128", "256x256x256"};
  std::vector<std::string> kinds = {"c2c", "r2c"}, precisions = {"f32", "f64"};
  std::vector<std::string> orders = {"natural", "transposed"};
  std::string exchange = "automatic", effort = "estimate", fftw_effort = "measure", recipe;
  double fftw_time_limit_s = 60;
  int rounds = 7;
  bool no_fftw = false;
  JsonTarget json;
};

struct Row {
  std::vector<Index> shape;
  Kind kind = Kind::c2c;
  Precision precision = Precision::f64;
  bool transposed = false;

  std::string label() const {
    return fmt::format("{} {} {} {}", shape_text(shape), name_of(kind), tool::name_of(precision),
                       transposed ? "transposed" : "natural");
  }
};

struct Result {
  Row row;
  std::string recipe;
  double weft_s = 0, fftw_s = 0, ratio = 0, difference = 0;
  Index array_bytes = 0, workspace_bytes = 0, messages = 0, message_bytes = 0;  // most of any rank
};

ExchangeAlgorithm parse_exchange_name(const std::string& name) {
  static constexpr const char* names[] = {"automatic",      "all_to_all", "all_to_all_v",
                                          "point_to_point", "pipelined",  "shared",
                                          "node_aware"};
  for (int i = 0; i < 7; ++i)
    if (name == names[i]) return static_cast<ExchangeAlgorithm>(i);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("no exchange is called '{}'; choose automatic, all_to_all, all_to_all_v, "
                          "point_to_point, pipelined, shared or node_aware",
                          name));
}

std::vector<Row> rows_of(const Arguments& arguments) {
  std::vector<Row> rows;
  for (const std::string& size : arguments.sizes)
    for (const std::string& kind : arguments.kinds)
      for (const std::string& precision : arguments.precisions)
        for (const std::string& order : arguments.orders) {
          Row row{parse_shape(size).shape, kind == "r2c" ? Kind::r2c : Kind::c2c,
                  parse_precision(precision), order == "transposed"};
          if (row.shape.size() != 3)
            throw Error(
                ErrorCode::invalid_argument,
                fmt::format("'{}' has {} dimensions; the rows are 3-D", size, row.shape.size()));
          if (kind != "c2c" && kind != "r2c")
            throw Error(ErrorCode::invalid_argument,
                        fmt::format("no rows of kind '{}'; choose c2c or r2c", kind));
          if (order != "natural" && order != "transposed")
            throw Error(
                ErrorCode::invalid_argument,
                fmt::format("no order is called '{}'; choose natural or transposed", order));
          rows.push_back(row);
        }
  return rows;
}

/// FFTW's blocks: the same for all ranks but the last ones.
LocalBoxes fftw_slabs(const std::vector<Index>& shape, int axis, int ranks, int rank) {
  const auto a = static_cast<std::size_t>(axis);
  const Index block = (shape[a] + ranks - 1) / ranks;
  Box box = Box::of_shape(shape);
  box.begin[a] = std::min<Index>(shape[a], rank * block);
  box.end[a] = std::min<Index>(shape[a], (rank + 1) * block);
  if (box.empty()) return {};
  return {LocalBox{.box = box}};
}

/// One row: both libraries planned on memory of their own in the same layout.
class Bench {
 public:
  Bench(const Row& row, const Comm& comm, const Arguments& arguments)
      : row_(row), comm_(comm), arguments_(arguments) {
    const bool real = row.kind == Kind::r2c;
    std::vector<Index> half = row.shape;
    if (real) half[2] = half[2] / 2 + 1;
    LocalBoxes in = fftw_slabs(row.shape, 0, comm.size(), comm.rank());
    LocalBoxes out = fftw_slabs(half, row.transposed ? 1 : 0, comm.size(), comm.rank());
    if (real)
      for (LocalBox& box : in) box.strides = {row.shape[1] * 2 * half[2], 2 * half[2], 1};
    if (row.transposed)
      for (LocalBox& box : out) box.order = {1, 0, 2};
    Transform transform = real ? r2c(row.shape, {.precision = row.precision})
                               : c2c(row.shape, {.precision = row.precision});
    plan_ = std::make_unique<DistributedPlan>(
        transform, in, out, comm,
        DistributedOptions{.effort = parse_effort(arguments.effort),
                           .exchange = parse_exchange_name(arguments.exchange),
                           .recipe = arguments.recipe});
    const Index unit = row.precision == Precision::f64 ? 8 : 4;
    in_ = Buffer<std::byte>((plan_->input_count() + 2) * unit * (real ? 1 : 2));
    out_ = Buffer<std::byte>(plan_->output_count() * unit * 2);
    fill_random(in_.data(), static_cast<std::size_t>(in_.size()), row.precision,
                static_cast<unsigned>(comm.rank() + 1));
    std::memset(out_.data(), 0, static_cast<std::size_t>(out_.size()));
    if (mpi_runtime() != nullptr && !arguments.no_fftw)
      peer_ = mpi_runtime()->fftw({.shape = row.shape,
                                   .kind = row.kind,
                                   .precision = row.precision,
                                   .transposed = row.transposed,
                                   .measure = arguments.fftw_effort != "estimate",
                                   .time_limit_s = arguments.fftw_time_limit_s});
    if (peer_)
      std::memcpy(peer_->input(), in_.data(),
                  static_cast<std::size_t>(plan_->input_count() * unit * (real ? 1 : 2)));
  }

  Result run() {
    Result result{.row = row_, .recipe = plan_->recipe()};
    execute_weft();
    if (peer_) {
      peer_->execute();
      result.difference = difference();
    }
    std::vector<double> weft, fftw, ratios;
    for (int round = 0; round < arguments_.rounds; ++round) {
      weft.push_back(timed([&] { execute_weft(); }));
      if (!peer_) continue;
      fftw.push_back(timed([&] { peer_->execute(); }));
      ratios.push_back(fftw.back() / weft.back());
    }
    result.weft_s = median(weft);
    if (peer_) {
      result.fftw_s = median(fftw);
      result.ratio = median(ratios);
    }
    const DistributedCost cost = plan_->cost();
    result.array_bytes = most(in_.size() + out_.size());
    result.workspace_bytes = most(cost.workspace_bytes);
    result.messages = most(cost.messages);
    result.message_bytes = most(cost.message_bytes);
    return result;
  }

 private:
  void execute_weft() {
    const bool real = row_.kind == Kind::r2c;
    const auto run = [&]<class Real>(Real) {
      auto* out = reinterpret_cast<std::complex<Real>*>(out_.data());
      if (real)
        plan_->execute(reinterpret_cast<const Real*>(in_.data()), out);
      else
        plan_->execute(reinterpret_cast<const std::complex<Real>*>(in_.data()), out);
    };
    if (row_.precision == Precision::f64)
      run(double{});
    else
      run(float{});
  }

  /// Seconds on the slowest rank.
  template <class Call>
  double timed(const Call& call) {
    comm_.barrier();
    const Stopwatch watch;
    call();
    const double mine = watch.seconds();
    std::vector<double> all(static_cast<std::size_t>(comm_.size()));
    comm_.all_gather(&mine, sizeof mine, all.data());
    return *std::ranges::max_element(all);
  }

  Index most(Index mine) const {
    std::vector<Index> all(static_cast<std::size_t>(comm_.size()));
    comm_.all_gather(&mine, sizeof mine, all.data());
    return *std::ranges::max_element(all);
  }

  /// Relative L2 difference of the two outputs over all ranks.
  double difference() const {
    double sums[2] = {0, 0};
    const auto add = [&]<class Real>(Real) {
      const auto* a = reinterpret_cast<const Real*>(out_.data());
      const auto* b = reinterpret_cast<const Real*>(peer_->output());
      for (Index i = 0; i < plan_->output_count() * 2; ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        sums[0] += d * d;
        sums[1] += static_cast<double>(b[i]) * static_cast<double>(b[i]);
      }
    };
    if (row_.precision == Precision::f64)
      add(double{});
    else
      add(float{});
    std::vector<double> all(2 * static_cast<std::size_t>(comm_.size()));
    comm_.all_gather(sums, sizeof sums, all.data());
    double numerator = 0, denominator = 0;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      numerator += all[i];
      denominator += all[i + 1];
    }
    return std::sqrt(numerator / denominator);
  }

  Row row_;
  const Comm& comm_;
  const Arguments& arguments_;
  std::unique_ptr<DistributedPlan> plan_;
  std::unique_ptr<FftwMpiPlan> peer_;
  Buffer<std::byte> in_, out_;
};

nlohmann::json as_json(const Result& r) {
  return {{"row", r.row.label()},
          {"recipe", r.recipe},
          {"weft_s", r.weft_s},
          {"fftw_s", r.fftw_s},
          {"ratio", r.ratio},
          {"difference", r.difference},
          {"array_bytes", r.array_bytes},
          {"workspace_bytes", r.workspace_bytes},
          {"messages", r.messages},
          {"message_bytes", r.message_bytes}};
}

void print_line(const Result& r) {
  Index points = 1;
  for (Index n : r.row.shape) points *= n;
  const double flops = nominal_flops(points, 1, r.row.kind == Kind::r2c);
  fmt::print("{:<34} {:>9} {:>9} {:>6}  {:6.2f}  {:>9} {:>9}  {}\n", r.row.label(),
             seconds_text(r.weft_s), r.fftw_s > 0 ? seconds_text(r.fftw_s) : "-",
             r.ratio > 0 ? fmt::format("{:.2f}", r.ratio) : "-", flops / r.weft_s / 1e9,
             bytes_text(static_cast<double>(r.array_bytes)),
             bytes_text(static_cast<double>(r.workspace_bytes)), r.recipe);
  std::fflush(stdout);
}

void run(const Arguments& arguments) {
  const std::vector<Row> rows = rows_of(arguments);
  const auto comm = tool_comm();
  const bool speaks = comm->rank() == 0;
  const bool as_text = speaks && arguments.json != "-";
  if (as_text) {
    fmt::print("{} ranks, {}\n", comm->size(),
               mpi_runtime() != nullptr ? mpi_runtime()->library() : "no MPI: start with mpiexec");
    fmt::print("{:<34} {:>9} {:>9} {:>6}  {:>6}  {:>9} {:>9}  {}\n", "row", "weft", "FFTW-MPI",
               "ratio", "Gflop/s", "in + out", "workspace", "recipe");
  }
  nlohmann::json document = nlohmann::json::array();
  double product = 1, lowest = 1e30;
  int compared = 0;
  for (const Row& row : rows) {
    const Result result = Bench(row, *comm, arguments).run();
    if (result.difference > (row.precision == Precision::f64 ? 1e-12 : 1e-4))
      throw Failed{
          fmt::format("{}: weft and FFTW-MPI differ by {:.1e}", row.label(), result.difference)};
    if (as_text) print_line(result);
    document.push_back(as_json(result));
    if (result.ratio <= 0) continue;
    product *= result.ratio;
    lowest = std::min(lowest, result.ratio);
    ++compared;
  }
  if (as_text && compared > 0)
    fmt::print("geometric mean of FFTW-MPI's time by weft's: {:.2f} over {} rows, lowest {:.2f}\n",
               std::pow(product, 1.0 / compared), compared, lowest);
  if (speaks) write_json(arguments.json, document);
}

}  // namespace

void add_bench_mpi_command(CLI::App& bench) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand("mpi", "Many ranks: weft and FFTW-MPI side by side");
  command.add_option("--sizes", arguments->sizes, "Such as 128x128x128,500x500x500")
      ->delimiter(',');
  command.add_option("--kinds", arguments->kinds, "c2c, r2c; both if left away")->delimiter(',');
  command.add_option("--precisions", arguments->precisions, "f32, f64; both if left away")
      ->delimiter(',');
  command.add_option("--orders", arguments->orders, "natural, transposed; both if left away")
      ->delimiter(',');
  command
      .add_option("--exchange", arguments->exchange,
                  "automatic, all_to_all, all_to_all_v, point_to_point, pipelined, shared or "
                  "node_aware")
      ->capture_default_str();
  command.add_option("--recipe", arguments->recipe,
                     "Exactly this recipe, as the last column prints");
  command.add_option("--effort", arguments->effort, "weft: estimate, measure or patient")
      ->capture_default_str();
  command.add_option("--fftw-effort", arguments->fftw_effort, "FFTW: estimate or measure")
      ->capture_default_str();
  command
      .add_option("--fftw-time-limit", arguments->fftw_time_limit_s, "Seconds FFTW may plan a row")
      ->capture_default_str();
  command.add_flag("--no-fftw", arguments->no_fftw, "weft alone");
  command.add_option("--rounds", arguments->rounds, "Timed calls of each library per row")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_json_flag(command, arguments->json);
  command.footer(
      "Both libraries transform slabs out of place, in turns; times are the slowest rank's, "
      "medians\n"
      "over the rounds; results are compared first (exit code 1). transposed: the output stays "
      "cut\n"
      "along the second axis, as FFTW_MPI_TRANSPOSED_OUT leaves it.\n"
      "Examples:\n"
      "  mpiexec -n 2 weft bench mpi\n"
      "  mpiexec -n 4 weft bench mpi --sizes 512x512x512 --kinds c2c --precisions f64");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
