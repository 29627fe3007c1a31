// SPDX-License-Identifier: BSD-3-Clause
// Text that is written line by line: the base class of all classes that emit source code.
#pragma once

#include <string>

#include "base/format.hpp"

namespace weft::codelet {

class TextWriter {
 protected:
  template <class... Arguments>
  void line(FormatString<std::type_identity_t<Arguments>...> text, const Arguments&... arguments) {
    text_ += weft::format(text, arguments...) + '\n';
  }
  std::string text_;
};

}  // namespace weft::codelet
