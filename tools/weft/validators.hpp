// SPDX-License-Identifier: BSD-3-Clause
// Checks of numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>

namespace weft::tool {

CLI::Validator at_least(int least);
/// More than 0.
CLI::Validator positive();

}  // namespace weft::tool
