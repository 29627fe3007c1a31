// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/device/operator_engine.hpp"

#include <algorithm>
#include <array>

#include "base/index.hpp"
#include "gpu/device/mode_kernel.hpp"
#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/problem.hpp"
#include "weft/error.hpp"

namespace weft::gpu {
namespace {

/// Where the arrays of an operator are in its workspace: of every place one after another.
struct Arrays {
  explicit Arrays(const OperatorRecipe& recipe) : recipe(recipe) {
    const Index element = stored_bytes(recipe.turned.forward.precision);
    const auto rounded = [&](Index elements) {
      return static_cast<std::size_t>(round_up(elements * element, 256));
    };
    workspace = rounded(recipe.workspace_elements);
    scratch = rounded(recipe.scratch_elements);
    spare = rounded(recipe.spare_elements);
  }

  std::size_t of(Place place, std::size_t bytes) const {
    return static_cast<std::size_t>(recipe.arrays(place)) * bytes;
  }
  std::size_t bytes() const {
    return of(Place::workspace, workspace) + of(Place::scratch, scratch) + of(Place::output, spare);
  }
  /// Of field `f`. Places that no field keeps have one array for all.
  std::size_t offset(Place place, int f) const {
    const auto array = [&](int number) {
      return static_cast<std::size_t>(std::clamp(number, 0, recipe.arrays(place) - 1));
    };
    std::size_t offset = 0;
    if (place == Place::workspace) return array(f) * workspace;
    offset += of(Place::workspace, workspace);
    if (place == Place::scratch) return offset + array(f) * scratch;
    offset += of(Place::scratch, scratch);
    return offset + array(f - recipe.fields.outputs) * spare;
  }

  const OperatorRecipe& recipe;
  std::size_t workspace, scratch, spare;  ///< bytes of one
};

}  // namespace

PassKernel turned_kernel(const TurnedPass& turned, const ModeGrid& grid,
                         const ModeFunctionText& function) {
  const TurnedTile tile{turned.forward, turned.backward,
                        std::max(function.inputs, function.outputs)};
  return {.text = emit_turned_kernel(tile, grid, function),
          .function = "weft_turn",
          .tiles = tile.geometry.tiles(),
          .shared_bytes = tile.geometry.shared_bytes(),
          .tables = tile.bytes()};
}

std::vector<PassKernel> kernels_of(const OperatorRecipe& recipe, const ModeGrid& grid,
                                   const ModeFunctionText& function) {
  std::vector<PassKernel> kernels{turned_kernel(recipe.turned, grid, function)};
  for (const auto* passes : {&recipe.before, &recipe.after})
    for (const PlacedPass& placed : *passes) kernels.push_back(kernel_of(placed.pass));
  return kernels;
}

std::size_t workspace_bytes(const OperatorRecipe& recipe) { return Arrays(recipe).bytes(); }

bool accepts(const GpuDevice& device, const OperatorRecipe& recipe, const ModeGrid& grid,
             const ModeFunctionText& function) {
  if (!accepts(device, Recipe{recipe.before})) return false;
  const TilePass& turned = recipe.turned.forward;
  if (turned.cluster <= portable_cluster) return true;
  try {
    LoadedPass(turned, turned_kernel(recipe.turned, grid, function), device);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return false;
  }
}

OperatorEngine::OperatorEngine(const OperatorRecipe& recipe, const ModeGrid& grid,
                               const ModeFunctionText& function, const GpuDevice& device)
    : recipe_(recipe),
      can_follow_(device.major >= 9),
      turned_(recipe.turned.forward, turned_kernel(recipe.turned, grid, function), device) {
  for (const PlacedPass& placed : recipe.before)
    before_.push_back(std::make_unique<LoadedPass>(placed.pass, device));
  for (const PlacedPass& placed : recipe.after)
    after_.push_back(std::make_unique<LoadedPass>(placed.pass, device));
}

void OperatorEngine::run(const Run& run) const {
  const Arrays arrays(recipe_);
  const auto to = [&](Place place, int f) -> void* {
    if (place == Place::output && f < recipe_.fields.outputs) return run.out[at(f)];
    return static_cast<char*>(run.workspace) + arrays.offset(place, f);
  };
  const auto from = [&](Place place, int f) -> const void* {
    return place == Place::input ? run.in[at(f)] : to(place, f);
  };
  const bool can_follow = may_follow(can_follow_, run.stream);
  bool follows = false;  // the first pass follows nothing of this operator
  for (int f = 0; f < recipe_.fields.inputs; ++f)
    for (std::size_t s = 0; s < before_.size(); ++s) {
      const PlacedPass& placed = recipe_.before[s];
      before_[s]->launch({.in = from(placed.from, f),
                          .out = to(placed.to, f),
                          .stream = run.stream,
                          .follows = follows});
      follows = can_follow;
    }
  std::array<const void*, 2 * most_mode_fields> fields{};
  auto next = fields.begin();
  for (int f = 0; f < recipe_.fields.inputs; ++f) *next++ = from(recipe_.from, f);
  for (int f = 0; f < recipe_.fields.outputs; ++f) *next++ = to(recipe_.to, f);
  turned_.launch(LoadedPass::TurnedLaunch{.fields = fields.data(),
                                          .numbers = run.numbers,
                                          .scale = after_.empty() ? run.scale : 1.0,
                                          .stream = run.stream,
                                          .follows = follows});
  for (int f = 0; f < recipe_.fields.outputs; ++f)
    for (std::size_t s = 0; s < after_.size(); ++s) {
      const PlacedPass& placed = recipe_.after[s];
      after_[s]->launch({.in = from(placed.from, f),
                         .out = to(placed.to, f),
                         .scale = s + 1 == after_.size() ? run.scale : 1.0,
                         .stream = run.stream,
                         .follows = can_follow});
    }
}

}  // namespace weft::gpu
