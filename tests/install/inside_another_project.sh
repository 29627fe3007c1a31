#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures a project that has weft inside; the checks are in its CMakeLists.txt. Building it would
# compile the library a second time: BUILD=1 does that too, and runs its program.
# Arguments: SOURCE_FOLDER WORK_FOLDER COMPILER
set -euo pipefail
source=$1 work=$2 compiler=$3
rm -rf "$work"
cmake -S "$source/tests/install/parent" -B "$work/build" -G Ninja -DWEFT_SOURCE="$source" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=
cmake --install "$work/build" --prefix "$work/prefix"
[[ ! -e $work/prefix ]] || { echo "installed though nobody asked for it" >&2; exit 1; }
if [[ -n ${BUILD:-} ]]; then
  cmake --build "$work/build" --target program
  "$work/build/program"
fi
