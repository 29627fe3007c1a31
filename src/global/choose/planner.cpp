// SPDX-License-Identifier: BSD-3-Clause
#include "global/choose/planner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "comm/agree.hpp"
#include "global/choose/local_tuner.hpp"
#include "global/choose/trials.hpp"
#include "global/line/line.hpp"
#include "global/recipe/recipe_text.hpp"
#include "global/strategy/strategy.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {

bool is_one_node(const std::vector<int>& nodes) {
  return std::ranges::all_of(nodes, [&](int node) { return node == nodes[0]; });
}

/// Recipes without exchanges' algorithms. c2r reverses the recipes of r2c; so do other backward
/// transforms, unless the order of the axes is to be the forward one.
std::vector<Recipe> stage_lists(const GlobalProblem& problem, Strategy strategy,
                                bool reproducible) {
  const bool backward = problem.direction == Direction::backward;
  const bool mirror =
      problem.kind == Kind::c2r || (backward && !reproducible && !problem.output_is_free);
  if (!mirror) return all_recipes(problem, strategy);
  std::vector<Recipe> recipes;
  for (Recipe& recipe : all_recipes(mirrored(problem), strategy))
    recipes.push_back(reversed(std::move(recipe)));
  return recipes;
}

/// The same with those of lines, whose numbers depend on the ranks: they choose the split.
std::vector<Recipe> all_stage_lists(const GlobalProblem& problem, Strategy strategy,
                                    bool reproducible) {
  std::vector<Recipe> recipes;
  if (!problem.split) recipes = stage_lists(problem, strategy, reproducible);
  if (reproducible || (strategy != Strategy::automatic && strategy != Strategy::line))
    return recipes;
  for (Recipe& recipe : line_recipes(problem)) recipes.push_back(std::move(recipe));
  return recipes;
}

/// Whether the axes come in the one order that all reproducible recipes share.
bool in_canonical_order(const Recipe& recipe, const GlobalProblem& problem) {
  if (recipe.is_matrix()) return false;
  const std::vector<int> wanted = canonical_order(problem);
  std::vector<int> order;
  for (const Stage& stage : recipe.stages) {
    std::vector<int> axes = stage.axes;
    std::ranges::sort(axes, {}, [&](int axis) { return std::ranges::find(wanted, axis); });
    order.insert(order.end(), axes.begin(), axes.end());
  }
  return order == wanted;
}

std::vector<ExchangeKind> exchange_kinds(const Wishes& wishes, const std::vector<int>& nodes) {
  if (wishes.exchange) return {*wishes.exchange};
  std::vector<ExchangeKind> kinds = wishes.build.device->exchange_kinds(nodes);
  if (!wishes.may_share_memory)
    std::erase_if(kinds, [](ExchangeKind kind) {
      return kind == ExchangeKind::shared || kind == ExchangeKind::node_aware;
    });
  return kinds;
}

bool has_exchange(const RankDevice& device, const std::vector<int>& nodes, ExchangeKind kind) {
  const std::vector<ExchangeKind> kinds = device.exchange_kinds(nodes);
  return std::ranges::find(kinds, kind) != kinds.end();
}

std::string size_text(Index bytes) {
  return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

}  // namespace

PointFlops prices_of(std::shared_ptr<const RankDevice> device) {
  return [device = std::move(device), known = std::map<std::pair<Index, Precision>, double>()](
             Index n, Precision precision) mutable {
    const auto [found, is_new] = known.try_emplace({n, precision});
    if (is_new) found->second = device->point_flops(n, precision);
    return found->second;
  };
}

std::string objection(const Recipe& recipe, const GlobalProblem& problem,
                      const std::vector<int>& nodes, const BuildOptions& options) {
  const bool reproducible = options.stage.reproducible;
  if (!fits(recipe, problem)) return "does not fit this transform and these boxes";
  if (reproducible && !in_canonical_order(recipe, problem))
    return "does not take the axes in the order that reproducible = true asks for";
  if (recipe.exchange == ExchangeKind::shared && recipe.stages.size() > 1 && !is_one_node(nodes))
    return "needs all ranks on one node; use node_aware between nodes";
  if (recipe.stages.size() > 1 && !has_exchange(*options.device, nodes, recipe.exchange))
    return std::string("takes the exchange ") + to_string(recipe.exchange) +
           ", which the ranks' devices do not have here";
  if (recipe.tile_bytes > 0 && !options.device->name().empty())
    return "sets the bytes of tiles, which stages on GPUs do not have";
  return options.device->objection(problem, recipe);
}

