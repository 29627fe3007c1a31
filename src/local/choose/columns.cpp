// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/columns.hpp"

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "base/names.hpp"
#include "codelet/runtime/isa.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/memory.hpp"
#include "local/axis/axis_engine.hpp"
#include "local/axis/axis_fit.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cost_model.hpp"
#include "local/lane/lane_ops.hpp"
#include "tune/choose.hpp"
#include "tune/timing.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

/// Runs a recipe on one matrix of zeros, all threads together.
template <class Real>
class ColumnsTimer {
 public:
  ColumnsTimer(const ColumnsProblem& problem, const Executor& executor)
      : problem_(problem),
        executor_(executor),
        tasks_(std::max(1, executor.concurrency())),
        in_(problem.rows * problem.in_row + 2 * problem.columns),
        out_(problem.rows * problem.out_row + 2 * problem.columns) {
    std::ranges::fill(in_.span(), Real{0});
    std::ranges::fill(out_.span(), Real{0});
  }

  double time(const AxisRecipe& recipe, double give_up_s, tune::Clock::time_point deadline) const {
    const TwiddledColumns<Real> columns(request_of(problem_, recipe, 0));
    const Index scratch = columns.scratch_reals() + 64, blocks = columns.blocks();
    const int used = static_cast<int>(std::min<Index>(tasks_, blocks));
    Buffer<Real> work(used * scratch);
    const auto body = [&](int task) {
      columns.run(blocks * task / used, blocks * (task + 1) / used, in_.data(), out_.data(),
                  work.data() + task * scratch);
    };
    return tune::best_of_runs([&] { used == 1 ? body(0) : executor_.run(used, body); }, 1,
                              give_up_s, deadline);
  }

 private:
  const ColumnsProblem& problem_;
  const Executor& executor_;
  int tasks_;
  Buffer<Real> in_;
  mutable Buffer<Real> out_;
};

class ColumnsQuestion final : public tune::Question<AxisRecipe> {
 public:
  ColumnsQuestion(const ColumnsProblem& problem, const Choice& choice)
      : problem_(problem), choice_(choice) {}

  std::string name() const override {
    return to_text(problem_) + " threads " + std::to_string(choice_.executor->concurrency());
  }
  std::string write(const AxisRecipe& recipe) const override { return to_text(recipe); }
  AxisRecipe read(const std::string& text) const override {
    std::string_view rest = text;
    AxisRecipe recipe = parse_axis_recipe(rest);
    if (!rest.empty() || !is_usable(recipe))
      throw Error(ErrorCode::wisdom, "the recipe '" + text + "' does not fit the transform '" +
                                         to_text(problem_) + "' on this CPU");
    return recipe;
  }

  /// First as many neighbours as keep a block near the L2 cache, past the caches what they do not
  /// hold.
  std::vector<AxisRecipe> candidates() const override {
    const codelet::Isa isa = codelet::best_isa();
    const Index lanes = codelet::lanes(isa, problem_.precision);
    const auto ways = lane_candidates(problem_.rows, isa, problem_.precision);
    const double group_bytes = 2.0 * static_cast<double>(problem_.rows * lanes) * real();
    const MachineModel machine = machine_model();
    int groups = 1;
    while (groups < 8 && 2 * groups * group_bytes <= 2 * machine.l2.bytes &&
           2 * groups * lanes <= problem_.columns)
      groups *= 2;
    const bool streams = has_streaming_stores(isa);
    std::vector<AxisRecipe> list{axis_lanes(
        isa, ways.front(), groups, streams && 2 * array_bytes() > machine.l3_lasting_bytes())};
    for (std::size_t i = 0; i < std::min<std::size_t>(ways.size(), 3); ++i)
      for (int g = 1; g <= 2 * groups && g <= most_streamed_groups; g *= 2)
        for (bool stream : {false, true})
          if (AxisRecipe recipe = axis_lanes(isa, ways[i], g, stream);
              recipe != list.front() && (streams || !stream))
            list.push_back(std::move(recipe));
    return list;
  }

  std::optional<AxisRecipe> fastest(const std::vector<AxisRecipe>& candidates,
                                    const tune::Wishes& wishes) override {
    const double bytes =
        static_cast<double>(problem_.rows * (problem_.in_row + problem_.out_row)) * real();
    if (bytes > memory_of_this_machine() / 4 || bytes * choice_.byte_s > wishes.time_limit_s)
      return std::nullopt;
    const auto times = problem_.precision == Precision::f64
                           ? time<double>(candidates, wishes.time_limit_s)
                           : time<float>(candidates, wishes.time_limit_s);
    return candidates[static_cast<std::size_t>(std::ranges::min_element(times) - times.begin())];
  }

 private:
  double real() const { return static_cast<double>(real_bytes(problem_.precision)); }
  double array_bytes() const {
    return 2.0 * static_cast<double>(problem_.rows * problem_.columns * problem_.matrices) * real();
  }

  /// Columns are lanes at any address: streaming needs instructions only.
  bool is_usable(AxisRecipe recipe) const {
    if (recipe.stream && !has_streaming_stores(recipe.isa)) return false;
    recipe.stream = false;
    const AxisProblem lanes{.n = problem_.rows,
                            .in_row = problem_.in_row,
                            .out_row = problem_.out_row,
                            .loops = {{problem_.columns, 2, 2}}};
    return recipe.type == AxisRecipe::Type::lanes && fits(recipe, lanes, problem_.precision);
  }

  template <class Real>
  std::vector<double> time(const std::vector<AxisRecipe>& candidates, double limit_s) const {
    const auto deadline = tune::deadline_in(limit_s);
    const ColumnsTimer<Real> timer(problem_, *choice_.executor);
    return tune::time_in_turns(
        candidates.size(),
        [&](std::size_t i, double give_up_s) {
          return timer.time(candidates[i], give_up_s, deadline);
        },
        limit_s);
  }

  const ColumnsProblem& problem_;
  const Choice& choice_;
};

}  // namespace

std::string to_text(const ColumnsProblem& problem) {
  return std::string("columns ") + to_string(problem.precision) + " " +
         to_string(problem.direction) + " " + std::to_string(problem.rows) + ":" +
         std::to_string(problem.in_row) + ":" + std::to_string(problem.out_row) + " x " +
         std::to_string(problem.columns) + " of " + std::to_string(problem.line) +
         (problem.matrices > 1 ? " times " + std::to_string(problem.matrices) : "");
}

AxisRecipe choose_columns(const ColumnsProblem& problem, const Choice& choice) {
  ColumnsQuestion question(problem, choice);
  return tune::choose(question, wishes_of(choice)).recipe;
}

ColumnsRequest request_of(const ColumnsProblem& problem, const AxisRecipe& recipe, Index first) {
  return {.recipe = recipe.lane[0],
          .isa = recipe.isa,
          .direction = problem.direction,
          .groups = recipe.groups,
          .line = problem.line,
          .columns = problem.columns,
          .first = first,
          .in_row = problem.in_row,
          .out_row = problem.out_row,
          .stream = recipe.stream};
}

double flops(const AxisRecipe& recipe, const ColumnsProblem& problem) {
  const auto columns = static_cast<double>(problem.matrices * problem.columns);
  const double factors = 6 * static_cast<double>(problem.rows);
  return columns * (flops(recipe.lane[0]) + factors);
}

}  // namespace weft::local
