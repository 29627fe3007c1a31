// SPDX-License-Identifier: BSD-3-Clause
// The second of two models of the time of a pass; cost.cpp has the first and joins both.
#pragma once

#include "gpu/recipe/device_numbers.hpp"
#include "gpu/recipe/pass_side.hpp"

namespace weft::gpu {

/// Without the launch.
double seconds_by_efficiency(const TilePass& pass, const DeviceNumbers& numbers);
/// The same of a pass that is turned around and holds so many tiles, one way.
double turned_seconds_by_efficiency(const TilePass& pass, int tiles, const DeviceNumbers& numbers);

/// How much longer a halved line takes: the pairs of short ones write runs of a sector or less, a
/// thread that has a line to itself shares no sector with its neighbours, and one that has two wide
/// butterflies leaves room for few others. Fitted to 290 passes of 16 transforms.
double halved_line_factor(const TilePass& pass);

}  // namespace weft::gpu
