// SPDX-License-Identifier: BSD-3-Clause
// How long passes and recipes are expected to take, and the bytes they move.
#pragma once

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/recipe.hpp"

namespace weft::gpu {

/// Bytes that a pass reads and writes in memory, each point once.
double bytes_of(const TilePass& pass);
/// Smallest contiguous run of bytes that a pass reads and writes.
Index segment_bytes(const TilePass& pass);

double predicted_seconds(const TilePass& pass, const DeviceNumbers& numbers);
double predicted_seconds(const Recipe& recipe, const DeviceNumbers& numbers);
/// What so many passes gain that follow each other: they start while the one before still runs.
double early_start_seconds(Index passes);

/// A pass that is turned around, with a function of `inputs` fields that gives `outputs`.
struct TurnedWork {
  const TilePass& forward;
  int inputs = 1, outputs = 1;
};
/// All inputs are read and all outputs are written once, where the pass reads.
double bytes_of(const TurnedWork& work);
double predicted_seconds(const TurnedWork& work, const DeviceNumbers& numbers);

/// The recipe for people: a line per pass with its bytes, segments and predicted time.
std::string explain(const Recipe& recipe, const DeviceNumbers& numbers);
std::string explain(const PlacedPass& placed, double bytes, double seconds);

}  // namespace weft::gpu
