#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A public header must compile alone and twice, without a warning: COMPILER INCLUDE_FOLDER HEADER
set -euo pipefail
include="#include <$3>"
printf '%s\n%s\n' "$include" "$include" |
  "$1" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$2" -x c++ -
