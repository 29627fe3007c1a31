// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "weft/executor.hpp"

namespace weft {

/// Whether run() may throw: true unless the executor is one of weft's own. Executors of users must
/// not throw, but if one does, a distributed plan must not leave the other ranks waiting.
bool may_throw(const Executor& executor);

}  // namespace weft
