// SPDX-License-Identifier: BSD-3-Clause
// This machine as the device of ranks.
#pragma once

#include <memory>

#include "global/run/rank_device.hpp"

namespace weft::global {

/// Never null. Allocates nothing.
std::shared_ptr<const RankDevice> cpu_device() noexcept;

}  // namespace weft::global
