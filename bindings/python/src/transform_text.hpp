// SPDX-License-Identifier: BSD-3-Clause
// Transforms and options as Python's plans name them: by words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "numpy_api.hpp"
#include "weft/plan.hpp"

namespace weft::python {

struct TransformText {
  std::string kind = "c2c", direction = "forward", norm = "backward", spectrum = "half",
              modes = "first";
  std::optional<std::vector<int>> axes = {};  ///< none: all
  std::vector<std::string> r2r = {};
  bool orthogonalize = false;
  std::vector<Index> input_extents = {}, output_extents = {};
};

/// Unknown words are refused with those that exist.
Transform transform_of(std::vector<Index> shape, const TransformText& text);
Effort effort_named(const std::string& text);
Precision precision_of(nb::handle dtype);

}  // namespace weft::python
