// SPDX-License-Identifier: BSD-3-Clause
// Text by fmt, whose machinery is compiled once, in format.cpp: a file that only fills in blanks
// would take seconds to compile with it, and nobody who links weft needs libfmt.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace weft {

std::string format_arguments(fmt::string_view text, fmt::format_args values);

/// Qualify it: std::format is a candidate too where a value is of std.
template <class... Values>
std::string format(fmt::format_string<Values...> text, Values&&... values) {
  return format_arguments(text, fmt::make_format_args(values...));
}

std::string joined(const std::vector<int>& numbers, std::string_view separator);
std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace weft
