// SPDX-License-Identifier: BSD-3-Clause
#include "global/recipe.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/format.hpp"
#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::global {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorCode::wisdom, "'" + text +
                                     "' is not a recipe of a distributed transform; "
                                     "remove it from the wisdom file");
}

template <class Integer = int>
std::vector<Integer> numbers(std::string_view list, char separator, const std::string& whole) {
  std::vector<Integer> values;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(separator));
    Integer value = 0;
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (error != std::errc() || end != item.data() + item.size()) refuse(whole);
    values.push_back(value);
    list.remove_prefix(std::min(list.size(), item.size() + 1));
  }
  return values;
}

Stage parse_stage(std::string_view text, const std::string& whole) {
  const auto open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close != text.size() - 1) refuse(whole);
  const std::string_view where = text.substr(0, open);
  Stage stage;
  stage.axes = numbers(text.substr(open + 1, close - open - 1), ',', whole);
  if (where == "input")
    stage.where = Stage::Where::input;
  else if (where == "output")
    stage.where = Stage::Where::output;
  else
    stage.grid = numbers(where, 'x', whole);
  return stage;
}

}  // namespace

std::vector<Index> split_shape(const GlobalProblem& problem, const LineSplit& split) {
  std::vector<Index> shape = problem.transform.shape;
  const bool halved = problem.transform.kind != Kind::c2c;
  shape[at(split.axis)] = halved ? split.rows / 2 + 1 : split.rows;
  shape.insert(shape.begin() + split.axis + 1, split.columns);
  return shape;
}

int GlobalProblem::halved_axis() const {
  return transform.kind == Kind::r2c || transform.kind == Kind::c2r ? transform.axes.back() : -1;
}

std::vector<Index> GlobalProblem::half_shape() const {
  std::vector<Index> shape = transform.shape;
  if (halved_axis() >= 0) shape[at(halved_axis())] = shape[at(halved_axis())] / 2 + 1;
  return shape;
}
std::vector<Index> GlobalProblem::input_shape() const {
  const auto shape = transform.kind == Kind::c2r ? half_shape() : transform.shape;
  return input_is_split ? split_shape(*this, *split) : shape;
}
std::vector<Index> GlobalProblem::output_shape() const {
  const auto shape = transform.kind == Kind::r2c ? half_shape() : transform.shape;
  return output_is_split ? split_shape(*this, *split) : shape;
}

std::string to_text(const Recipe& recipe) {
  std::string text = recipe.strategy;
  if (recipe.rows > 0)
    text += " " + std::to_string(recipe.rows) + "x" + std::to_string(recipe.columns);
  text += ": ";
  for (std::size_t i = 0; i < recipe.stages.size(); ++i) {
    const Stage& stage = recipe.stages[i];
    if (i > 0) text += " > ";
    text += stage.where == Stage::Where::input    ? "input"
            : stage.where == Stage::Where::output ? "output"
                                                  : joined(stage.grid, "x");
    text += "[" + joined(stage.axes, ",") + "]";
  }
  if (recipe.stages.size() > 1) {
    text += std::string(" by ") + to_string(recipe.exchange);
    if (recipe.chunks > 1) text += ":" + std::to_string(recipe.chunks);
  }
  return text;
}

Recipe parse_recipe(const std::string& text) {
  Recipe recipe;
  std::string_view rest = text;
  const auto colon = rest.find(": ");
  if (colon == std::string_view::npos) refuse(text);
  recipe.strategy = rest.substr(0, std::min(colon, rest.find(' ')));
  if (recipe.strategy.size() < colon) {
    const auto matrix = numbers<Index>(
        rest.substr(recipe.strategy.size() + 1, colon - recipe.strategy.size() - 1), 'x', text);
    if (matrix.size() != 2 || matrix[0] < 1 || matrix[1] < 1) refuse(text);
    recipe.rows = matrix[0];
    recipe.columns = matrix[1];
  }
  rest.remove_prefix(colon + 2);
  if (const auto by = rest.find(" by "); by != std::string_view::npos) {
    std::string exchange(rest.substr(by + 4));
    rest = rest.substr(0, by);
    if (const auto chunks = exchange.find(':'); chunks != std::string::npos) {
      const auto values = numbers(std::string_view(exchange).substr(chunks + 1), ',', text);
      if (values.size() != 1 || values[0] < 1) refuse(text);
      recipe.chunks = values[0];
      exchange.resize(chunks);
    }
    recipe.exchange = reshape::parse_exchange(exchange);
  }
  while (!rest.empty()) {
    const auto arrow = rest.find(" > ");
    recipe.stages.push_back(parse_stage(rest.substr(0, arrow), text));
    rest.remove_prefix(arrow == std::string_view::npos ? rest.size() : arrow + 3);
  }
  if (recipe.stages.empty()) refuse(text);
  return recipe;
}

