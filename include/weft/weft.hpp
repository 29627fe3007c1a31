// SPDX-License-Identifier: BSD-3-Clause
// All of weft's public interface.
#pragma once

#include "weft/aligned.hpp"
#include "weft/comm.hpp"
#include "weft/distributed.hpp"
#include "weft/distributed_array.hpp"
#include "weft/distribution.hpp"
#include "weft/error.hpp"
#include "weft/executor.hpp"
#include "weft/plan.hpp"
#include "weft/types.hpp"
#include "weft/version.hpp"
#include "weft/view.hpp"
#include "weft/wisdom.hpp"
