// SPDX-License-Identifier: BSD-3-Clause
// A struct of positive numbers as text, the way wisdom keeps speeds: "name value name value ...".
#pragma once

#include <cmath>
#include <span>
#include <sstream>
#include <string>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft::tune {

template <class Numbers>
struct NumberField {
  const char* name;
  double Numbers::* value;
};

template <class Numbers>
std::string numbers_text(const Numbers& numbers, std::span<const NumberField<Numbers>> fields) {
  std::string text;
  for (const auto& field : fields)
    text += weft::format("{}{} {:.4g}", text.empty() ? "" : " ", field.name, numbers.*field.value);
  return text;
}

/// Throws weft::Error (wisdom) unless the text has just these fields, each a positive number.
template <class Numbers>
Numbers parse_numbers(const std::string& text, std::span<const NumberField<Numbers>> fields,
                      const std::string& what) {
  Numbers numbers;
  std::istringstream words(text);
  std::string name, rest;
  for (const auto& field : fields) {
    double value = 0;
    if (!(words >> name >> value) || name != field.name || !std::isfinite(value) || value <= 0)
      throw Error(ErrorCode::wisdom, "'" + text + "' is not " + what);
    numbers.*field.value = value;
  }
  if (words >> rest) throw Error(ErrorCode::wisdom, "'" + text + "' has more than " + what);
  return numbers;
}

}  // namespace weft::tune