Recipe fitting_recipe(const std::string& text, const GlobalProblem& problem,
                      const std::vector<int>& nodes, const BuildOptions& options) {
  Recipe recipe = parse_recipe(text);
  if (const std::string why = objection(recipe, problem, nodes, options); !why.empty())
    throw Error(ErrorCode::invalid_argument, "the recipe '" + text + "' " + why);
  return recipe;
}

std::vector<Recipe> candidates(const GlobalProblem& problem, const Wishes& wishes,
                               const std::vector<int>& nodes, const NetworkModel& model) {
  if (wishes.exchange == ExchangeKind::shared && !is_one_node(nodes))
    throw Error(ErrorCode::unsupported,
                "the shared exchange was asked for, but the ranks are on several nodes; use "
                "node_aware or leave the choice to the planner");
  if (wishes.exchange && !has_exchange(*wishes.build.device, nodes, *wishes.exchange))
    throw Error(ErrorCode::unsupported,
                std::string("the exchange ") + to_string(*wishes.exchange) +
                    " was asked for, but the ranks' devices do not have it here; use another or "
                    "leave the choice to the planner");
  struct Priced {
    double seconds;
    Recipe recipe;
  };
  std::vector<Priced> all;
  Index least_bytes = -1;
  const std::vector<ExchangeKind> kinds = exchange_kinds(wishes, nodes);
  std::string why;
  for (Recipe& stages :
       all_stage_lists(problem, wishes.strategy, wishes.build.stage.reproducible)) {
    stages.exchange = kinds.front();
    why = objection(stages, problem, nodes, wishes.build);
    if (!why.empty()) continue;
    for (ExchangeKind kind : kinds) {
      Recipe recipe = stages;
      recipe.exchange = kind;
      recipe.chunks = kind == ExchangeKind::pipelined ? wishes.chunks : 1;
      const RecipeCost cost =
          predict(problem, recipe, nodes, wishes.build.in_place, model, wishes.flops_of);
      if (least_bytes < 0 || cost.workspace_bytes < least_bytes) least_bytes = cost.workspace_bytes;
      if (wishes.max_workspace_bytes > 0 && cost.workspace_bytes > wishes.max_workspace_bytes)
        continue;
      all.push_back({cost.total_s(), std::move(recipe)});
      if (stages.stages.size() == 1) break;  // nothing to exchange
    }
  }
  if (all.empty() && least_bytes >= 0)
    throw Error(ErrorCode::out_of_memory,
                "a rank may take at most " + size_text(wishes.max_workspace_bytes) +
                    " (max_bytes_per_rank, or the machine's memory), but every recipe needs at "
                    "least " +
                    size_text(least_bytes) + "; allow that much, or use more ranks");
  if (all.empty())
    throw Error(ErrorCode::unsupported,
                std::string("no recipe of the strategy '") + to_string(wishes.strategy) +
                    "' can be used: it " +
                    (why.empty() ? "does not fit this transform and these boxes" : why) +
                    "; use Strategy::automatic");
  // What differs by less than the model can know stays in the strategies' order.
  std::ranges::stable_sort(all, {}, [](const Priced& p) {
    return std::floor(100 * std::log(std::max(p.seconds, 1e-12)));
  });
  std::vector<Recipe> recipes;
  for (Priced& priced : all) recipes.push_back(std::move(priced.recipe));
  return recipes;
}

namespace {

/// Collective. Rank 0's recipes on all ranks, should the ranks' arithmetic differ.
std::vector<Recipe> broadcast_recipes(const Comm& comm, std::span<const Recipe> recipes) {
  std::string lines;
  agree(comm, [&] {
    for (const Recipe& recipe : recipes) lines += to_text(recipe) + "\n";
  });
  lines = broadcast_text(comm, lines);
  std::vector<Recipe> result;
  agree(comm, [&] {
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = lines.find('\n', begin);
      result.push_back(parse_recipe(lines.substr(begin, end - begin)));
      begin = end + 1;
    }
  });
  return result;
}

