// SPDX-License-Identifier: BSD-3-Clause
#include "global/choose/local_tuner.hpp"

#include <algorithm>

#include "comm/agree.hpp"
#include "global/recipe/recipe_text.hpp"
#include "local/choose/machine_model.hpp"
#include "tune/timing.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"

namespace weft::global {

void LocalTuner::settle(std::vector<LocalChoice> given, int rank) {
  is_settled_ = true;
  given_ = std::move(given);
  rank_ = rank;
}

std::string LocalTuner::by_model(const std::string& name, const Ask& ask) {
  if (const auto found = model_.find(name); found != model_.end()) return found->second;
  const local::AssumedSpeeds scope;
  return model_[name] = ask({.use_wisdom = false});
}

std::string LocalTuner::find(const std::string& name, const std::string& device, const Ask& ask,
                             const std::vector<std::string>& keys) {
  if (is_settled_) {
    for (const LocalChoice& choice : given_)
      if (choice.problem == name &&
          (choice.ranks.empty() || std::ranges::binary_search(choice.ranks, rank_)))
        return ask({.use_wisdom = false, .recipe = choice.recipe});
    return by_model(name, ask);
  }
  constexpr double least_s = 1e-3;  // a candidate is timed for longer than that
  const bool may_time = effort_ != Effort::estimate && left_s_ >= least_s;
  const auto knows = [&](const std::string& key) {
    return tune::find_wisdom(key, device).has_value();
  };
  // Ranks that are threads share their wisdom: what it has after all of them have timed counts for
  // all, as it will for later plans.
  const bool is_known =
      !may_time && use_wisdom_ && (keys.empty() ? knows(name) : std::ranges::any_of(keys, knows));
  if (const auto found = known_.find(name); !is_known && found != known_.end())
    return found->second;
  if (!may_time) {
    if (!is_known && local::speed_source() == local::SpeedSource::assumed)
      return by_model(name, ask);
    return ask({.use_wisdom = is_known});
  }
  const auto begin = tune::Clock::now();
  // A transform has several stages; the first leaves time for the others.
  const std::string recipe = ask({.effort = effort_,
                                  .time_limit_s = left_s_ / 3,
                                  .use_wisdom = use_wisdom_,
                                  .byte_s = byte_s_});
  left_s_ -= tune::seconds_since(begin);
  return known_[name] = recipe;
}

std::string LocalTuner::choose(const std::string& name, const std::string& device, const Ask& ask,
                               const std::vector<std::string>& keys) {
  const std::string recipe = find(name, device, ask, keys);
  used_[name] = {recipe, recipe == by_model(name, ask)};
  return recipe;
}

local::ArrayRecipe LocalTuner::choose(const problem::ArrayProblem& problem,
                                      const std::shared_ptr<const Executor>& executor) {
  const std::string name =
      problem::to_text(problem) + " threads " + std::to_string(executor->concurrency());
  return local::parse_array_recipe(choose(name, {}, [&](local::Choice choice) {
    choice.executor = executor;
    return to_text(local::choose_recipe(problem, choice));
  }));
}

local::AxisRecipe LocalTuner::choose(const local::ColumnsProblem& problem,
                                     const std::shared_ptr<const Executor>& executor) {
  const std::string name = to_text(problem) + " threads " + std::to_string(executor->concurrency());
  const std::string recipe = choose(name, {}, [&](local::Choice choice) {
    choice.executor = executor;
    return to_text(local::choose_columns(problem, choice));
  });
  std::string_view text = recipe;
  return local::parse_axis_recipe(text);
}

namespace {

/// One line: a mark for the model's choices, the problem, a tab, the recipe.
std::string line_of(const std::string& problem, const std::string& recipe, bool is_model) {
  return (is_model ? "=" : "!") + problem + "\t" + recipe + "\n";
}

/// The ways in which the ranks do one problem: each with the ranks where the cost model would have
/// another.
using Ways = std::map<std::string, std::vector<int>>;

std::map<std::string, Ways> merged(const std::vector<std::string>& texts) {
  std::map<std::string, Ways> all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    std::string_view text = texts[rank];
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(line.size() + 1);
      const std::size_t tab = line.find('\t');
      Ways& ways = all[std::string(line.substr(1, tab - 1))];
      std::vector<int>& ranks = ways[std::string(line.substr(tab + 1))];
      if (line[0] == '!') ranks.push_back(static_cast<int>(rank));
    }
  }
  return all;
}

/// Throws where a choice is for a problem that no rank has.
void check_done(const std::vector<LocalChoice>& given, const std::map<std::string, Ways>& all) {
  for (const LocalChoice& choice : given) {
    if (all.contains(choice.problem)) continue;
    std::string names;
    for (const auto& [problem, ways] : all) names += (names.empty() ? "'" : ", '") + problem + "'";
    throw Error(ErrorCode::invalid_argument,
                "the recipe has a local transform '" + choice.problem +
                    "', which no rank does; the local transforms are " + names);
  }
}

}  // namespace

std::vector<LocalChoice> LocalTuner::gather(const Comm& comm) const {
  std::vector<LocalChoice> result;
  std::string mine;
  bool is_model = given_.empty();
  agree(comm, [&] {
    for (const auto& [problem, used] : used_) {
      mine += line_of(problem, used.recipe, used.is_model);
      is_model = is_model && used.is_model;
    }
  });
  if (comm.minimum(is_model ? 1 : 0) == 1) return result;  // nothing to tell on any rank
  const std::vector<std::string> texts = gather_texts(comm, mine);
  agree(comm, [&] {
    const auto all = merged(texts);
    check_done(given_, all);
    for (const auto& [problem, ways] : all)
      for (const auto& [recipe, ranks] : ways)
        if (!ranks.empty())
          result.push_back({problem, recipe, ways.size() == 1 ? std::vector<int>{} : ranks});
  });
  return result;
}

}  // namespace weft::global
