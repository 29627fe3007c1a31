#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a program of this machine on FFTW and on weft's libraries and compares the results:
# program_test.sh octave|imagemagick FOLDER_OF_LIBRARIES. Exit code 77: the program is not installed.
set -euo pipefail
program=$1 libraries=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

on_weft() {
  local preload="" name
  for name in "$libraries"/libfftw3{,f}{,_threads,_omp}.so.3; do preload+="$name "; done
  LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LD_PRELOAD=$preload "$@"
}

octave() {
  [[ -n $(command -v octave-cli) ]] || exit 77
  local from=(octave-cli --norc --no-history "$here/octave_test.m")
  "${from[@]}" > "$scratch/fftw" 2> /dev/null || exit 77
  on_weft "${from[@]}" > "$scratch/weft" 2> /dev/null
  paste "$scratch/fftw" "$scratch/weft" | awk '
    NF != 4 { print "line " NR " has not two numbers of each: " $0; exit 1 }
    { for (k = 1; k <= 2; ++k) { d = $k - $(k + 2); if (d > 1e-12 || d < -1e-12) bad = NR } }
    bad { print "line " bad " differs: " $0; exit 1 }
    END { if (NR < 1000) { print "only " NR " lines"; exit 1 } }'
  # What is compared must not be FFTW with FFTW: the plans of weft say so.
  WEFT_DROPIN_REPORT=$scratch/report on_weft octave-cli --norc --eval 'fft(rand(97, 1));' > /dev/null 2>&1
  grep -q 'c2c\|r2c' "$scratch/report"
}

imagemagick() {
  local convert compare
  convert=$(command -v convert-im6.q16 || true) compare=$(command -v compare-im6.q16 || true)
  [[ -n $convert && -n $compare ]] || exit 77
  "$convert" -version | grep -q fftw || exit 77
  "$convert" -size 62x62 -seed 7 plasma:red-blue "$scratch/picture.png"
  "$convert" "$scratch/picture.png" -fft "$scratch/fftw.miff"
  WEFT_DROPIN_REPORT=$scratch/report on_weft "$convert" "$scratch/picture.png" -fft "$scratch/weft.miff"
  "$convert" "$scratch/fftw.miff" -ift "$scratch/fftw.png"
  on_weft "$convert" "$scratch/weft.miff" -ift "$scratch/weft.png"
  grep -q 'r2c 62:' "$scratch/report"
  # The magnitudes, and the way back from magnitude and phase; RMSE prints "absolute (relative to 1)".
  local pair
  for pair in "fftw.miff[0] weft.miff[0]" "fftw.png weft.png"; do
    read -r one other <<< "$pair"
    "$compare" -metric RMSE "$scratch/$one" "$scratch/$other" null: 2>&1 | tr -d '()' |
      awk '{ if ($2 > 1e-3) { print "pictures differ by " $2; exit 1 } }'
  done
}

"$program"
