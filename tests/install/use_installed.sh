#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs weft into a fresh prefix, then builds and runs a program against it as a user would: by
# find_package(weft), with COMPONENTS mpi for every MPI that was built for, and the example of the
# README by pkg-config.
# Arguments: BUILD_FOLDER SOURCE_FOLDER WORK_FOLDER COMPILER [MPI_COMPILER MPIEXEC]...
set -euo pipefail
build=$1 source=$2 work=$3 compiler=$4
shift 4
prefix=$work/prefix

rm -rf "$work"
cmake --install "$build" --prefix "$prefix" > "$work.log"

cmake -S "$source/tests/install/client" -B "$work/by_cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" > "$work.log"
cmake --build "$work/by_cmake"
"$work/by_cmake/client"

while [[ $# -gt 0 ]]; do
  folder=$work/on_$(basename "$1")
  cmake -S "$source/tests/install/client" -B "$folder" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" -DWITH_MPI=ON -DMPI_CXX_COMPILER="$1" > "$work.log"
  cmake --build "$folder" --target client_on_ranks
  OMPI_MCA_rmaps_base_oversubscribe=1 timeout 60 "$2" -n 2 "$folder/client_on_ranks" | tee "$folder/said"
  grep -q '^largest error of 2 ranks' "$folder/said"
  shift 2
done

pc=$(dirname "$(find "$prefix" -name weft.pc)")
flags=$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs weft)
awk '/^```cpp/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" > "$work/readme.cpp"
# shellcheck disable=SC2086  # flags are words
"$compiler" -std=c++20 -Wall -Wextra -Werror "$work/readme.cpp" $flags \
  -Wl,-rpath,"$(dirname "$pc")" -o "$work/by_pkg_config"
"$work/by_pkg_config" | tee "$work/readme.out"
grep -q 'mean of the field' "$work/readme.out"

# Nothing but the public headers, and the tool starts from where it was installed.
test -z "$(find "$prefix/include" -type f ! -path '*/include/weft/*.hpp')"
if [[ -e $prefix/bin/weft ]]; then "$prefix/bin/weft" --help > /dev/null; fi
