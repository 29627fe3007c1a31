// SPDX-License-Identifier: BSD-3-Clause
// The version of weft: of the headers as macros, of the library as a function.
#pragma once

#include "weft/export.h"
#include "weft/version.h"

namespace weft {

/// The version of the library that runs, "0.1.0"; WEFT_VERSION is that of the headers.
WEFT_API const char* version() noexcept;

}  // namespace weft
