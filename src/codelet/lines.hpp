// SPDX-License-Identifier: BSD-3-Clause
// Text that is written line by line: the base of everything that emits source code.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace weft::codelet {

class Lines {
 protected:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  std::string text_;
};

}  // namespace weft::codelet
