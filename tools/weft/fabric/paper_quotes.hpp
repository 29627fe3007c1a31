// SPDX-License-Identifier: BSD-3-Clause
// What the four papers print, word for word where `weft paper` compares with it, and where it
// stands there. Formulas are written in ASCII.
#pragma once

#include <string_view>

namespace weft::tool {

struct Quote {
  std::string_view key;    ///< how rows name it: "wsfft table 1, 512"
  std::string_view place;  ///< "Table 1"
  std::string_view text;
};

/// The quote of that key; weft::Error of code internal when there is none.
const Quote* quote(std::string_view key);

}  // namespace weft::tool
