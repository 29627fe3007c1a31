// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/device/driver.hpp"
#include "gpu/recipe/device_numbers.hpp"

namespace weft::gpu {

/// The device's numbers for the planner and the cost model, as the driver reports them.
DeviceNumbers numbers_of(const GpuDevice& device);

}  // namespace weft::gpu
