// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/operator_recipe.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/index.hpp"
#include "gpu/recipe/cost.hpp"

namespace weft::gpu {
namespace {

/// Reading where the pass writes, writing where it reads.
void exchange_sides(TilePass& pass) {
  for (TileAxis& tile_axis : pass.tile_axes) {
    std::swap(tile_axis.in, tile_axis.out);
    std::swap(tile_axis.in_kept, tile_axis.out_kept);
    std::swap(tile_axis.in_blocks, tile_axis.out_blocks);
    std::swap(tile_axis.in_turned, tile_axis.out_turned);
    tile_axis.is_first_part = tile_axis.whole > 0 && !tile_axis.is_first_part;
  }
  for (Loop& loop : pass.loops) {
    std::swap(loop.in, loop.out);
    std::swap(loop.in_far, loop.out_far);
  }
  pass.direction = Direction::backward;
  pass.scales = false;
}

/// The same lines of the same tiles, backward.
TilePass mirrored(TilePass pass) {
  exchange_sides(pass);
  std::swap(pass.pair, pass.out_pair);
  for (TileAxis& tile_axis : pass.tile_axes)
    if (tile_axis.real == RealSide::input) tile_axis.real = RealSide::output;
  // What was combined last is now combined first.
  if (TileAxis& line = pass.tile_axes.front(); line.is_halved) std::ranges::reverse(line.radices);
  return pass;
}

TilePass turned_back(TilePass pass) {
  const bool tangles = pass.untangles();
  exchange_sides(pass);
  std::ranges::reverse(pass.stages);
  for (ButterflyStage& stage : pass.stages)
    for (DigitName& digit : stage)
      digit.position =
          static_cast<int>(pass.tile_axes[at(digit.tile_axis)].radices.size()) - 1 - digit.position;
  for (TileAxis& tile_axis : pass.tile_axes) std::ranges::reverse(tile_axis.radices);
  pass.tangles = tangles;
  return pass;
}

bool is_complex(const TilePass& pass) {
  return std::ranges::all_of(pass.tile_axes, [](const TileAxis& tile_axis) {
    return tile_axis.chirp.role == Chirp::Role::none && tile_axis.folded == Folded::none &&
           tile_axis.real == RealSide::none && !tile_axis.is_halved;
  });
}
/// Real lines are mirrored when all other axes are done, so they must be alone in their pass.
bool can_be_mirrored(const TilePass& pass) {
  const TileAxis& first = pass.tile_axes.front();
  const bool is_real_line = pass.tile_axes.size() == 1 && first.real == RealSide::input &&
                            first.whole == 0 && first.folded == Folded::none &&
                            first.chirp.role == Chirp::Role::none;
  return is_real_line || first.is_twinned() || is_complex(pass);
}

/// The modes must come out where they belong, so that a point's address tells which it is.
bool ends_in_order(const TilePass& pass) {
  return std::ranges::none_of(pass.tile_axes,
                              [](const TileAxis& tile_axis) {
                                return tile_axis.out_blocks || tile_axis.out_turned;
                              }) &&
         std::ranges::none_of(pass.loops, [](const Loop& loop) { return loop.out_far > 0; });
}

/// Two passes share an axis. Backward, the pass that comes last applies the twiddles as it reads,
/// where they are part of a butterfly, and the turned one, which has more to do, is free of them.
void leave_twiddles_to_last(TilePass& turned, TilePass& last) {
  TileAxis& rest = turned.tile_axes.front();
  if (rest.whole == 0 || last.tile_axes.size() != 2 || last.loops.empty()) return;
  TileAxis& first = last.tile_axes[1];
  const bool is_split_here = first.whole == 0 && first.n() * rest.n() == rest.whole &&
                             last.loops[0].count == rest.n() && last.loops[0].tile == 1;
  if (!is_split_here) return;
  first.whole = rest.whole;
  first.loop = 0;
  first.is_first_part = false;
  rest.whole = 0;
  rest.loop = -1;
  rest.is_first_part = false;
}

/// The number of modes, without those of the last axis that its pass does not read.
Index elements_before_last(const TilePass& last, const ArrayProblem& problem) {
  const TileAxis& tile_axis = last.tile_axes.front();
  Index elements = half_count(problem);
  if (tile_axis.in_kept > 0) elements -= (tile_axis.n() - tile_axis.in_kept) * tile_axis.out;
  return elements;
}

/// The output of the operator, which is real or cropped, has no room for a spectrum.
bool leave_spectrum_in_workspace(OperatorRecipe& recipe, const ArrayProblem& problem) {
  if (recipe.workspace_elements > 0) return false;
  recipe.workspace_elements = elements_before_last(recipe.turned.forward, problem);
  const auto lead = [](Place& place) {
    if (place == Place::output) place = Place::workspace;
  };
  for (PlacedPass& placed : recipe.before) {
    lead(placed.from);
    lead(placed.to);
  }
  lead(recipe.from);
  lead(recipe.to);
  return true;
}

/// The passes before the turned one, in the opposite order, each writing to where it read.
void add_mirrored(OperatorRecipe& recipe) {
  Place place = recipe.to;
  bool is_reversed = recipe.turned.forward.is_reversed;
  for (std::size_t i = recipe.before.size(); i-- > 0;) {
    const PlacedPass& there = recipe.before[i];
    const Place to = there.from == Place::input ? Place::output : there.from;
    recipe.after.push_back({mirrored(there.pass), place, to});
    // What was written last is still in L2.
    is_reversed = !is_reversed;
    recipe.after.back().pass.is_reversed = is_reversed;
    place = to;
  }
  // Planes of a real array are put together when the twiddles have been applied.
  if (!recipe.after.empty() && !recipe.turned.backward.tangles)
    leave_twiddles_to_last(recipe.turned.backward, recipe.after.front().pass);
  (recipe.after.empty() ? recipe.turned.backward : recipe.after.back().pass).scales = true;
}

/// Of a thread in the turning stage: its points of all fields, and what it computes with.
Index turning_registers(const TilePass& pass, const FieldCount& fields) {
  constexpr Index others = 48;
  const Index of_point = pass.precision == Precision::f64 ? 4 : 2;
  return others + fields.most() * stage_points(pass, pass.stages.back()) * of_point;
}

/// The bytes of a block's shared memory without gaps.
Index held_bytes(const TilePass& pass, const FieldCount& fields) {
  if (pass.stages.size() == 1) return 0;
  return fields.most() * tile_points(pass) / pass.cluster * shared_element_bytes(pass);
}

/// Several tiles leave room for fewer blocks, and for fewer threads in each: those that are left
/// go through their points in parts.
void make_room(TilePass& pass, const FieldCount& fields) {
  const DeviceNumbers usual;
  constexpr Index reserved_bytes = 1024, fewest_threads = 64;
  const Index registers = turning_registers(pass, fields);
  const auto blocks = [&] { return usual.registers / (pass.threads * registers); };
  const Index wanted = std::clamp<Index>(
      usual.shared_of_multiprocessor / (held_bytes(pass, fields) + reserved_bytes), 1,
      pass.blocks_per_sm);
  while (blocks() < wanted && pass.threads > fewest_threads)
    pass.threads = static_cast<int>(round_up(ceil_div(pass.threads, 2), 32));
  pass.blocks_per_sm = static_cast<int>(std::clamp<Index>(blocks(), 1, wanted));
}

}  // namespace

int OperatorRecipe::arrays(Place place) const {
  const int read = from == place ? fields.inputs : 0, written = to == place ? fields.outputs : 0;
  switch (place) {
    case Place::workspace: return workspace_elements > 0 ? std::max({1, read, written}) : 0;
    case Place::scratch: return scratch_elements > 0 ? std::max({1, read, written}) : 0;
    case Place::output:
      return spare_elements == 0 ? 0 : std::max(1, read > 0 ? read - fields.outputs : 0);
    case Place::input: break;
  }
  return 0;
}

double OperatorRecipe::passes() const {
  const auto count = [](const std::vector<PlacedPass>& passes) {
    return static_cast<double>(passes.size());
  };
  return (fields.inputs * count(before) + fields.outputs * count(after)) / fields.most() + 1;
}

bool holds_all_fields(const OperatorRecipe& recipe, const DeviceNumbers& numbers) {
  if (recipe.fields.most() == 1) return true;
  constexpr Index most_registers = 255;
  const TilePass& pass = recipe.turned.forward;
  const Index registers = turning_registers(pass, recipe.fields);
  return registers <= most_registers && registers * pass.threads <= numbers.registers &&
         held_bytes(pass, recipe.fields) <= static_cast<Index>(numbers.shared_bytes);
}

std::optional<OperatorRecipe> operator_recipe(const Recipe& forward, const ArrayProblem& problem,
                                              const FieldCount& fields) {
  const PlacedPass& last = forward.passes.back();
  if (problem.kind == Kind::c2r || problem.kind == Kind::r2r || !is_complex(last.pass) ||
      !ends_in_order(last.pass) || last.pass.pair > 0 ||
      !std::all_of(forward.passes.begin(), forward.passes.end() - 1,
                   [](const PlacedPass& placed) { return can_be_mirrored(placed.pass); }))
    return std::nullopt;
  OperatorRecipe recipe{.before = {forward.passes.begin(), forward.passes.end() - 1},
                        .turned = {last.pass, turned_back(last.pass)},
                        .from = last.from,
                        .to = last.from == Place::input ? Place::output : last.from,
                        .after = {},
                        .fields = fields,
                        .workspace_elements = forward.workspace_elements,
                        .scratch_elements = forward.scratch_elements};
  for (PlacedPass& placed : recipe.before) placed.pass.scales = false;
  for (TilePass* pass : {&recipe.turned.forward, &recipe.turned.backward}) make_room(*pass, fields);
  recipe.turned.forward.scales = last.pass.untangles();
  if (last.pass.untangles()) {
    // Planes that are their own mirror are read by two tiles: what one writes the other must not
    // find.
    recipe.to = Place::scratch;
    recipe.scratch_elements = recipe.workspace_elements;
  } else if (problem.kind == Kind::r2c || (problem.is_padded() && !recipe.before.empty())) {
    if (!leave_spectrum_in_workspace(recipe, problem)) return std::nullopt;
  }
  add_mirrored(recipe);
  const bool writes_output = std::ranges::any_of(
      recipe.before, [](const PlacedPass& placed) { return placed.to == Place::output; });
  if (fields.inputs > fields.outputs && writes_output) recipe.spare_elements = half_count(problem);
  return recipe;
}

namespace {

TurnedWork work_of(const OperatorRecipe& recipe) {
  return {recipe.turned.forward, recipe.fields.inputs, recipe.fields.outputs};
}

}  // namespace

double bytes_of(const OperatorRecipe& recipe) {
  double bytes = bytes_of(work_of(recipe));
  for (const PlacedPass& placed : recipe.before)
    bytes += recipe.fields.inputs * bytes_of(placed.pass);
  for (const PlacedPass& placed : recipe.after)
    bytes += recipe.fields.outputs * bytes_of(placed.pass);
  return bytes;
}

double predicted_seconds(const OperatorRecipe& recipe, const DeviceNumbers& numbers) {
  double total = predicted_seconds(work_of(recipe), numbers);
  for (const PlacedPass& placed : recipe.before)
    total += recipe.fields.inputs * predicted_seconds(placed.pass, numbers);
  for (const PlacedPass& placed : recipe.after)
    total += recipe.fields.outputs * predicted_seconds(placed.pass, numbers);
  return total - early_start_seconds(recipe.fields.inputs * std::ssize(recipe.before) +
                                     recipe.fields.outputs * std::ssize(recipe.after) + 1);
}

std::string explain(const OperatorRecipe& recipe, const DeviceNumbers& numbers) {
  const TurnedWork work = work_of(recipe);
  const std::string turned = explain({recipe.turned.forward, recipe.from, recipe.to},
                                     bytes_of(work), predicted_seconds(work, numbers));
  const auto [inputs, outputs] = recipe.fields;
  const auto fields = [](int count) {
    return weft::format("{} field{}", count, count == 1 ? "" : "s");
  };
  const auto each = [](int count) {
    return count == 1 ? std::string() : weft::format("for each of {} fields:\n", count);
  };
  std::string text;
  if (recipe.fields.most() > 1)
    text = weft::format("{} in, {} out\n", fields(inputs), fields(outputs));
  if (!recipe.before.empty()) text += each(inputs) + explain(Recipe{recipe.before}, numbers);
  text += "the next pass has the function in it, and transforms back:\n" + turned;
  if (!recipe.after.empty()) text += each(outputs) + explain(Recipe{recipe.after}, numbers);
  return text;
}

}  // namespace weft::gpu
