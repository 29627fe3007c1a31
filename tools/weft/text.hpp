// SPDX-License-Identifier: BSD-3-Clause
// Quantities as readable text.
#pragma once

#include <span>
#include <string>

#include "base/names.hpp"

namespace weft::tool {

std::string bytes_text(double bytes);                         ///< "64 KiB", "1.5 GiB"
std::string seconds_text(double seconds);                     ///< "12.3 us", "1.50 s"
std::string number_text(double value);                        ///< "512", "0.25", "1.25e+10"
std::string shape_text(std::span<const Index> shape);         ///< "512x512"
std::string python_shape_text(std::span<const Index> shape);  ///< "(512, 512)"

/// Throws weft::Error (invalid_argument).
[[noreturn]] void refuse(const std::string& message);

/// With <, > and & escaped for HTML and SVG.
std::string escaped_markup(const std::string& text);

/// The conventional count: 5 N log2 N operations, half of it for real input.
double nominal_flops(Index points_per_transform, Index batch, bool is_real);

/// A bar of length `fraction` * `width` characters, exact to an eighth of a character.
std::string bar(double fraction, int width);

}  // namespace weft::tool
