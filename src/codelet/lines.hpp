// SPDX-License-Identifier: BSD-3-Clause
// Text that is written line by line: the base of everything that emits source code.
#pragma once

#include <string>

#include "base/format.hpp"

namespace weft::codelet {

class Lines {
 protected:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += format_arguments(format, fmt::make_format_args(arguments...)) + '\n';
  }
  std::string text_;
};

}  // namespace weft::codelet
