// SPDX-License-Identifier: BSD-3-Clause
#include "text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "weft/error.hpp"

namespace weft::tool {

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  int unit = 0;
  while (bytes >= 1024 && unit < 5) {
    bytes /= 1024;
    ++unit;
  }
  if (bytes == std::floor(bytes)) return fmt::format("{:.0f} {}", bytes, units[unit]);
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

std::string number_text(double value) { return fmt::format("{:.6g}", value); }

std::string shape_text(std::span<const Index> shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::string python_shape_text(std::span<const Index> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

void refuse(const std::string& message) { throw Error(ErrorCode::invalid_argument, message); }

std::string escaped_markup(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '\'')
      result += "&#39;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

double nominal_flops(Index points_per_transform, Index batch, bool is_real) {
  const double n = static_cast<double>(points_per_transform);
  return (is_real ? 2.5 : 5.0) * n * std::log2(std::max(n, 2.0)) * static_cast<double>(batch);
}

std::string bar(double fraction, int width) {
  // U+2588 is a full block, U+2589 ... U+258F seven to one eighths of it.
  const int eighths = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width * 8));
  std::string text;
  for (int i = 0; i < eighths / 8; ++i) text += "\u2588";
  if (eighths % 8 > 0) {
    text += "\xe2\x96";
    text += static_cast<char>(0x90 - eighths % 8);
  }
  const int used = (eighths + 7) / 8;
  return text + std::string(static_cast<std::size_t>(width - used), ' ');
}

}  // namespace weft::tool
