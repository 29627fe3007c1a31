// SPDX-License-Identifier: BSD-3-Clause
// Runs a wafer plan on actual data, with the kernel's instructions and with the exchanges exactly
// as the simulated routers delivered them. A wrong filter gives wrong results.
#pragma once

#include <complex>
#include <span>

#include "fabric/wafer/timing.hpp"

namespace weft::fabric {

/// Transforms `data` in place. The numbers are ordered by element, and within an element as
/// described in plan.hpp: [y][x][z] before a forward transform with one pencil per element.
WaferTiming run_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                         std::span<std::complex<float>> data, const RunOptions& options = {});

/// The position in `data` of the number (x, y, z) of the array before a forward transform (or after
/// a backward one), and of (kx, ky, kz) after it (or before a backward one).
std::int64_t spatial_position(const WaferPlan& plan, const WaferLayout& layout, std::int64_t x,
                              std::int64_t y, std::int64_t z);
std::int64_t spectral_position(const WaferPlan& plan, const WaferLayout& layout, std::int64_t kx,
                               std::int64_t ky, std::int64_t kz);

}  // namespace weft::fabric
