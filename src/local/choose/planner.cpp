// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "base/names.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "local/array/array_fit.hpp"
#include "local/array/array_report.hpp"
#include "local/array/memory.hpp"
#include "local/array/plan_memory.hpp"
#include "local/choose/candidates.hpp"
#include "local/choose/cost_model.hpp"
#include "local/choose/cuts.hpp"
#include "local/choose/timers.hpp"
#include "tune/timing.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

using tune::Clock;
using tune::seconds_since;

int threads_of(const Choice& choice) { return std::max(1, choice.executor->concurrency()); }

std::string name_of(const AxisTask& task) {
  const AxisProblem& p = task.problem;
  std::string name = std::to_string(static_cast<int>(p.kind)) + " " +
                     std::to_string(static_cast<int>(p.r2r)) + " " + std::to_string(p.n) + " " +
                     std::to_string(p.in_row) + " " + std::to_string(p.out_row) +
                     (task.from == task.to ? " in place" : "") + (p.twiddled ? " twiddled" : "") +
                     (p.orthogonalize ? " orthogonalized" : "");
  for (const RowForm& form : {p.in_form, p.out_form})
    if (!form.is_plain())
      name += (form.split ? " split " : " kept ") + std::to_string(form.kept) +
              (form.around_zero ? " around zero" : "");
  for (const Loop& loop : p.loops)
    name += " " + std::to_string(loop.count) + ":" + std::to_string(loop.in) + ":" +
            std::to_string(loop.out);
  return name;
}

