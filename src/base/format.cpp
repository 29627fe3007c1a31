// SPDX-License-Identifier: BSD-3-Clause
#include "base/format.hpp"

#include <fmt/format.h>

namespace weft {

std::string format_arguments(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

std::string joined(const std::vector<int>& numbers, std::string_view separator) {
  return fmt::format("{}", fmt::join(numbers, separator));
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

}  // namespace weft
