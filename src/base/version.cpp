// SPDX-License-Identifier: BSD-3-Clause
#include "weft/version.hpp"

namespace weft {

const char* version() noexcept { return WEFT_VERSION; }

}  // namespace weft