/// The model compares recipes of one type well and types less so: the best two of each come first,
/// then the others by their cost.
std::vector<AxisRecipe> few_of_each_type(const std::vector<AxisRecipe>& candidates) {
  std::map<AxisRecipe::Type, int> seen;
  std::vector<AxisRecipe> first, others;
  for (const AxisRecipe& recipe : candidates)
    (seen[recipe.type]++ < 2 ? first : others).push_back(recipe);
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// How many cuts an effort times.
std::size_t cuts_timed(Effort effort, std::size_t cuts) {
  return effort == Effort::patient ? cuts : std::min<std::size_t>(cuts, 4);
}

const Timers& timers_of(const Choice& choice) {
  static const Timers clock;
  return choice.timers ? *choice.timers : clock;
}

/// How many candidates for an axis an effort times.
std::size_t number_timed(Effort effort, std::size_t candidates) {
  return effort == Effort::patient ? candidates : std::min<std::size_t>(candidates, 14);
}

/// Seconds of the first candidates, as many as the effort times.
std::vector<double> time_first(const std::vector<AxisRecipe>& candidates, const AxisTask& task,
                               const Setting& setting, const Choice& choice, double limit_s) {
  const std::span<const AxisRecipe> all = candidates;
  return timers_of(choice).axes(all.first(number_timed(choice.effort, all.size())), task.problem,
                                setting, *choice.executor, limit_s);
}

/// What this machine can hold, best first. If it holds nothing, ArrayPlan says what the best needs.
std::vector<AxisRecipe> candidates_of(const AxisTask& task, const Setting& setting) {
  const double memory_bytes = memory_of_this_machine();
  require_line_memory(task.problem.complex_length(), setting.precision, memory_bytes);
  auto candidates = axis_candidates(task.problem, setting);
  if (candidates.empty())
    throw Error(ErrorCode::internal,
                "no recipe for a transform of length " + std::to_string(task.problem.n));
  const AxisRecipe cheapest = candidates.front();
  std::erase_if(candidates, [&](const AxisRecipe& recipe) {
    return !fits_memory(recipe, setting.precision, memory_bytes);
  });
  if (candidates.empty()) candidates.push_back(cheapest);
  return candidates;
}

/// Which recipe for an array: its cuts are the candidates, and the axes of each are decided one by
/// one, equal ones once.
class ArrayQuestion final : public tune::Question<ArrayRecipe> {
 public:
  ArrayQuestion(const ArrayProblem& problem, const Choice& choice)
      : problem_(problem), choice_(choice) {}

  std::string name() const override {
    return problem::to_text(problem_) + " threads " +
           std::to_string(choice_.executor->concurrency());
  }
  std::string write(const ArrayRecipe& recipe) const override { return to_text(recipe); }
  ArrayRecipe read(const std::string& text) const override {
    ArrayRecipe recipe = parse_array_recipe(text);
    if (const std::string why = misfit(recipe, problem_); !why.empty())
      throw Error(ErrorCode::wisdom, "the recipe '" + text + "' does not fit the transform '" +
                                         problem::to_text(problem_) + "': " + why);
    return recipe;
  }

  /// By the model alone, a problem has one answer.
  std::vector<ArrayRecipe> candidates() const override {
    if (choice_.effort != Effort::estimate) return all_candidates();
    const std::string question = name() + " " + codelet::to_string(codelet::best_isa()) + " " +
                                 to_text(machine_model().speeds);
    return {remembered_recipe(question, [&] { return all_candidates().front(); })};
  }
  std::vector<ArrayRecipe> all_candidates() const {
    std::vector<ArrayRecipe> list;
    for (Priced& priced : priced_candidates()) list.push_back(std::move(priced.recipe));
    return list;
  }

  struct Priced {
    double predicted_s;
    ArrayRecipe recipe;
  };
  /// The model compares cuts less well than axes: the usual one comes first, unless another should
  /// take clearly less time; the others follow by their cost. A split axis never comes first: it
  /// needs as much memory again, and whether it pays only a clock knows. (512^3 f32, one thread of
  /// a Xeon: 0.29 s expected and 0.37 s of the usual cut, but 1.4 times as long by the clock.)
  std::vector<Priced> priced_candidates() const {
    std::vector<ArrayCut> cuts{fused_cut(problem_, threads_of(choice_))};
    if (can_try_cuts()) cuts = candidate_cuts(problem_, threads_of(choice_));
    Known known;
    std::vector<Priced> priced;
    for (const ArrayCut& cut : cuts) {
      ArrayRecipe recipe = with_axes(cut, known, [&](const AxisTask& task, const Setting& setting) {
        return candidates_of(task, setting).front();
      });
      const double cost =
          cuts.size() == 1 ? 0 : cost_of(recipe, problem_, threads_of(choice_)).predicted_s;
      priced.push_back({cost, std::move(recipe)});
    }
    const double limit_s = clearly_less * priced.front().predicted_s;
    std::ranges::stable_sort(priced.begin() + 1, priced.end(), {}, &Priced::predicted_s);
    const auto better = std::ranges::find_if(priced, [&](const Priced& one) {
      return !one.recipe.cut.split && one.predicted_s < limit_s;
    });
    if (better != priced.end()) std::rotate(priced.begin(), better, better + 1);
    return priced;
  }

  /// The axes of one cut are a choice too.
  bool is_open(const std::vector<ArrayRecipe>&) const override { return true; }

  std::optional<ArrayRecipe> fastest(const std::vector<ArrayRecipe>& candidates,
                                     const tune::Wishes& wishes) override {
    const std::size_t cuts = cuts_timed(wishes.effort, candidates.size());
    // Half of the time is for axes, and half of that for those of the usual cut; the rest is for
    // whole arrays.
    const double limit_s = cuts > 1 ? wishes.time_limit_s / 2 : wishes.time_limit_s;
    const auto start = Clock::now();
    Known known;
    bool is_timed = false;
    std::vector<ArrayRecipe> recipes;
    for (std::size_t i = 0; i < cuts; ++i) {
      const double left_s = limit_s - seconds_since(start);
      if (i > 0 && left_s <= 0) break;
      const double share = i == 0 && cuts > 1 ? 2 : static_cast<double>(cuts - i);
      const double axis_s = left_s / share / static_cast<double>(candidates[i].axes.size());
      recipes.push_back(
          with_axes(candidates[i].cut, known, [&](const AxisTask& task, const Setting& setting) {
            const auto [recipe, timed] = fastest_axis(task, setting, axis_s);
            is_timed = is_timed || timed;
            return recipe;
          }));
    }
    const double left_s = wishes.time_limit_s - seconds_since(start);
    const double array_s = seconds_to_fill(problem_, choice_.byte_s) +
                           3 * cost_of(recipes.front(), problem_, threads_of(choice_)).predicted_s;
    if (recipes.size() < 2 || array_s > left_s)
      return is_timed ? std::optional(recipes.front()) : std::nullopt;
    const auto times = timers_of(choice_).arrays(recipes, problem_, choice_.executor, left_s);
    return recipes[static_cast<std::size_t>(std::ranges::min_element(times) - times.begin())];
  }

 private:
  using Known = std::map<std::string, AxisRecipe>;

  /// Another cut is taken unseen only if it should need less than this share of the time. Of 22
  /// arrays beyond the caches, on a Zen 5 and a Xeon with 1 to 16 threads, those that were
  /// predicted to gain 4 to 19 % took 0.66 to 1.02 times as long.
  static constexpr double clearly_less = 0.97;

  /// Where the second cache holds the array, the cut matters little: only patience tries others.
  bool can_try_cuts() const {
    if (problem_.axes.size() < 2) return false;
    if (choice_.effort != Effort::estimate && is_too_large_to_time(problem_)) return false;
    auto bytes = static_cast<double>(2 * real_bytes(problem_.precision));
    for (int d = 0; d < static_cast<int>(problem_.dimensions.size()); ++d)
      bytes *= static_cast<double>(problem_.half_extent(d));
    return choice_.effort == Effort::patient || bytes > machine_model().l2.bytes;
  }

  template <class Choose>
  ArrayRecipe with_axes(const ArrayCut& cut, Known& known, const Choose& choose) const {
    ArrayRecipe recipe{cut, {}};
    for (const TileTask& tile : tiles_of(problem_, cut))
      for (const AxisTask& task : tile.axes) {
        const Setting setting = setting_of(tile, task, problem_, threads_of(choice_));
        const auto [found, is_new] =
            known.try_emplace(name_of(task) + (setting.workers == 1 ? " alone" : "") +
                              (setting.from_memory ? " from memory" : "") +
                              (setting.read_again ? " read again" : ""));
        if (is_new) found->second = choose(task, setting);
        recipe.axes.push_back(found->second);
      }
    return recipe;
  }

  /// And whether it was timed.
  std::pair<AxisRecipe, bool> fastest_axis(const AxisTask& task, const Setting& setting,
                                           double limit_s) const {
    const auto ranked = candidates_of(task, setting);
    if (ranked.size() < 2 || is_too_large_to_time(task.problem) ||
        seconds_to_time(ranked.front(), task.problem, setting, choice_.byte_s) > limit_s)
      return {ranked.front(), false};
    const std::vector<AxisRecipe> list = few_of_each_type(ranked);
    const auto times = time_first(list, task, setting, choice_, limit_s);
    return {list[static_cast<std::size_t>(std::ranges::min_element(times) - times.begin())], true};
  }

  const ArrayProblem& problem_;
  const Choice& choice_;
};

}  // namespace