Recipe reversed(Recipe recipe) {
  std::ranges::reverse(recipe.stages);
  for (Stage& stage : recipe.stages) {
    if (stage.where == Stage::Where::input)
      stage.where = Stage::Where::output;
    else if (stage.where == Stage::Where::output)
      stage.where = Stage::Where::input;
  }
  return recipe;
}

GlobalProblem mirrored(const GlobalProblem& problem) {
  GlobalProblem mirror = problem;
  std::swap(mirror.input, mirror.output);
  if (problem.transform.kind == Kind::c2r) mirror.transform.kind = Kind::r2c;
  if (problem.transform.kind == Kind::r2c) mirror.transform.kind = Kind::c2r;
  mirror.transform.direction =
      problem.transform.direction == Direction::forward ? Direction::backward : Direction::forward;
  return mirror;
}

std::vector<Index> shape_before(const GlobalProblem& problem, const Recipe& recipe,
                                std::size_t index) {
  bool halved = problem.transform.kind == Kind::c2r;
  for (std::size_t i = 0; i < index; ++i)
    if (std::ranges::find(recipe.stages[i].axes, problem.halved_axis()) !=
        recipe.stages[i].axes.end())
      halved = !halved;
  return halved ? problem.half_shape() : problem.real_shape();
}

Layout layout_of(const GlobalProblem& problem, const Stage& stage, std::span<const Index> shape) {
  if (stage.where == Stage::Where::grid)
    return reshape::grid_layout(shape, stage.grid, problem.ranks());
  Layout layout = stage.where == Stage::Where::input ? problem.input : problem.output;
  // On the other side of its own halving a box spans the halved axis, whatever its extent there.
  const auto own_shape =
      stage.where == Stage::Where::input ? problem.input_shape() : problem.output_shape();
  for (auto& boxes : layout)
    for (Box& box : boxes)
      for (std::size_t d = 0; d < shape.size(); ++d)
        if (own_shape[d] != shape[d]) box.end[d] = shape[d];
  return layout;
}

bool same_boxes(const Layout& a, const Layout& b) {
  const auto filled = [](std::vector<Box> boxes) {
    std::erase_if(boxes, [](const Box& box) { return box.empty(); });
    return boxes;
  };
  for (std::size_t rank = 0; rank < a.size(); ++rank)
    if (filled(a[rank]) != filled(b[rank])) return false;
  return true;
}

bool stages_fit(const Recipe& recipe, const GlobalProblem& problem) {
  std::vector<int> done;
  for (std::size_t i = 0; i < recipe.stages.size(); ++i) {
    const Stage& stage = recipe.stages[i];
    if (stage.where == Stage::Where::grid) {
      if (stage.grid.size() != at(problem.ndim())) return false;
      if (std::ranges::any_of(stage.grid, [](int ranks) { return ranks < 1; })) return false;
      if (std::accumulate(stage.grid.begin(), stage.grid.end(), Index{1}, std::multiplies<>()) >
          problem.ranks())
        return false;
    }
    const auto before = shape_before(problem, recipe, i);
    const Layout layout = layout_of(problem, stage, before);
    for (int axis : stage.axes) {
      if (axis < 0 || axis >= problem.ndim()) return false;
      if (!reshape::is_whole(layout, before, axis)) return false;
      done.push_back(axis);
    }
  }
  if (recipe.stages.front().where != Stage::Where::input && recipe.stages.size() > 1) return false;
  if (problem.halved_axis() >= 0 && !done.empty()) {
    const auto& first = recipe.stages;
    const auto has = [&](const Stage& s) {
      return std::ranges::find(s.axes, problem.halved_axis()) != s.axes.end();
    };
    const auto busy = [](const Stage& s) { return !s.axes.empty(); };
    const bool forward = problem.transform.kind == Kind::r2c;
    const Stage& must = forward ? *std::ranges::find_if(first, busy)
                                : *std::find_if(first.rbegin(), first.rend(), busy);
    if (!has(must)) return false;
  }
  if (problem.twiddled >= 0) {
    const int first = problem.twiddled + (problem.columns_first ? 1 : 0);
    const auto stage_of = [&](int axis) {
      return std::ranges::find_if(recipe.stages, [&](const Stage& stage) {
        return std::ranges::find(stage.axes, axis) != stage.axes.end();
      });
    };
    if (stage_of(first) >= stage_of(2 * problem.twiddled + 1 - first)) return false;
  }
  // The last stage leaves the data where the caller wants it.
  const Stage& last = recipe.stages.back();
  if (!problem.output_is_free && last.where != Stage::Where::output &&
      !same_boxes(layout_of(problem, last, problem.output_shape()), problem.output))
    return false;
  std::ranges::sort(done);
  std::vector<int> wanted = problem.transform.axes;
  std::ranges::sort(wanted);
  return done == wanted;
}

}  // namespace weft::global
