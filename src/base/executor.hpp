// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "weft/executor.hpp"

namespace weft {

/// Whether run() may throw: where it is not one of weft's own. Users are asked not to, but a
/// distributed plan must not leave the other ranks waiting if they do.
bool may_throw(const Executor& executor);

}  // namespace weft
