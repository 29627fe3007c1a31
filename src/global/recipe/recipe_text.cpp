// SPDX-License-Identifier: BSD-3-Clause
// Global recipes as text, and back. What is read may come from a file that anybody wrote: sizes are
// limited, and whatever is not a recipe is refused.
#include "global/recipe/recipe_text.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "tune/recipe_text.hpp"

namespace weft::global {
namespace {

using tune::Name;
using tune::RecipeText;

constexpr std::size_t most_stages = 32;

using Where = Stage::Where;
constexpr Name<Where> where_names[] = {{Where::input, "input"}, {Where::output, "output"}};

using Scheme = Recipe::Strategy;
constexpr Name<Scheme> strategy_names[] = {{Scheme::slab, "slab"},   {Scheme::pencil, "pencil"},
                                           {Scheme::brick, "brick"}, {Scheme::mixed, "mixed"},
                                           {Scheme::line, "line"},   {Scheme::chirp, "chirp"}};

/// Longer names before those that they begin with.
std::vector<Name<ExchangeKind>> exchange_names() {
  using enum ExchangeKind;
  std::vector<Name<ExchangeKind>> names;
  for (ExchangeKind kind : {all_to_all_v, all_to_all, point_to_point, pipelined, shared, node_aware,
                            staged, direct, ipc, nccl})
    names.push_back({kind, to_string(kind)});
  return names;
}

void describe_numbers(RecipeText& text, std::string_view separator, std::vector<int>& numbers) {
  text.list(numbers, separator, [&](int& number) {
    if (numbers.size() > static_cast<std::size_t>(max_box_ndim)) text.fail("too many numbers");
    text.number(number, 0, std::numeric_limits<int>::max());
  });
}

/// "input[2,1]", "2x1x4[]".
void describe(RecipeText& text, Stage& stage) {
  if (!text.one_of<Where>(where_names, stage.where)) {
    stage.where = Where::grid;
    describe_numbers(text, "x", stage.grid);
  }
  text.word("[");
  if (text.option("]", stage.axes.empty())) return;
  describe_numbers(text, ",", stage.axes);
  text.word("]");
}

/// "slab: ", "line 512x256: ".
void describe_head(RecipeText& text, Recipe& recipe) {
  text.name<Scheme>(strategy_names, recipe.strategy, "slab, pencil, brick, mixed, line or chirp");
  if (recipe.is_matrix()) {
    text.word(" ");
    text.number(recipe.rows, 2, tune::longest_transform);
    text.word("x");
    text.number(recipe.columns, 2, tune::longest_transform);
  }
  text.word(": ");
}

/// "shared", "pipelined:4".
void describe_exchange(RecipeText& text, Recipe& recipe) {
  text.name<ExchangeKind>(exchange_names(), recipe.exchange, "the name of an exchange");
  if (recipe.exchange == ExchangeKind::pipelined && text.option(":", recipe.chunks > 1))
    text.number(recipe.chunks, 1, most_chunks);
}

/// "{PROBLEM = RECIPE}", "{PROBLEM on 0,3 = RECIPE}".
void describe(RecipeText& text, LocalChoice& choice) {
  std::string problem = choice.problem;
  if (!choice.ranks.empty()) problem += " on " + joined(choice.ranks, ",");
  text.word("{");
  text.until(" = ", problem);
  text.word(" = ");
  text.until("}", choice.recipe);
  text.word("}");
  if (!text.is_reading()) return;
  choice.problem = problem;
  const std::size_t on = problem.find(" on ");
  if (on == std::string::npos) return;
  choice.problem = problem.substr(0, on);
  RecipeText ranks(std::string_view(problem).substr(on + 4));
  ranks.list(choice.ranks, ",",
             [&](int& rank) { ranks.number(rank, 0, std::numeric_limits<int>::max()); });
  ranks.end();
}

void describe(RecipeText& text, Recipe& recipe) {
  describe_head(text, recipe);
  text.list(recipe.stages, " > ", [&](Stage& stage) {
    if (recipe.stages.size() > most_stages) text.fail("it has too many stages");
    describe(text, stage);
  });
  if (text.option(" by ", recipe.stages.size() > 1)) describe_exchange(text, recipe);
  if (text.option(" tiles ", recipe.tile_bytes > 0))
    text.number(recipe.tile_bytes, 1, tune::longest_transform);
  if (text.option(" with ", !recipe.locals.empty()))
    text.list(recipe.locals, " ", [&](LocalChoice& choice) { describe(text, choice); });
}

}  // namespace

std::optional<ExchangeKind> kind_of(ExchangeAlgorithm algorithm) {
  switch (algorithm) {
    case ExchangeAlgorithm::automatic: return std::nullopt;
    case ExchangeAlgorithm::all_to_all: return ExchangeKind::all_to_all;
    case ExchangeAlgorithm::all_to_all_v: return ExchangeKind::all_to_all_v;
    case ExchangeAlgorithm::point_to_point: return ExchangeKind::point_to_point;
    case ExchangeAlgorithm::pipelined: return ExchangeKind::pipelined;
    case ExchangeAlgorithm::shared: return ExchangeKind::shared;
    case ExchangeAlgorithm::node_aware: return ExchangeKind::node_aware;
    case ExchangeAlgorithm::staged: return ExchangeKind::staged;
    case ExchangeAlgorithm::direct: return ExchangeKind::direct;
    case ExchangeAlgorithm::ipc: return ExchangeKind::ipc;
    case ExchangeAlgorithm::nccl: return ExchangeKind::nccl;
  }
  return std::nullopt;
}

const char* to_string(Recipe::Strategy strategy) {
  return std::ranges::find(strategy_names, strategy, &Name<Scheme>::value)->text.data();
}

const char* to_string(weft::Strategy strategy) {
  switch (strategy) {
    case weft::Strategy::automatic: break;
    case weft::Strategy::slab: return to_string(Recipe::Strategy::slab);
    case weft::Strategy::pencil: return to_string(Recipe::Strategy::pencil);
    case weft::Strategy::brick: return to_string(Recipe::Strategy::brick);
    case weft::Strategy::mixed: return to_string(Recipe::Strategy::mixed);
    case weft::Strategy::line: return to_string(Recipe::Strategy::line);
  }
  return "automatic";
}

std::string to_text(const Recipe& recipe) {
  return tune::print_recipe(recipe, [](RecipeText& text, Recipe& r) { describe(text, r); });
}

Recipe parse_recipe(const std::string& text) {
  return tune::read_recipe<Recipe>(
      text, [](RecipeText& reader, Recipe& recipe) { describe(reader, recipe); });
}

}  // namespace weft::global
