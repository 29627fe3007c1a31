// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gpu/device/driver.hpp"
#include "gpu/recipe/device_numbers.hpp"

namespace weft::gpu {

/// What the planner works with, as the driver tells it.
DeviceNumbers numbers_of(const GpuDevice& device);

}  // namespace weft::gpu
