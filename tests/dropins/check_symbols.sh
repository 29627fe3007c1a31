#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compares what a library with FFTW's interface exports with the list of that interface, and its
# soname: check_symbols.sh LIBRARY LIST SONAME LETTER. The list has the names without prefix: "c NAME"
# for C, "f NAME" for Fortran 77; "n NAME" is a whole name.
set -euo pipefail
library=$1 list=$2 soname=$3 letter=$4
fortran=${letter:-d}
fortran=${fortran/f/s}

wanted() {
  sed -n "s/^n //p" "$list"
  sed -n "s/^c /fftw${letter}_/p" "$list"
  sed -n "s/^f \(.*\)/${fortran}fftw_\1_\n${fortran}fftw_\1__/p" "$list"
}
exported() { nm --dynamic --defined-only "$library" | cut -d' ' -f3-; }
if ! diff <(wanted | LC_ALL=C sort) <(exported | LC_ALL=C sort); then
  echo "$library lacks symbols of the interface (<) or exports others (>)" >&2
  exit 1
fi
readelf --dynamic "$library" | grep -qF "Library soname: [$soname]" ||
  { echo "$library should have the soname $soname" >&2; exit 1; }
