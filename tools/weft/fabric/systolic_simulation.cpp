// SPDX-License-Identifier: BSD-3-Clause
#include "systolic_simulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>

#include "../commands.hpp"
#include "../text.hpp"
#include "../timing.hpp"
#include "arguments.hpp"
#include "fabric/systolic/transform.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::tool {
namespace systolic_simulation {

using Single = std::complex<float>;
using Double = std::complex<double>;

constexpr Index most_points = Index{1} << 26;

/// Numbers without pattern between -0.5 and 0.5, the same every time.
Single noise(Index k) {
  const auto part = [](std::uint64_t state) {
    state = (state ^ (state >> 31)) * 0x9e3779b97f4a7c15ULL;
    state = (state ^ (state >> 29)) * 0xbf58476d1ce4e5b9ULL;
    return static_cast<float>(static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
  };
  return {part(static_cast<std::uint64_t>(2 * k + 1)), part(static_cast<std::uint64_t>(2 * k + 2))};
}

fabric::SystolicProblem problem_of(const fabric::SystolicMachine& machine,
                                   const SystolicRequest& request) {
  if (!request.precision.empty() && request.precision != "f32")
    refuse(fmt::format("--precision {}: systolic machines compute in f32", request.precision));
  const std::vector<Index> size = parse_size(request.size);
  Index points = 1;
  for (const Index edge : size) points *= std::min(edge, most_points + 1);
  if (size.size() > 2 || points > most_points)
    refuse(
        fmt::format("size {}: a systolic machine is simulated with matrices or lines of up to "
                    "2^26 numbers, such as 8192^2 or 65536",
                    request.size));
  const Index p = machine.nodes();
  std::array<Index, 2> sides{size[0], size.back()};
  if (size.size() == 1) {  // a line is a matrix of rows and columns, as square as can be
    sides = {0, 0};
    for (Index rows = p; rows * rows <= points; rows += p)
      if (points % rows == 0 && points / rows % p == 0) sides = {rows, points / rows};
    if (sides[0] == 0)
      refuse(fmt::format("line of {}: the {} nodes must divide two factors of it, such as {} x {}",
                         points, p, p, p));
    if (request.restored) refuse("--restored: a line comes out in natural order already");
  }
  fabric::SystolicProblem problem{
      .rows = static_cast<int>(sides[0]),
      .columns = static_cast<int>(sides[1]),
      .cells = request.strides.empty()
                   ? fabric::AbelianGroup{{machine.torus[0], machine.torus[1], machine.torus[2]}}
                   : fabric::AbelianGroup{{machine.nodes()}},
      .layout = request.restored ? fabric::Layout2d::restored : fabric::Layout2d::transposed,
      .skewing = machine.local_addressing ? fabric::Skewing::addressed : fabric::Skewing::masked,
      .strides = request.strides,
      .one_line = size.size() == 1};
  return problem;
}

/// The relative difference from weft's own transform in double precision.
double error_of(const fabric::SystolicProblem& problem, const std::vector<Single>& result) {
  const Index rows = problem.rows, columns = problem.columns;
  std::vector<Double> expected(result.size());
  for (Index k = 0; k < rows * columns; ++k) expected[static_cast<std::size_t>(k)] = noise(k);
  const Plan plan(problem.one_line ? c2c({rows * columns}) : c2c({rows, columns}));
  plan.execute(expected.data(), expected.data());
  const bool flipped = !problem.one_line && problem.layout == fabric::Layout2d::transposed;
  double wrong = 0, whole = 0;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      const Double value = expected[static_cast<std::size_t>(r * columns + c)];
      const Index at = flipped ? c * rows + r : r * columns + c;
      wrong += std::norm(Double(result[static_cast<std::size_t>(at)]) - value);
      whole += std::norm(value);
    }
  return std::sqrt(wrong / whole);
}

}  // namespace systolic_simulation

nlohmann::json simulate_systolic(const fabric::FabricMachine& machine,
                                 const SystolicRequest& request, bool json_only) {
  using namespace systolic_simulation;
  const fabric::SystolicMachine& cells = fabric::systolic_of(machine);
  const fabric::SystolicProblem problem = problem_of(cells, request);
  const Stopwatch watch;
  const double points = static_cast<double>(problem.rows) * problem.columns;
  fabric::SystolicRun<float> run;
  {
    std::vector<Single> field(static_cast<std::size_t>(points));
    for (std::size_t k = 0; k < field.size(); ++k) field[k] = noise(static_cast<Index>(k));
    run = fabric::systolic_fft<float>(field, problem);
  }
  const double error = error_of(problem, run.numbers);
  const double allowed = 4 * std::ldexp(1.0, -24) * std::log2(points);
  const double words = 2 * points / cells.nodes() / cells.nodes();
  fabric::SystolicTime time = fabric::counted_time(cells, run.count, words);
  const double flops = 5 * points * std::log2(points);
  time.compute_s = flops / (fabric::peak_flops(cells) * cells.local_fft_share_of_peak);
  const double seconds = time.compute_s + time.transposition();
  const double share = 100 * flops / seconds / fabric::peak_flops(cells);
  const std::string layout = problem.one_line                               ? "natural order"
                             : problem.layout == fabric::Layout2d::restored ? "restored"
                                                                            : "transposed";
  if (!json_only) {
    fmt::print("c2c {} f32 on {}: {} cells, a {} x {} matrix, result {}\n", request.size,
               machine.name, cells.nodes(), problem.rows, problem.columns, layout);
    fmt::print("  {:<30}{:>12}   {} shifts, {} rows over a link\n", "shifts between cells",
               seconds_text(time.shift_s), run.count.shift_instructions, run.count.row_hops);
    fmt::print("  {:<30}{:>12}   {}\n", "skews inside cells", seconds_text(time.skew_s),
               run.count.row_moves > 0
                   ? fmt::format("{} masked moves of a row", run.count.row_moves)
                   : "addresses of their own");
    fmt::print("  {:<30}{:>12}\n", "local transforms", seconds_text(time.compute_s));
    fmt::print("  {:<30}{:>12}   {:.1f} % of peak\n", "in all", seconds_text(seconds), share);
    fmt::print("  numbers: relative error {:.2e} (allowed {:.1e}) against weft in f64\n", error,
               allowed);
    fmt::print("  simulated in {}\n", seconds_text(watch.seconds()));
  }
  if (!(error <= allowed))
    throw Failed{fmt::format("the numbers are wrong: relative error {:.2e}, allowed {:.2e}", error,
                             allowed)};
  return {{"machine", machine.name},
          {"size", request.size},
          {"cells", cells.nodes()},
          {"layout", layout},
          {"seconds", seconds},
          {"shift_s", time.shift_s},
          {"skew_s", time.skew_s},
          {"compute_s", time.compute_s},
          {"percent_of_peak", share},
          {"shifts", run.count.shift_instructions},
          {"row_hops", run.count.row_hops},
          {"row_moves", run.count.row_moves},
          {"numbers", {{"relative_error", error}, {"allowed", allowed}}}};
}

}  // namespace weft::tool
