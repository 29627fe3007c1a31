#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A header for C must compile alone and when included twice, as C99 without extensions or warnings.
# Arguments: COMPILER INCLUDE_FOLDER HEADER
set -euo pipefail
include="#include <$3>"
printf '%s\n%s\nint main(void) { return 0; }\n' "$include" "$include" |
  "$1" -std=c99 -pedantic -Wall -Wextra -Werror -Wstrict-prototypes -fsyntax-only -I "$2" -x c -
