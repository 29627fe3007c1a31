// SPDX-License-Identifier: BSD-3-Clause
#include "validators.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weft::tool {
namespace {

/// The messages of CLI11's own validators contain the whole range of the type, with 309 digits.
CLI::Validator bounded(const std::string& bound, const std::function<bool(double)>& is_good) {
  const auto check = [=](const std::string& text) {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value) || std::isnan(value))
      return fmt::format("'{}' is not a number", text);
    return is_good(value) ? std::string() : fmt::format("{} is not {}", text, bound);
  };
  return CLI::Validator(check, bound);
}

}  // namespace

CLI::Validator at_least(int least) {
  return bounded(fmt::format("at least {}", least), [=](double value) { return value >= least; });
}

CLI::Validator positive() {
  return bounded("more than 0", [](double value) { return value > 0; });
}

}  // namespace weft::tool