/// What the ranks are asked together. All that is virtual here is collective but name() and
/// write().
class RecipeQuestion final : public tune::Question<Recipe> {
 public:
  RecipeQuestion(const Asked& asked, const Wishes& wishes, const Comm& comm,
                 const NetworkModel& model)
      : asked_(asked), wishes_(wishes), comm_(comm), model_(model) {}

  std::string name() const override { return asked_.key; }
  std::string device() const override { return wishes_.build.device->name(); }
  std::string write(const Recipe& recipe) const override { return to_text(recipe); }
  Recipe read(const std::string& text) const override {
    Recipe recipe;
    agree(comm_,
          [&] { recipe = fitting_recipe(text, asked_.problem, comm_.nodes(), wishes_.build); });
    return recipe;
  }
  std::vector<Recipe> candidates() const override {
    std::vector<Recipe> ranked;
    agree(comm_, [&] {
      ranked = global::candidates(asked_.problem, wishes_, comm_.nodes(), model_);
      const std::size_t most = wishes_.choice.effort == Effort::patient ? ranked.size() : 6;
      ranked.resize(std::min(ranked.size(), most));
    });
    return broadcast_recipes(comm_, ranked);
  }
  std::optional<Recipe> fastest(const std::vector<Recipe>& ranked, const tune::Wishes&) override;
  std::string shared(const std::string& text) const override { return broadcast_text(comm_, text); }
  void together(WorkRef work) const override { agree(comm_, work); }

 private:
  const Asked& asked_;
  const Wishes& wishes_;
  const Comm& comm_;
  const NetworkModel& model_;
};

/// First all with the local transforms that wisdom or the model know; then the best two with tuned
/// ones.
std::optional<Recipe> RecipeQuestion::fastest(const std::vector<Recipe>& ranked,
                                              const tune::Wishes&) {
  if (asked_.problem.output_is_free) return std::nullopt;  // there is nothing to write to yet
  struct Timed {
    double seconds;
    const Recipe* recipe;
    RecipeCost expected;
  };
  Trials trials(asked_.problem, wishes_, asked_.input, asked_.output, comm_);
  std::vector<Timed> timed;
  agree(comm_, [&] {
    for (const Recipe& recipe : ranked)
      timed.push_back({0, &recipe,
                       predict(asked_.problem, recipe, comm_.nodes(), wishes_.build.in_place,
                               model_, wishes_.flops_of)});
  });
  std::size_t done = 0;
  if (trials.begin(timed.front().expected))
    for (; done < timed.size(); ++done) {
      const auto seconds = trials.time(*timed[done].recipe, timed[done].expected, 0);
      if (!seconds) break;
      timed[done].seconds = *seconds;
    }
  wishes_.build.stage.tuner->allow(0);  // no time but for the build
  if (done == 0) return std::nullopt;
  timed.resize(done);
  std::ranges::sort(timed, {}, &Timed::seconds);
  Timed best = std::move(timed.front());
  const Recipe* const second = done > 1 ? timed[1].recipe : nullptr;
  for (const Recipe* recipe : {best.recipe, second}) {
    if (recipe == nullptr) break;
    const auto seconds = trials.time(*recipe, {}, 0.5);
    if (!seconds) break;
    if (*seconds < best.seconds) {
      best.seconds = *seconds;
      best.recipe = recipe;
    }
  }
  return std::move(broadcast_recipes(comm_, std::span(best.recipe, 1)).front());
}

}  // namespace

Recipe choose_recipe(const Asked& asked, const Wishes& wishes, const Comm& comm,
                     const NetworkModel& model) {
  RecipeQuestion question(asked, wishes, comm, model);
  auto answer = tune::choose(question, wishes.choice);
  agree(comm, [&] {
    if (answer.origin == tune::Origin::caller && wishes.build.stage.tuner)
      wishes.build.stage.tuner->settle(answer.recipe.locals, comm.rank());
  });
  return std::move(answer.recipe);  // a copy could fail on one rank alone
}

}  // namespace weft::global
