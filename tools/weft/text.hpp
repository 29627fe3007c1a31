// SPDX-License-Identifier: BSD-3-Clause
// Quantities as people read them.
#pragma once

#include <span>
#include <string>

#include "weft/types.hpp"

namespace weft::tool {

std::string bytes_text(double bytes);                         ///< "64 KiB", "1.5 GiB"
std::string seconds_text(double seconds);                     ///< "12.3 us", "1.50 s"
std::string shape_text(std::span<const Index> shape);         ///< "512x512"
std::string python_shape_text(std::span<const Index> shape);  ///< "(512, 512)"
const char* name_of(Precision precision);
const char* name_of(Direction direction);

/// As text of HTML and SVG.
std::string escaped_markup(const std::string& text);

/// 5 N log2 N operations, the field's convention, half of it for real input.
double nominal_flops(Index points_per_transform, Index batch, bool is_real);

/// A bar of eighths of a character, `fraction` of `width` long.
std::string bar(double fraction, int width);

}  // namespace weft::tool