tune::Wishes wishes_of(const Choice& choice) {
  return {.effort = choice.effort,
          .time_limit_s = choice.time_limit_s,
          .use_wisdom = choice.use_wisdom,
          .recipe = choice.recipe};
}

ArrayRecipe choose_recipe(const ArrayProblem& problem, const Choice& choice) {
  ArrayQuestion question(problem, choice);
  const bool nothing_to_choose = problem.is_empty() || problem.axes.empty();
  if (nothing_to_choose && choice.recipe.empty()) return {};
  return tune::choose(question, wishes_of(choice)).recipe;
}

namespace {

std::vector<AxisComparison> compare_axes(const ArrayProblem& problem, const Choice& choice,
                                         double limit_s) {
  std::vector<AxisComparison> result;
  std::set<std::string> known;
  limit_s /= static_cast<double>(problem.axes.size());
  for (const TileTask& tile : tiles_of(problem, fused_cut(problem, threads_of(choice))))
    for (const AxisTask& task : tile.axes) {
      if (!known.insert(name_of(task)).second || is_too_large_to_time(task.problem)) continue;
      const Setting setting = setting_of(tile, task, problem, threads_of(choice));
      const auto candidates = few_of_each_type(candidates_of(task, setting));
      const auto times = time_first(candidates, task, setting, choice, limit_s);
      AxisComparison comparison{task, setting.workers, {}};
      for (std::size_t i = 0; i < times.size() && std::isfinite(times[i]); ++i)
        comparison.candidates.push_back(
            {candidates[i], axis_ns(candidates[i], task.problem, setting, machine_model()) * 1e-9,
             times[i]});
      std::ranges::stable_sort(comparison.candidates, {}, &Rated<AxisRecipe>::predicted_s);
      result.push_back(std::move(comparison));
    }
  return result;
}

std::vector<Rated<ArrayRecipe>> compare_cuts(const ArrayProblem& problem, const Choice& choice,
                                             double limit_s) {
  std::vector<Rated<ArrayRecipe>> result;
  if (problem.axes.empty() || problem.is_empty() || is_too_large_to_time(problem)) return result;
  auto priced = ArrayQuestion(problem, choice).priced_candidates();
  priced.resize(cuts_timed(choice.effort, priced.size()));
  std::vector<ArrayRecipe> recipes;
  for (const auto& [predicted_s, recipe] : priced) recipes.push_back(recipe);
  const auto times = timers_of(choice).arrays(recipes, problem, choice.executor, limit_s);
  for (std::size_t i = 0; i < recipes.size() && std::isfinite(times[i]); ++i)
    result.push_back(
        {recipes[i], cost_of(recipes[i], problem, threads_of(choice)).predicted_s, times[i]});
  return result;
}

}  // namespace

Comparison compare_candidates(const ArrayProblem& problem, const Choice& choice) {
  return {compare_axes(problem, choice, choice.time_limit_s / 2),
          compare_cuts(problem, choice, choice.time_limit_s / 2)};
}

}  // namespace weft::local
