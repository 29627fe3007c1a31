// SPDX-License-Identifier: BSD-3-Clause
// weft trace SHAPE: runs a distributed transform and shows what every rank did when.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/buffer.hpp"
#include "commands.hpp"
#include "file.hpp"
#include "global/run/stage.hpp"
#include "mpi/distributed_problem.hpp"
#include "mpi/runtime.hpp"
#include "mpi/timeline.hpp"
#include "problem.hpp"
#include "text.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace trace_command {

struct Arguments {
  std::string shape, ranks, svg = "timeline.svg", trace = "trace.json", recipe, effort = "estimate";
  ProblemOptions problem;
  JsonTarget json;
};

struct Run {
  Timeline timeline;
  std::string recipe;
  double seconds = 0;
};

Run run_on(const Comm& comm, const Transform& transform, const Grid& grid,
           const Arguments& arguments) {
  const auto problem = brick_problem(transform, grid, ranks_of(grid));
  const LocalBoxes in = bricks(problem.input_shape(), grid, comm.rank());
  const LocalBoxes out = bricks(problem.output_shape(), grid, comm.rank());
  DistributedPlan plan(transform, in, out, comm,
                       {.effort = parse_effort(arguments.problem.effort),
                        .threads = arguments.problem.threads,
                        .use_wisdom = !arguments.problem.no_wisdom,
                        .recipe = arguments.recipe});
  const Index width = 2 * real_bytes(transform.precision);
  Buffer<std::byte> a(std::max<Index>(1, plan.input_count() * width));
  Buffer<std::byte> b(std::max<Index>(1, plan.output_count() * width));
  fill_random(a.data(), static_cast<std::size_t>(a.size()) / 16 * 16, transform.precision);
  Run best;
  for (int round = 0; round < 4; ++round) {
    comm.barrier();
    execute(plan, transform, a.data(), b.data());
    Timeline timeline = gather_timeline(comm, plan.trace());
    double slowest = 0;
    for (const auto& events : timeline)
      if (!events.empty()) slowest = std::max(slowest, events.back().end_s);
    if (round > 0 && (best.seconds == 0 || slowest < best.seconds))
      best = {std::move(timeline), plan.recipe(), slowest};
  }
  return best;
}

void run(const Arguments& arguments) {
  load_wisdom(arguments.problem);
  const Transform transform = make_transform(arguments.shape, arguments.problem);
  Run result;
  if (mpi_runtime() != nullptr) {
    const auto world = mpi_runtime()->world();
    const std::string ranks =
        arguments.ranks.empty() ? std::to_string(world->size()) : arguments.ranks;
    const Grid grid = parse_grid(ranks, transform.shape);
    if (ranks_of(grid) > world->size())
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--ranks {} needs {} ranks, but mpiexec started {}", ranks,
                              ranks_of(grid), world->size()));
    result = run_on(*world, transform, grid, arguments);
    if (world->rank() != 0) return;
  } else {
    const Grid grid = parse_grid(arguments.ranks.empty() ? "2" : arguments.ranks, transform.shape);
    std::mutex mutex;
    run_as_threads(ranks_of(grid), [&](const Comm& comm) {
      Run mine = run_on(comm, transform, grid, arguments);
      const std::lock_guard lock(mutex);
      if (comm.rank() == 0) result = std::move(mine);
    });
  }
  const std::string title =
      fmt::format("{} on {} rank{}: {}", describe(transform), result.timeline.size(),
                  result.timeline.size() == 1 ? "" : "s", seconds_text(result.seconds));
  write_file(arguments.svg, timeline_svg(result.timeline, title));
  write_file(arguments.trace, chrome_trace(result.timeline));
  write_json(arguments.json, {{"recipe", result.recipe},
                              {"seconds", result.seconds},
                              {"svg", arguments.svg},
                              {"trace", arguments.trace}});
  if (arguments.json != "-")
    fmt::print("{}\n{}\nwrote {} (a picture) and {} (for chrome://tracing or ui.perfetto.dev)\n",
               title, result.recipe, arguments.svg, arguments.trace);
}

}  // namespace trace_command

void add_trace_command(CLI::App& app) {
  using namespace trace_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand(
      "trace", "Run a distributed transform and draw what every rank does when");
  command.add_option("SHAPE", arguments->shape, "Shape, such as 256x256x256")->required();
  add_problem_options(command, arguments->problem);
  command.add_option(
      "--ranks", arguments->ranks,
      "Number of ranks, or a grid such as 2x4; without mpiexec the ranks are threads");
  command.add_option("--recipe", arguments->recipe, "Use exactly this recipe, as weft prints it");
  command.add_option("--svg", arguments->svg, "SVG picture to write")->capture_default_str();
  command
      .add_option("--output", arguments->trace,
                  "Trace file to write, for chrome://tracing or ui.perfetto.dev")
      ->capture_default_str();
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  mpiexec -n 4 weft trace 256x256x256 --svg timeline.svg\n"
      "  weft trace --real 128x128x128 --ranks 2x2");
  command.callback([arguments] { run(*arguments); });
}

}  // namespace weft::tool
