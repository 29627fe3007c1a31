// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::tool {

/// The page that shows designs; the design goes where it says @design@.
extern const char* const design_page;

}  // namespace weft::tool
