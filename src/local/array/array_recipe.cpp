// SPDX-License-Identifier: BSD-3-Clause
// The text of an array recipe.
#include "local/array/array_recipe.hpp"

namespace weft::local {

using Part = AxisPart::Part;

namespace {

constexpr tune::Name<Part> part_names[] = {{Part::first, "a"}, {Part::second, "b"}};

void describe_dimension(RecipeText& text, int& dimension) {
  constexpr Index most_dimensions = 64;
  text.number(dimension, 0, most_dimensions - 1);
}

/// "2", "0a".
void describe(RecipeText& text, AxisPart& axis) {
  describe_dimension(text, axis.dimension);
  text.one_of<Part>(part_names, axis.part);
}

/// "2", "2/8".
void describe(RecipeText& text, TileLoop& loop) {
  describe(text, loop.over);
  if (text.option("/", loop.width > 1)) text.number(loop.width, 2, tune::longest_transform);
}

/// "axes 2 1 tiles 0 threads outside:".
void describe(RecipeText& text, StepCut& step) {
  text.word("axes ");
  text.numbered_list(step.axes, [&](AxisPart& axis) { describe(text, axis); });
  if (text.option(" tiles ", !step.tiles.empty())) {
    text.numbered_list(step.tiles, [&](TileLoop& loop) { describe(text, loop); });
    text.flag(" threads outside", step.threads_outside);
    if (!step.threads_outside) text.word(" threads inside");
  }
  text.word(":");
}

/// "split 0 into 32 x 16 | ", or nothing.
void describe(RecipeText& text, std::optional<Split>& split) {
  if (!text.option("split ", split.has_value())) return;
  if (!split) split.emplace();
  describe_dimension(text, split->axis);
  text.word(" into ");
  text.number(split->first, 2, tune::longest_transform);
  text.word(" x ");
  text.number(split->second, 2, tune::longest_transform);
  text.word(" | ");
  if (text.is_reading()) text.product(split->first, split->second);
}

void describe(RecipeText& text, ArrayRecipe& recipe) {
  if (text.option("copy", recipe.cut.steps.empty())) return;
  std::size_t next = 0;
  describe(text, recipe.cut.split);
  text.list(recipe.cut.steps, " | ", [&](StepCut& step) {
    describe(text, step);
    for (std::size_t i = 0; i < step.axes.size(); ++i) {
      if (text.is_reading()) recipe.axes.emplace_back();
      if (next == recipe.axes.size()) return;  // printed for an error: the recipe fits nothing
      text.word(i == 0 ? " " : "; ");
      describe(text, recipe.axes[next++]);
    }
  });
}

}  // namespace

std::string to_text(const AxisPart& axis) {
  return tune::print_recipe(axis, [](RecipeText& text, AxisPart& a) { describe(text, a); });
}

std::string to_text(const ArrayRecipe& recipe) {
  return tune::print_recipe(recipe, [](RecipeText& text, ArrayRecipe& r) { describe(text, r); });
}

ArrayRecipe parse_array_recipe(std::string_view text) {
  return tune::read_recipe<ArrayRecipe>(
      text, [](RecipeText& reader, ArrayRecipe& recipe) { describe(reader, recipe); });
}

}  // namespace weft::local
