// SPDX-License-Identifier: BSD-3-Clause
// Formulas of named numbers as text: "nodes * (9000 + 150 * node_bytes_per_s / 1e9)".
#pragma once

#include <map>
#include <string>

namespace weft::tool {

/// The value of the formula: numbers, names, + - * / ^, parentheses, sqrt() and log2(). Throws
/// weft::Error that says where it went wrong: an unknown name, a missing parenthesis, a value that
/// is not finite.
double value_of_formula(const std::string& formula, const std::map<std::string, double>& names);

}  // namespace weft::tool
