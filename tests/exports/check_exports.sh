#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares what a shared library exports with a list, and its soname. After a wanted change of the
# public interface: UPDATE=1 check_exports.sh LIBRARY LIST SONAME writes the list anew.
set -euo pipefail
library=$1 list=$2 soname=$3

# Demangled, without tags of the ABI; a constructor has two symbols of one name, a version follows an
# @. Compilers differ in which tables of classes without a key function they leave in a library.
exported() {
  nm --dynamic --defined-only --demangle "$library" | cut -d' ' -f3- |
    sed 's/@@*WEFT_[0-9]*//; s/\[abi:cxx11\]//' |
    grep -vE '^(vtable|typeinfo|typeinfo name) for weft::|^WEFT_[0-9]*$' | LC_ALL=C sort -u
}

if [[ -n ${UPDATE:-} ]]; then exported > "$list"; fi
if ! diff -u "$list" <(exported); then
  echo "$library exports something else (+) than $list says (-)." >&2
  echo "If that is wanted: UPDATE=1 $0 $*" >&2
  exit 1
fi
# The public C++ and C interface, and what src/comm/mpi_support.hpp and src/c/bridge.hpp say.
if grep -nvE '^(weft::|weft_)' "$list"; then
  echo "the lines above are neither weft's C++ interface nor its C interface" >&2
  exit 1
fi
readelf --dynamic "$library" | grep -qF "Library soname: [$soname]" ||
  { echo "$library should have the soname $soname" >&2; exit 1; }
