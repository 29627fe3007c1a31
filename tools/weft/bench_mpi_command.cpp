// SPDX-License-Identifier: BSD-3-Clause
// weft bench mpi: weft, FFTW-MPI, heFFTe and mpi4py-fft on the same boxes of the same array, in
// turns.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/rank_rows.hpp"
#include "commands.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace bench_mpi_command {

struct Arguments {
  std::vector<std::string> sizes = {"128x128x128", "256x256x256"};
  std::vector<std::string> kinds = {"c2c", "r2c"}, precisions = {"f32", "f64"};
  std::vector<std::string> layouts = {"slabs"};
  std::vector<std::string> orders = {"natural", "transposed"};
  RankBenchOptions bench;
};

/// FFTW's blocks: equal on all ranks except the last ones.
LocalBoxes fftw_slabs(const std::vector<Index>& shape, int axis, const Comm& comm) {
  const auto a = static_cast<std::size_t>(axis);
  const Index block = (shape[a] + comm.size() - 1) / comm.size();
  Box box = Box::of_shape(shape);
  box.begin[a] = std::min<Index>(shape[a], comm.rank() * block);
  box.end[a] = std::min<Index>(shape[a], (comm.rank() + 1) * block);
  if (box.empty()) return {};
  return {LocalBox{.box = box}};
}

/// One box per rank; an empty one where a rank has none.
HeffteProblem heffte_of(const RankRow& row, Kind kind, Precision precision) {
  const auto box_of = [](const LocalBoxes& boxes) {
    LocalBox box;
    box.box.ndim = 3;
    if (!boxes.empty()) box = boxes[0];
    return box;
  };
  return {box_of(row.input), box_of(*row.output), kind, precision};
}

/// "2x1x4".
Grid parse_grid(const std::string& text, int ranks) {
  const std::vector<Index> parts = parse_shape(text).shape;
  Grid grid(parts.begin(), parts.end());
  Index product = 1;
  for (const Index part : parts) product *= part;
  if (parts.size() != 3 || product != ranks)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--layouts '{}': not a grid of {} ranks; give slabs, pencils, bricks, "
                            "or three numbers whose product is {}",
                            text, ranks, ranks));
  return grid;
}

/// What a row transforms: three axes of an array, whose first axis may number a batch.
struct Case {
  std::vector<Index> batch, shape;  ///< batch: nothing or one number
  std::string kind;
  Precision precision = Precision::f64;

  bool is_real_to_real() const { return kind != "c2c" && kind != "r2c"; }
  /// Extents of one output.
  std::vector<Index> output_shape() const {
    std::vector<Index> result = shape;
    if (kind == "r2c") result[2] = result[2] / 2 + 1;
    return result;
  }
  Transform transform() const {
    std::vector<Index> whole = batch;
    whole.insert(whole.end(), shape.begin(), shape.end());
    const int first = static_cast<int>(batch.size());
    const TransformOptions options{.axes = {first, first + 1, first + 2}, .precision = precision};
    if (kind == "c2c") return c2c(whole, options);
    if (kind == "r2c") return r2c(whole, options);
    return r2r(whole, {parse_r2r(kind)}, options);
  }
  std::string label(const std::string& layout) const {
    return fmt::format("{}{} {} {} {}", batch.empty() ? "" : fmt::format("{}*", batch[0]),
                       shape_text(shape), kind, to_string(precision), layout);
  }
  /// The same boxes for every array of the batch, which lie one after another.
  LocalBoxes batched(LocalBoxes boxes) const {
    if (!batch.empty())
      for (LocalBox& local : boxes) {
        Box box = Box::of_shape(transform().shape);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          box.begin[axis + 1] = local.box.begin[axis];
          box.end[axis + 1] = local.box.end[axis];
        }
        local = {.box = box};
      }
    return boxes;
  }
};

/// FFTW's slabs. Of a batch FFTW would want the arrays interleaved, so it has no such rows.
RankRow row_of(const Case& problem, bool transposed, const Comm& comm) {
  const std::vector<Index>& shape = problem.shape;
  const std::vector<Index> out = problem.output_shape();
  RankRow row;
  row.label = problem.label(transposed ? "transposed" : "natural");
  row.transform = problem.transform();
  row.input = problem.batched(fftw_slabs(shape, 0, comm));
  row.output = problem.batched(fftw_slabs(out, transposed ? 1 : 0, comm));
  if (!problem.batch.empty()) return row;
  if (problem.kind == "r2c")
    for (LocalBox& box : row.input) box.strides = {shape[1] * 2 * out[2], 2 * out[2], 1};
  if (transposed)
    for (LocalBox& box : *row.output) box.order = {1, 0, 2};
  row.peer = FftwMpiProblem{.shape = shape,
                            .kind = row.transform.kind,
                            .precision = problem.precision,
                            .transposed = transposed};
  if (problem.is_real_to_real())
    row.peer->r2r = row.transform.r2r[0];
  else
    row.heffte = heffte_of(row, row.transform.kind, problem.precision);
  return row;
}

