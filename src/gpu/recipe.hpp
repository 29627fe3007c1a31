// SPDX-License-Identifier: BSD-3-Clause
// A whole GPU transform as a value: passes one after another, each from one array to another. The
// planner chooses among recipes; plans are built from them.
#pragma once

#include <string>
#include <vector>

#include "gpu/tile_pass.hpp"

namespace weft::gpu {

enum class Place { input, output, workspace, scratch };

struct Step {
  TilePass pass;
  Place from = Place::input, to = Place::output;
  friend bool operator==(const Step&, const Step&) = default;
};

struct Recipe {
  std::vector<Step> steps;
  /// Complex numbers in storage precision.
  Index workspace_elements = 0, scratch_elements = 0;
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

std::string to_text(const Step& step);
std::string to_text(const Recipe& recipe);

/// Only the last pass of a recipe scales, if that is asked for or it takes real planes apart.
void leave_scale_to_last(Recipe& recipe, bool scales);

/// Bytes that a step reads and writes in memory, each point once.
double bytes_of(const TilePass& pass);
/// Smallest contiguous run of bytes that a step reads and writes.
Index segment_bytes(const TilePass& pass);

/// Seconds on a GPU such as the H200; only the order of recipes matters.
double predicted_seconds(const TilePass& pass);
double predicted_seconds(const Recipe& recipe);

/// The recipe for people: a line per pass with its bytes, segments and predicted time.
std::string explain(const Recipe& recipe);

/// One dimension of the array; distances in elements of the side's type.
struct Dimension {
  Index n = 1;
  Index in = 0, out = 0;
  Blocks in_blocks = {}, out_blocks = {};
};

struct Problem {
  Kind kind = Kind::c2c;
  Precision precision = Precision::f32;
  Direction direction = Direction::forward;
  std::vector<Dimension> dimensions;
  std::vector<int> axes;  ///< transformed; r2c and c2r halve the last of them
  bool scales = true;     ///< by a factor other than one
};
std::string to_text(const Problem& problem);

/// What the planner must respect and may exploit.
struct Limits {
  std::size_t shared_bytes = 227 * 1024;
  /// Blocks that may hold a tile together: 1 before compute capability 9.0, 16 where the chip has
  /// groups of as many multiprocessors.
  int largest_cluster = 16;
};

/// Radices of a transform of n points, most even, in as few stages as `largest` permits; empty when
/// n has a prime factor over 13 that is larger than `largest`.
std::vector<int> choose_radices(Index n, int largest);

/// Recipes worth trying, the one expected to be fastest first.
std::vector<Recipe> candidates(const Problem& problem, const Limits& limits);

}  // namespace weft::gpu
