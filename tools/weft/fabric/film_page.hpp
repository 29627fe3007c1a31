// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::tool {

/// The page that shows films; the film goes where it says @film@.
extern const char* const film_page;

}  // namespace weft::tool