/// "slabs" are FFTW's; this is for "pencils" (lines of the last axis in, of the first out),
/// "bricks", and grids such as 2x1x4 or 2x1x4:4x2x1.
RankRow grid_row_of(const Case& problem, const std::string& layout, const Comm& comm) {
  const std::vector<Index>& shape = problem.shape;
  const std::vector<Index> out = problem.output_shape();
  const int ranks = comm.size(), rank = comm.rank();
  RankRow row;
  row.label = problem.label(layout);
  row.transform = problem.transform();
  if (layout == "pencils") {
    row.input = pencils(shape, 2, ranks, rank);
    row.output = pencils(out, 0, ranks, rank);
  } else if (layout == "bricks") {
    row.input = bricks(shape, balanced_grid(shape, ranks), rank);
    row.output = bricks(out, balanced_grid(out, ranks), rank);
  } else {
    const std::size_t colon = layout.find(':');
    row.input = bricks(shape, parse_grid(layout.substr(0, colon), ranks), rank);
    row.output = bricks(
        out, parse_grid(colon == layout.npos ? layout : layout.substr(colon + 1), ranks), rank);
  }
  row.input = problem.batched(row.input);
  row.output = problem.batched(*row.output);
  if (problem.batch.empty() && !problem.is_real_to_real())
    row.heffte = heffte_of(row, row.transform.kind, problem.precision);
  return row;
}

void check(const Arguments& arguments, const std::string& size, const std::string& order) {
  const auto [batch, shape] = parse_shape(size);
  if (shape.size() != 3 || batch.size() > 1)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--sizes '{}' has {} dimensions and {} numbers of a batch; give three "
                            "dimensions, such as 128x128x128, or 4*128x128x128 for a batch of 4",
                            size, shape.size(), batch.size()));
  if (order != "natural" && order != "transposed")
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--orders '{}': unknown; choose natural or transposed", order));
  if (arguments.layouts.empty() || arguments.orders.empty())
    throw Error(ErrorCode::invalid_argument, "--layouts or --orders is empty; name at least one");
}

std::vector<RankRow> rows_of(const Arguments& arguments, const Comm& comm) {
  std::vector<RankRow> rows;
  for (const std::string& size : arguments.sizes)
    for (const std::string& layout : arguments.layouts)
      for (const std::string& kind : arguments.kinds)
        for (const std::string& precision : arguments.precisions)
          for (const std::string& order : arguments.orders) {
            check(arguments, size, order);
            const auto [batch, shape] = parse_shape(size);
            const Case problem{batch, shape, kind, parse_precision(precision)};
            if (layout == "slabs")
              rows.push_back(row_of(problem, order == "transposed", comm));
            else if (order == arguments.orders[0])  // other layouts have no order
              rows.push_back(grid_row_of(problem, layout, comm));
          }
  return rows;
}

void run(const Arguments& arguments) {
  const auto comm = tool_comm();
  run_rank_rows(rows_of(arguments, *comm), *comm, arguments.bench);
}

}  // namespace bench_mpi_command

void add_bench_mpi_command(CLI::App& bench) {
  using namespace bench_mpi_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *bench.add_subcommand(
      "mpi", "3-D transforms over all ranks: weft, FFTW-MPI, heFFTe and mpi4py-fft");
  command
      .add_option("--sizes", arguments->sizes,
                  "Sizes, such as 500x500x500, or 4*64x64x64 for a batch of 4 (default: "
                  "128x128x128,256x256x256)")
      ->delimiter(',');
  command
      .add_option(
          "--kinds", arguments->kinds,
          "Kinds: c2c, r2c, or real to real along all axes: dct1 to dct4, dst1 to dst4, dht, "
          "r2hc, hc2r (default: c2c,r2c)")
      ->delimiter(',');
  command.add_option("--precisions", arguments->precisions, "Precisions: f32, f64 (default: both)")
      ->delimiter(',');
  command
      .add_option("--orders", arguments->orders,
                  "Orders of the output of slabs: natural, transposed (default: both)")
      ->delimiter(',');
  command
      .add_option("--layouts", arguments->layouts,
                  "How the array is distributed: slabs, pencils, bricks, a grid such as 2x1x4, or "
                  "two such as 2x1x4:4x2x1, of input and output (default: slabs)")
      ->delimiter(',');
  add_rank_bench_options(command, arguments->bench);
  command
      .add_option("--mpi4py", arguments->bench.mpi4py_python,
                  "Also time mpi4py-fft, run by this Python (default: python3)")
      ->expected(0, 1)
      ->default_str("python3");
  command.add_option("--heffte", arguments->bench.heffte_folder,
                     "Also time heFFTe: the folder of libheffte.so, built for the MPI of mpiexec "
                     "with MKL or FFTW");
  command.footer(
      "The libraries transform the same boxes out of place, in turns. Times are those of the\n"
      "slowest rank, medians over the rounds. Results are compared first; if they differ,\n"
      "the exit code is 1.\n"
      "Order transposed: the output is distributed along the second axis, as with\n"
      "FFTW_MPI_TRANSPOSED_OUT. FFTW-MPI and mpi4py-fft have slabs only; heFFTe and mpi4py-fft\n"
      "have no real-to-real kinds here. The arrays of a batch lie one after another, as none of "
      "the\n"
      "others takes them: they are timed for weft alone.\n"
      "heFFTe runs the fastest of its exchanges, with slabs or pencils inside.\n"
      "Examples:\n"
      "  mpiexec -n 2 weft bench mpi\n"
      "  mpiexec -n 4 weft bench mpi --sizes 512x512x512 --kinds c2c --precisions f64\n"
      "  mpiexec -n 4 weft bench mpi --sizes 8*64x64x64 --layouts bricks --kinds c2c,dct2\n"
      "  mpiexec -n 2 weft bench mpi --mpi4py venv/bin/python\n"
      "  mpiexec -n 8 weft bench mpi --heffte heffte/lib --layouts slabs,bricks --no-fftw \\\n"
      "      --arrays own,distributed --efforts estimate,measure");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
