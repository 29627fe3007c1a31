// SPDX-License-Identifier: BSD-3-Clause
// Small pictures, as shades in the terminal or as PNG files.
#pragma once

#include <string>
#include <vector>

#include "weft/types.hpp"

namespace weft::tool {

/// Gray values from 0 (dark) to 1.
struct Picture {
  Index height = 0, width = 0;
  std::vector<double> pixels;  ///< row by row

  double& at(Index row, Index column) {
    return pixels[static_cast<std::size_t>(row * width + column)];
  }
  double at(Index row, Index column) const {
    return pixels[static_cast<std::size_t>(row * width + column)];
  }
};
Picture blank_picture(Index height, Index width);

/// Two characters per pixel in five shades, each line indented.
std::string as_text(const Picture& picture);

/// A PNG file of 256 colours from dark blue to white, each pixel `zoom` times as large.
std::string as_png(const Picture& picture, Index zoom);
/// Throws weft::Error when it cannot be written.
void write_png(const Picture& picture, Index zoom, const std::string& path);

}  // namespace weft::tool
