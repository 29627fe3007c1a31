#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs a program of this machine on FFTW and on weft's libraries and compares the results:
# program_test.sh octave|imagemagick|lammps|gromacs FOLDER.
# FOLDER has the libraries. Exit code 77: the program is not installed.
set -euo pipefail
program=$1 libraries=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

on_weft() {
  local preload="" name
  for name in "$libraries"/libfftw3{,f}{,_threads,_omp}.so.3; do preload+="$name "; done
  LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} LD_PRELOAD="$preload${LD_PRELOAD:-}" "$@"
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

# Whether two tables of numbers agree: relative difference at most LIMIT, as many lines.
same_numbers() {
  local limit=$1 one=$2 other=$3
  [[ $(wc -l < "$one") == $(wc -l < "$other") && -s $one ]] || { echo "not as many lines"; return 1; }
  paste "$one" "$other" | awk -v limit="$limit" '
    { for (k = 1; k <= NF / 2; ++k) {
        a = $k; b = $(k + NF / 2); d = a - b; s = a < 0 ? -a : a
        if (d > limit * s || -d > limit * s) { print "differs: " $0; exit 1 } } }'
}

# The mesh of PPPM on 1, 2 and 4 ranks; LAMMPS has its own exchange and calls FFTW for lines.
lammps() {
  [[ -n $(command -v lmp) && -n $(command -v mpiexec.openmpi) ]] || exit 77
  ldd "$(command -v lmp)" | grep -q 'libfftw3\.so' || exit 77
  local ranks log
  for ranks in 1 2 4; do
    local run=(mpiexec.openmpi --oversubscribe -n "$ranks" lmp -in "$here/lammps_pppm.in" -screen none)
    "${run[@]}" -log "$scratch/fftw.log" > /dev/null || exit 77
    WEFT_DROPIN_REPORT=$scratch/report on_weft "${run[@]}" -log "$scratch/weft.log" > /dev/null
    for log in fftw weft; do
      sed -n '/^ *Step/,/^Loop/p' "$scratch/$log.log" | grep -E '^ *[0-9]' > "$scratch/$log.table"
    done
    same_numbers 1e-6 "$scratch/fftw.table" "$scratch/weft.table"
  done
  grep -q 'c2c forward' "$scratch/report"
}

# A box of water; particle-mesh Ewald in single precision.
gromacs() {
  [[ -n $(command -v gmx) ]] || exit 77
  cd "$scratch"
  printf '%s\n' '#include "amber99sb-ildn.ff/forcefield.itp"' '#include "amber99sb-ildn.ff/spce.itp"' \
    '[ system ]' 'water' '[ molecules ]' > topol.top
  gmx -quiet solvate -cs spc216 -box 1.9 1.9 1.9 -p topol.top -o conf.gro > out 2>&1 || exit 77
  gmx -quiet grompp -f "$here/gromacs_pme.mdp" -c conf.gro -p topol.top -o md.tpr -maxwarn 5 > out 2>&1 ||
    exit 77
  local run=(gmx -quiet mdrun -s md.tpr -ntmpi 1 -ntomp 1 -reprod -nb cpu -pme cpu) log
  "${run[@]}" -deffnm fftw > out 2>&1 || exit 77
  on_weft "${run[@]}" -deffnm weft > out 2>&1
  grep -q 'FFT library: .*weft' weft.log || { grep 'FFT library' fftw.log weft.log; exit 1; }
  for log in fftw weft; do
    grep -A2 -E '^ +(LJ \(SR\)|Total Energy|Coul)' $log.log | grep -E '^ +-?[0-9]' > $log.table
  done
  same_numbers 2e-4 fftw.table weft.table
}

"$program"
