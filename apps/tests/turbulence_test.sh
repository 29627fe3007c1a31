#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-turbulence checks itself (energy budget, divergence, exact decay); this runs it in its ways.
source "$(dirname "$0")/support.sh" "$@"

"$program" --size 16 --end 1 --start single-mode --reynolds 20 --prefix one
"$program" --size 17 --end 0.5 --start single-mode --reynolds 20 --no-files --ranks 3 --dt 0.02
"$program" --size 24 --end 2 --reynolds 100 --prefix vortex
"$program" --size 24 --end 0.5 --start forced --reynolds 50 --no-files --dt 0.02
for file in vortex.csv vortex_dissipation.svg vortex_spectrum.svg vortex_vorticity.png vortex_film.html; do
  [[ -s $file ]] || fail "no $file"
done
# Ranks that hold nothing, and any number of them, give the same numbers to twelve digits.
energy() { "$program" --size 12 --end 0.5 --no-files "$@" | sed -n 's/^energy \([0-9.]\{14\}\).*/\1/p'; }
alone=$(energy)
[[ -n $alone && $alone = $(energy --ranks 5) ]] || fail "5 ranks"
[[ $alone = $(energy --ranks 13) ]] || fail "13 ranks"

# A forced flow: no exponent where the lattice has no inertial range, and spectra go on after a stop.
"$program" --size 24 --end 2 --start forced --reynolds 20 --dt 0.02 --no-files > forced.txt
grep -q "no exponent: the range is less" forced.txt || fail "no word on the range: $(cat forced.txt)"
"$program" --size 16 --end 1 --start forced --reynolds 2000 --dt 0.01 --prefix forced > forced.txt
grep -q "no exponent: the lattice does not hold" forced.txt || fail "no word on the lattice: $(cat forced.txt)"
grep -q longitudinal forced_spectrum.svg || fail "no longitudinal spectrum"
resumes_to_the_same_bits 16 --size 12 --end 0.4 --dt 0.02 --start forced --reynolds 50 --no-files

says_memory_limit --size 16 --bench-steps 3
says_memory_limit --size 16 --end 0.5 --no-files --ranks 2
resumes_to_the_same_bits 5 --size 16 --end 1 --no-files --ranks 2
ends_on_ctrl_c --size 32 --end 1000 --no-files
refuses "must be at most" --size 32 --dt 1
refuses "at least 8 points" --size 4
refuses "another dt" --size 32 --end 2 --dt 0.05 --resume interrupted.weft
refuses "is no checkpoint" --resume vortex.csv
head -c 5000 interrupted.weft > short.weft
refuses "damaged" --size 32 --end 1000 --resume short.weft
