// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/recipe_text.hpp"

#include "base/index.hpp"
#include "base/names.hpp"
#include "tune/recipe_text.hpp"

namespace weft::gpu {
namespace {

using tune::Name;
using tune::RecipeText;

constexpr Name<Place> place_names[] = {{Place::input, "input"},
                                       {Place::output, "output"},
                                       {Place::workspace, "workspace"},
                                       {Place::scratch, "scratch"}};
constexpr Name<Precision> precision_names[] = {
    {Precision::f16, "f16"}, {Precision::f32, "f32"}, {Precision::f64, "f64"}};
constexpr Name<Direction> direction_names[] = {{Direction::forward, "forward"},
                                               {Direction::backward, "backward"}};
constexpr Name<RealSide> real_names[] = {{RealSide::input, " real_in"},
                                         {RealSide::output, " real_out"}};
constexpr Name<Folded> folded_names[] = {{Folded::input, " from folded"},
                                         {Folded::output, " to folded"}};
constexpr Name<Chirp::Role> role_names[] = {{Chirp::Role::first, "first"},
                                            {Chirp::Role::second, "second"},
                                            {Chirp::Role::entry, "entry"},
                                            {Chirp::Role::spectrum, "spectrum"}};
constexpr Name<bool> part_names[] = {{true, " first part of "}, {false, " second part of "}};

void describe_size(RecipeText& text, Index& size) { text.number(size, 1, tune::longest_transform); }

/// A word and a size, where it is not zero.
void describe_option(RecipeText& text, std::string_view word, Index& size) {
  if (text.option(word, size > 0)) describe_size(text, size);
}

void describe_distance(RecipeText& text, Index& distance) {
  constexpr Index most = Index{1} << 60;
  text.number(distance, -most, most);
}

/// "[2>2]".
void describe_distances(RecipeText& text, Index& in, Index& out) {
  text.word("[");
  describe_distance(text, in);
  text.word(">");
  describe_distance(text, out);
  text.word("]");
}

void describe_direction(RecipeText& text, Direction& direction) {
  text.name<Direction>(direction_names, direction, "'forward' or 'backward'");
}

void describe_loop_number(RecipeText& text, int& loop) { text.number(loop, 0, 63); }

/// " from blocks 16:4096".
void describe_blocks(RecipeText& text, std::string_view word, Blocks& blocks) {
  if (!text.option(word, static_cast<bool>(blocks))) return;
  describe_size(text, blocks.length);
  text.word(":");
  describe_distance(text, blocks.jump);
}

/// " chirp first of 101>101 forward by 4".
void describe(RecipeText& text, Chirp& chirp) {
  if (!text.option(" chirp ", chirp.role != Chirp::Role::none)) return;
  text.name<Chirp::Role>(role_names, chirp.role, "'first' or another part of a chirp");
  text.word(" of ");
  describe_size(text, chirp.n);
  text.word(">");
  describe_size(text, chirp.outputs);
  text.word(" ");
  describe_direction(text, chirp.direction);
  describe_option(text, " by ", chirp.step);
}

/// Whether and how the tile axis is a part of a split axis.
void describe_part(RecipeText& text, TileAxis& tile_axis) {
  if ((text.is_reading() || tile_axis.whole > 0) &&
      text.one_of<bool>(part_names, tile_axis.is_first_part)) {
    describe_size(text, tile_axis.whole);
    text.word(" by loop ");
    describe_loop_number(text, tile_axis.loop);
  } else if (text.option(" beside loop ", tile_axis.loop >= 0)) {
    describe_loop_number(text, tile_axis.loop);
  }
}

void describe(RecipeText& text, TileAxis& tile_axis) {
  text.list(tile_axis.radices, ".",
            [&](int& radix) { text.number(radix, 1, tune::largest_radix); });
  if (text.is_reading()) {
    Index n = 1;
    for (int radix : tile_axis.radices) n = text.product(n, radix);
  }
  describe_distances(text, tile_axis.in, tile_axis.out);
  describe_option(text, " reads ", tile_axis.in_kept);
  describe_option(text, " writes ", tile_axis.out_kept);
  text.one_of<RealSide>(real_names, tile_axis.real);
  text.flag(" halved", tile_axis.is_halved);
  describe_part(text, tile_axis);
  describe(text, tile_axis.chirp);
  describe_blocks(text, " from blocks ", tile_axis.in_blocks);
  describe_blocks(text, " to blocks ", tile_axis.out_blocks);
  text.one_of<Folded>(folded_names, tile_axis.folded);
  text.flag(" from turned", tile_axis.in_turned);
  text.flag(" to turned", tile_axis.out_turned);
}

void describe(RecipeText& text, Loop& loop) {
  describe_size(text, loop.count);
  text.word("/");
  text.number(loop.tile, 1, 65536);
  describe_distances(text, loop.in, loop.out);
  describe_option(text, " mirror ", loop.mirror);
  describe_option(text, " from far ", loop.in_far);
  describe_option(text, " to far ", loop.out_far);
  text.flag(" turned", loop.is_turned);
}

/// "0.0 1.1".
void describe(RecipeText& text, ButterflyStage& stage) {
  text.list(stage, " ", [&](DigitName& digit) {
    text.number(digit.tile_axis, 0, 15);
    text.word(".");
    text.number(digit.position, 0, 63);
  });
}

void describe(RecipeText& text, TilePass& pass) {
  text.name<Precision>(precision_names, pass.precision, "'f16', 'f32' or 'f64'");
  text.word(" ");
  describe_direction(text, pass.direction);
  text.word("; piece ");
  text.list(pass.tile_axes, "; piece ", [&](TileAxis& tile_axis) { describe(text, tile_axis); });
  if (text.option("; loop ", !pass.loops.empty()))
    text.list(pass.loops, "; loop ", [&](Loop& loop) { describe(text, loop); });
  text.word("; stage ");
  text.list(pass.stages, "; stage ", [&](ButterflyStage& stage) { describe(text, stage); });
  text.word("; threads ");
  text.number(pass.threads, 1, 1024);
  text.word(" cluster ");
  text.number(pass.cluster, 1, 16);
  text.word(" blocks ");
  text.number(pass.blocks_per_sm, 1, 64);
  text.flag(" reversed", pass.is_reversed);
  pass.scales = !text.option(" unscaled", !pass.scales);
  text.flag(" halves", pass.half_shared);
  describe_option(text, " pair ", pass.pair);
  text.flag(" tangles", pass.tangles);
  describe_option(text, " out pair ", pass.out_pair);
}

void describe(RecipeText& text, PlacedPass& placed) {
  text.name<Place>(place_names, placed.from, "'input' or another place");
  text.word(" > ");
  text.name<Place>(place_names, placed.to, "'output' or another place");
  text.word(": ");
  describe(text, placed.pass);
}

/// Steps, then "with workspace 4096 scratch 64".
void describe(RecipeText& text, Recipe& recipe) {
  const bool needs_memory = recipe.workspace_elements > 0 || recipe.scratch_elements > 0;
  text.list_before(" | with", recipe.passes, " | ",
                   [&](PlacedPass& placed) { describe(text, placed); });
  if (!text.option(" | with", needs_memory)) return;
  describe_option(text, " workspace ", recipe.workspace_elements);
  describe_option(text, " scratch ", recipe.scratch_elements);
}

}  // namespace

std::string to_text(const TilePass& pass) {
  return tune::print_recipe(pass, [](RecipeText& text, TilePass& p) { describe(text, p); });
}

std::string to_text(const PlacedPass& placed) {
  return tune::print_recipe(placed, [](RecipeText& text, PlacedPass& s) { describe(text, s); });
}

std::string to_text(const Recipe& recipe) {
  return tune::print_recipe(recipe, [](RecipeText& text, Recipe& r) { describe(text, r); });
}

Recipe parse_recipe(std::string_view text) {
  const auto recipe =
      tune::read_recipe<Recipe>(text, [](RecipeText& reader, Recipe& r) { describe(reader, r); });
  // Numbers with leading zeros and the like: one recipe, one text.
  if (to_text(recipe) != text) RecipeText(text).fail("write it as '" + to_text(recipe) + "'");
  return recipe;
}

}  // namespace weft::gpu
