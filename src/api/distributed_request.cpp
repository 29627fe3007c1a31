// SPDX-License-Identifier: BSD-3-Clause
#include "api/distributed_request.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "global/line/line.hpp"
#include "problem/request.hpp"
#include "weft/error.hpp"

namespace weft::api {

std::string problem_text(const Transform& t, const DistributedOptions& o, bool any) {
  std::string text = to_text(problem::check_request(t, {}, {}).problem);
  text += " normalization " + std::to_string(static_cast<int>(t.normalization));
  text += " exchange " + std::to_string(static_cast<int>(o.exchange));
  text += " strategy " + std::to_string(static_cast<int>(o.strategy));
  text += " chunks " + std::to_string(o.chunks);
  text += o.in_place ? " in place" : "";
  text += o.reproducible ? " reproducible" : "";
  text += o.device.type == Device::Type::cuda ? " on GPUs" : "";
  text += o.input_memory ? " input memory" : "";
  text += o.output_memory ? " output memory" : "";
  if (o.split)
    text += " split " + std::to_string(o.split->axis) + " " + std::to_string(o.split->rows) + "x" +
            std::to_string(o.split->columns);
  return text + " cap " + std::to_string(o.max_bytes_per_rank) + (any ? " any order" : "");
}

std::string text_of(const Transform& t, const DistributedOptions& o, bool any) {
  return problem_text(t, o, any) + " effort " + std::to_string(static_cast<int>(o.effort)) +
         (o.use_wisdom ? "" : " no wisdom") + (o.workspace ? " given workspace" : "") +
         (o.recipe.empty() ? "" : " recipe " + o.recipe);
}

void check_options(const DistributedOptions& options, bool any) {
  if (any && options.output_memory)
    throw Error(ErrorCode::invalid_argument,
                "memory was given for an output whose boxes the planner chooses (any_order); give "
                "the boxes, or remove output_memory");
  problem::check_effort(options.effort);
  problem::check_enumerator(options.exchange, ExchangeAlgorithm::nccl, "ExchangeAlgorithm");
  problem::check_enumerator(options.device.type, Device::Type::cuda, "Device::Type");
  problem::check_enumerator(options.strategy, Strategy::line, "Strategy");
  if (options.chunks < 1 || options.chunks > global::most_chunks)
    throw Error(ErrorCode::invalid_argument, "chunks is " + std::to_string(options.chunks) +
                                                 "; give 1 to " +
                                                 std::to_string(global::most_chunks));
  if (!(options.time_limit_s >= 0))
    throw Error(ErrorCode::invalid_argument, "time_limit_s is " +
                                                 std::to_string(options.time_limit_s) +
                                                 "; give a number of seconds that is not negative");
  if (options.max_bytes_per_rank < 0)
    throw Error(ErrorCode::invalid_argument,
                "max_bytes_per_rank is negative; give a number of bytes, or 0 for all memory");
  if (options.split && options.reproducible)
    throw Error(
        ErrorCode::unsupported,
        "split was given with reproducible = true; a split depends on the number of ranks, so "
        "remove one of them");
  if ((options.input_memory || options.output_memory) && options.device.type == Device::Type::cuda)
    throw Error(ErrorCode::unsupported,
                "a distributed array was given to a plan on GPUs; its memory is the host's, so "
                "remove input_memory and output_memory");
  if (options.input_memory && options.output_memory &&
      options.in_place != (options.input_memory == options.output_memory))
    throw Error(ErrorCode::invalid_argument,
                options.in_place
                    ? "the plan is for one array in place, but input and output were given "
                      "different memory; give both the same"
                    : "input and output were given the same memory; plan with in_place = true");
  if (options.threads < 0)
    throw Error(ErrorCode::invalid_argument, "threads is " + std::to_string(options.threads) +
                                                 "; give a positive number, or 0 for all cores");
}

void check_split(const LineSplit& split, const global::GlobalProblem& problem) {
  if (!global::is_line(problem))
    throw Error(ErrorCode::unsupported,
                "a split axis was asked for; only c2c, r2c and c2r transforms of f32 and f64 along "
                "one axis can be split");
  const Index n = problem.dimension(problem.axes[0]).n;
  if (split.axis != problem.axes[0] || split.rows < 2 || split.columns < 2 ||
      split.columns > n / split.rows || split.rows * split.columns != n)
    throw Error(ErrorCode::invalid_argument,
                "axis " + std::to_string(split.axis) + " split into " + std::to_string(split.rows) +
                    " x " + std::to_string(split.columns) + " does not match the " +
                    std::to_string(n) + " points of axis " + std::to_string(problem.axes[0]) +
                    "; give two factors of it, each at least 2");
}

void take_half(global::GlobalProblem& problem, std::vector<reshape::Piece>& pieces) {
  const int axis = problem.halved_axis();
  const Index half = problem.half_extent(axis);
  const auto crop = [&](Box& box) { box.end[at(axis)] = std::min(box.end[at(axis)], half); };
  for (reshape::Piece& piece : pieces) crop(piece.box);
  std::erase_if(pieces, [](const reshape::Piece& piece) { return piece.box.empty(); });
  reshape::ArrayDistribution::List list = problem.input.list();
  for (auto& boxes : list) {
    for (Box& box : boxes) crop(box);
    std::erase_if(boxes, [](const Box& box) { return box.empty(); });
  }
  problem.input = std::move(list);
  problem.extras.spectrum = Spectrum::half;
}

}  // namespace weft::api
