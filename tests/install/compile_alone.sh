#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A public header must compile alone and when included twice, without warnings (except those of
# MPI's own C++ interface). Arguments: COMPILER INCLUDE_FOLDER HEADER
set -euo pipefail
include="#include <$3>"
printf '%s\n%s\n' "$include" "$include" |
  "$1" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -DOMPI_SKIP_MPICXX \
    -DMPICH_SKIP_MPICXX -I "$2" -x c++ -
