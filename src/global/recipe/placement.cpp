// SPDX-License-Identifier: BSD-3-Clause
#include "global/recipe/placement.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "global/strategy/strategy.hpp"

namespace weft::global {

using reshape::NodeMemory;
using reshape::Piece;

namespace {

/// Is the array real while it waits before stage `index`?
bool is_real_before(const GlobalProblem& problem, const Recipe& recipe, std::size_t index) {
  if (problem.kind == Kind::r2r) return true;
  if (problem.halved_axis() < 0) return false;
  bool real = problem.kind == Kind::r2c;
  for (std::size_t i = 0; i < index; ++i)
    if (contains(recipe.stages[i].axes, problem.halved_axis())) real = !real;
  return real;
}

/// Room for the array before every stage but the first where it is real, or complex: axes with
/// fewer points on one side of their transform have another extent before it than after.
std::vector<Index> shared_shape(const GlobalProblem& problem, const Recipe& recipe, bool is_real) {
  std::vector<Index> room(at(problem.ndim()), 0);
  for (std::size_t i = 1; i < recipe.stages.size(); ++i) {
    if (is_real_before(problem, recipe, i) != is_real) continue;
    const auto shape = shape_before(problem, recipe, i);
    for (std::size_t d = 0; d < shape.size(); ++d) room[d] = std::max(room[d], shape[d]);
  }
  return room;
}

/// Row-major, every stride a whole number of cache lines and none a multiple of a page: columns
/// then spread over the sets of the caches.
reshape::SharedArray padded_array(std::span<const Index> shape, Index element_bytes,
                                  Index& total_bytes) {
  constexpr Index line = 64;
  Piece array{Box::of_shape(shape), reshape::Memory::shared, total_bytes, {}};
  Index stride = element_bytes;
  for (std::size_t d = shape.size(); d-- > 0;) {
    array.strides[d] = stride / element_bytes;
    stride *= shape[d];
    if (d + 1 == shape.size() && shape[d] == 1) continue;
    stride = round_up(stride, line);
    if (stride % 2048 == 0) stride += (d + 1 == shape.size() ? 1 : 3) * line;
  }
  total_bytes = round_up(total_bytes + stride, 4096);
  return {array};
}

}  // namespace

StageProblem stage_problem(const GlobalProblem& problem, const Recipe& recipe, std::size_t index) {
  StageProblem stage;
  stage.axes = recipe.stages[index].axes;
  stage.tile_bytes = recipe.tile_bytes;
  stage.precision = problem.precision;
  stage.direction = problem.kind == Kind::r2c   ? Direction::forward
                    : problem.kind == Kind::c2r ? Direction::backward
                                                : problem.direction;
  for (int axis : canonical_order(problem))
    if (contains(stage.axes, axis)) stage.order.push_back(axis);
  for (const Index n : shape_before(problem, recipe, index)) stage.dimensions.push_back({.n = n});
  stage.kind = problem.kind == Kind::r2r ? Kind::r2r : Kind::c2c;
  stage.extras.modes = problem.extras.modes;
  for (const int axis : stage.axes) {
    const problem::Dimension& whole = problem.dimension(axis);
    stage.dimensions[at(axis)] = {
        .n = whole.n, .in_kept = whole.in_kept, .out_kept = whole.out_kept};
  }
  if (stage.axes.empty()) {
    if (is_real_before(problem, recipe, index)) stage.kind = Kind::r2r;
    return stage;
  }
  if (contains(stage.axes, problem.halved_axis())) {
    const int halved = problem.halved_axis();
    stage.kind = problem.kind;
    stage.extras.spectrum = problem.extras.spectrum;
    std::erase(stage.axes, halved);
    stage.axes.push_back(halved);
  }
  stage.orthogonalize = problem.orthogonalize;
  if (problem.kind == Kind::r2r)
    for (int axis : stage.axes)
      stage.r2r.push_back(problem.r2r[static_cast<std::size_t>(
          std::ranges::find(problem.axes, axis) - problem.axes.begin())]);
  bool is_last = true;
  for (std::size_t i = index + 1; i < recipe.stages.size(); ++i)
    is_last = is_last && recipe.stages[i].axes.empty();
  stage.scale = is_last ? problem.scale : 1.0;
  if (problem.twiddled >= 0 &&
      contains(stage.axes, problem.twiddled + (problem.columns_first ? 1 : 0))) {
    stage.twiddled = problem.twiddled;
    stage.line = problem.dimension(problem.twiddled).n * problem.dimension(problem.twiddled + 1).n;
  }
  return stage;
}

reshape::Chunking chunking_of(const GlobalProblem& problem, const Recipe& recipe,
                              std::size_t index) {
  if (recipe.exchange != ExchangeKind::pipelined || index + 1 >= recipe.stages.size()) return {};
  const auto shape = shape_before(problem, recipe, index);
  int axis = -1;
  for (int d = problem.ndim() - 1; d >= 0; --d)
    if (!contains(recipe.stages[index].axes, d) && (axis < 0 || shape[at(d)] >= shape[at(axis)]))
      axis = d;
  if (axis < 0 || recipe.chunks == 1) return {};
  return {axis, recipe.chunks};
}

std::vector<Home> homes(const GlobalProblem& problem, const Recipe& recipe) {
  const GlobalProblem::Reach& reach = problem.reach;
  const std::size_t stages = recipe.stages.size();
  const bool output_is_real = problem.kind == Kind::c2r || problem.kind == Kind::r2r;
  std::vector<Home> homes(stages - 1, Home::workspace);
  for (std::size_t i = 0; i + 1 < stages; ++i) {
    // What a stage writes must be what it reads, element by element, or other memory: others may
    // still read theirs.
    const bool reads_input = i == 0 || homes[i - 1] == Home::input;
    if (i == 0 && reach.input && recipe.stages[0].axes.empty() && !(reach.in_place && stages == 2))
      homes[i] = Home::input;
    else if (reach.output && is_real_before(problem, recipe, i + 1) == output_is_real &&
             shape_before(problem, recipe, i + 1) == problem.output_shape() &&
             !(reads_input && reach.in_place && !reach.is_one_array))
      homes[i] = Home::output;
  }
  return homes;
}

Placement place(const GlobalProblem& problem, const Recipe& recipe, const std::vector<int>& nodes,
                int rank, int looked_at, const ReachedArrays& reached) {
  Placement placement;
  const Index real = real_bytes(problem.precision);
  Index arrays_by_type[2] = {-1, -1};  // index of the shared array of complex and of real elements
  Index receive_bytes[2] = {0, 0};
  Index local_bytes[2] = {0, 0}, leaving_bytes = 0, coming_bytes = 0;  // of a node's memory
  std::vector<Home> places;
  if (recipe.exchange == ExchangeKind::shared) places = homes(problem, recipe);
  for (std::size_t i = 0; i + 1 < recipe.stages.size(); ++i) {
    const auto shape = shape_before(problem, recipe, i + 1);
    const bool is_real = is_real_before(problem, recipe, i + 1);
    reshape::ExchangeProblem exchange{.from = distribution_of(problem, recipe.stages[i], shape),
                                      .to = distribution_of(problem, recipe.stages[i + 1], shape),
                                      .element_bytes = is_real ? real : 2 * real,
                                      .chunking = chunking_of(problem, recipe, i)};
    reshape::SharedArray array;
    if (!places.empty() && places[i] != Home::workspace) {
      array = places[i] == Home::input ? reached.input : reached.output;
    } else if (recipe.exchange == ExchangeKind::shared) {
      // One array serves all exchanges of its type: each rank's results replace what it read.
      Index& known = arrays_by_type[is_real ? 1 : 0];
      if (known < 0) {
        array = padded_array(shared_shape(problem, recipe, is_real), exchange.element_bytes,
                             placement.shared_bytes);
        known = static_cast<Index>(i);
      } else {
        array = placement.arrays[static_cast<std::size_t>(known)];
      }
    }
    if (recipe.exchange == ExchangeKind::node_aware) {
      const NodeMemory needed = node_aware_bytes(nodes, exchange, rank, looked_at);
      local_bytes[i % 2] = std::max(local_bytes[i % 2], round_up(needed.local, 4096));
      leaving_bytes = std::max(leaving_bytes, round_up(needed.send, 4096));
      coming_bytes = std::max(coming_bytes, round_up(needed.receive, 4096));
    }
    // A stage reads what one exchange brought while the next one's messages come in.
    if (recipe.exchange == ExchangeKind::pipelined)
      receive_bytes[i % 2] = std::max(
          receive_bytes[i % 2],
          reshape::incoming(exchange.from, exchange.to, rank).count() * exchange.element_bytes);
    placement.exchanges.push_back(std::move(exchange));
    placement.arrays.push_back(std::move(array));
  }
  if (!places.empty()) {
    placement.opens_with_meeting =
        places[0] == Home::output && !same_boxes(placement.exchanges[0].from, problem.output);
    placement.closes_with_meeting = places[0] == Home::input && places.size() == 1;
  }
  if (recipe.exchange == ExchangeKind::node_aware)
    placement.shared_bytes = leaving_bytes + coming_bytes + local_bytes[0] + local_bytes[1];
  for (std::size_t i = 0; i < placement.exchanges.size(); ++i) {
    // All exchanges share the send and receive areas; node-local data is double-buffered, since it
    // is still read while the next exchange writes.
    placement.node_memory.push_back(
        {.local = leaving_bytes + coming_bytes + (i % 2 == 1 ? local_bytes[0] : 0),
         .send = 0,
         .receive = leaving_bytes});
    if (recipe.exchange == ExchangeKind::pipelined)
      placement.exchanges[i].receive_offset = i % 2 == 1 ? round_up(receive_bytes[0], 64) : 0;
  }
  return placement;
}

bool needs_detour(const GlobalProblem& problem, const std::vector<Piece>& input,
                  const std::vector<Piece>& output, bool in_place) {
  if (!in_place) return false;
  if (problem.kind == Kind::r2c || problem.kind == Kind::c2r) return true;
  if (input.size() != output.size()) return true;
  for (std::size_t i = 0; i < input.size(); ++i)
    if (input[i].box != output[i].box || input[i].offset != output[i].offset ||
        input[i].strides != output[i].strides)
      return true;
  return false;
}

std::vector<Piece> temporary_pieces(const GlobalProblem& problem, int rank) {
  const Index bytes = out_element_bytes(problem.kind, problem.precision);
  std::vector<Piece> pieces;
  Index offset = 0;
  for (const Box& box : problem.output[static_cast<std::size_t>(rank)]) {
    pieces.push_back({box, reshape::Memory::receive, offset, reshape::dense_strides(box)});
    offset += box.count() * bytes;
  }
  return pieces;
}

}  // namespace weft::global
