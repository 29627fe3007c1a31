#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs weft into a fresh prefix, then builds and runs programs against it as users would: by
# find_package(weft), with COMPONENTS mpi for every MPI that was built for, the examples in C and
# Fortran as projects without C++ on 1 to 4 ranks, a project for heFFTe by find_package(Heffte), and by
# pkg-config these and the example of the README. Arguments:
# BUILD_FOLDER SOURCE_FOLDER WORK_FOLDER COMPILER [MPI_COMPILER MPIEXEC]...
set -euo pipefail
build=$1 source=$2 work=$3 compiler=$4
shift 4
mpis=("$@")
prefix=$work/prefix
export OMPI_MCA_rmaps_base_oversubscribe=1

rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$prefix" > "$work.log"
pc=$(dirname "$(find "$prefix" -name weft.pc)")
export PKG_CONFIG_PATH=$pc
rpath=-Wl,-rpath,$(dirname "$pc")

configure() {  # SOURCE FOLDER OPTIONS...
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "${@:3}" > "$work.log"
}
on_ranks() {  # MPIEXEC PROGRAM
  local ranks
  for ranks in 1 2 3 4; do
    timeout 60 "$1" -n "$ranks" "$2" | tee "$work/said"
    grep -q "on $ranks ranks, largest error" "$work/said"
  done
}
languages=(C)
if [[ -n $(find "$prefix" -name weft.mod) ]]; then languages+=(Fortran); fi

# C++ by CMake
configure "$source/tests/install/client" "$work/by_cmake" -DCMAKE_CXX_COMPILER="$compiler"
cmake --build "$work/by_cmake"
"$work/by_cmake/client"

# C and Fortran by CMake, without MPI
for language in "${languages[@]}"; do
  configure "$source/examples/${language,,}" "$work/in_$language" -DWITH_MPI=OFF
  cmake --build "$work/in_$language"
  "$work/in_$language/one_dimension"
done

# By CMake for every MPI
set -- "${mpis[@]}"
while [[ $# -gt 0 ]]; do
  name=$(basename "$1")
  configure "$source/tests/install/client" "$work/on_$name" -DCMAKE_CXX_COMPILER="$compiler" \
    -DWITH_MPI=ON -DMPI_CXX_COMPILER="$1"
  cmake --build "$work/on_$name" --target client_on_ranks
  timeout 60 "$2" -n 2 "$work/on_$name/client_on_ranks" | tee "$work/said"
  grep -q '^largest error of 2 ranks' "$work/said"
  heffte=$(find "$prefix" -path '*/weft/heffte/cmake')
  if [[ -n $heffte ]]; then
    configure "$source/tests/install/heffte" "$work/heffte_$name" \
      -DHeffte_ROOT="$(dirname "$heffte")" -DMPI_C_COMPILER="${1/mpicxx/mpicc}"
    cmake --build "$work/heffte_$name"
    timeout 60 "$2" -n 2 "$work/heffte_$name/heffte_client"
  fi
  for language in "${languages[@]}"; do
    wrapper=${1/mpicxx/mpicc}
    if [[ $language == Fortran ]]; then wrapper=${1/mpicxx/mpifort}; fi
    configure "$source/examples/${language,,}" "$work/${language}_$name" \
      -DMPI_"$language"_COMPILER="$wrapper"
    cmake --build "$work/${language}_$name" --target many_ranks
    on_ranks "$2" "$work/${language}_$name/many_ranks"
  done
  shift 2
done

# By pkg-config
awk '/^```cpp/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" > "$work/readme.cpp"
# shellcheck disable=SC2046  # flags are words
"$compiler" -std=c++20 -Wall -Wextra -Werror "$work/readme.cpp" \
  $(pkg-config --cflags --libs weft) "$rpath" -o "$work/by_pkg_config"
"$work/by_pkg_config" | tee "$work/readme.out"
grep -q 'mean of the field' "$work/readme.out"
# shellcheck disable=SC2046
cc -std=c99 "$source/examples/c/one_dimension.c" $(pkg-config --cflags --libs weft) -lm "$rpath" \
  -o "$work/c_by_pkg_config"
"$work/c_by_pkg_config"
if [[ ${#languages[@]} -gt 1 ]]; then
  # shellcheck disable=SC2046
  gfortran "$source/examples/fortran/one_dimension.f90" \
    $(pkg-config --cflags --libs weft-fortran) "$rpath" -o "$work/fortran_by_pkg_config"
  "$work/fortran_by_pkg_config"
fi
if [[ ${#mpis[@]} -gt 0 ]]; then  # weft-mpi is for the first of them
  # shellcheck disable=SC2046
  "${mpis[0]/mpicxx/mpicc}" -std=c99 "$source/examples/c/many_ranks.c" \
    $(pkg-config --cflags --libs weft-mpi) -lm "$rpath" -o "$work/mpi_by_pkg_config"
  on_ranks "${mpis[1]}" "$work/mpi_by_pkg_config"
fi

# The simulators and what writes C++ kernels are no part of the library.
library=$(find "$prefix" -name 'libweft.so' -o -name 'libweft.a' | head -n 1)
nm -C "$library" \
  > "$work/symbols" 2> /dev/null
grep -q 'weft::Plan::' "$work/symbols"
if grep -E 'weft::fabric::|weft::codelet::(emit_cpp|catalogue|dump)' "$work/symbols"; then
  echo "libweft has symbols of the simulators or of the generator" >&2
  exit 1
fi

# Nothing but what is public; the tool starts from where it was installed and has its man page.
unexpected=$(find "$prefix/include" -type f ! -regex '.*/include/weft/[a-z_]*\.\(hpp\|h\|mod\|f90\)' \
  ! -regex '.*/include/weft/fftw/fftw3\(-mpi\)?\.h' ! -regex '.*/include/weft/heffte/[a-z0-9_]*\.h')
[[ -z $unexpected ]] || { echo "installed and not public: $unexpected" >&2; exit 1; }
if [[ -e $prefix/bin/weft ]]; then
  "$prefix/bin/weft" --help > /dev/null
  grep -q '^\.SS weft fft' "$prefix/share/man/man1/weft.1"
fi
