#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-pppm against LAMMPS, on the same data files: PROGRAM FOLDER. Exit code 77: LAMMPS is not installed.
[[ -n $(command -v lmp) ]] || exit 77
input=$(realpath "$(dirname "$0")/pppm_lammps.in")
source "$(dirname "$0")/support.sh" "$@"
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# salt TILT: 512 ions of rock salt, moved at random, in a box that TILT shears.
salt() {
  awk -v tilt="$1" 'BEGIN {
    srand(7); side = 8; spacing = 2.82; edge = side * spacing; count = side * side * side
    print "salt\n\n" count " atoms\n2 atom types\n\n0 " edge " xlo xhi\n0 " edge " ylo yhi\n0 " edge " zlo zhi"
    if (tilt) print tilt, (-tilt / 2), (tilt / 3), "xy xz yz"
    print "\nMasses\n\n1 23\n2 35.5\n\nAtoms # charge\n"
    for (i = 0; i < count; ++i) {
      x = int(i / 64); y = int(i / 8) % 8; z = i % 8; kind = (x + y + z) % 2
      printf "%d %d %d %.6f %.6f %.6f\n", i + 1, kind + 1, 1 - 2 * kind,
        (x + 0.6 * rand()) * spacing, (y + 0.6 * rand()) * spacing, (z + 0.6 * rand()) * spacing } }'
}
# near NAME ONE OTHER BOUND: relative difference.
near() {
  awk -v name="$1" -v a="$2" -v b="$3" -v bound="$4" 'BEGIN {
    d = a / b - 1; if (d < 0) d = -d
    printf "%s: weft %s, LAMMPS %s, relative difference %.2g, at most %g\n", name, a, b, d, bound
    exit !(a != "" && b != "" && b != 0 && d <= bound) }' || fail "$1"
}
energy() { sed -n "s/.*$1 \(-[0-9.]*\).*/\1/p" weft.txt; }
# run_weft DATA ARGUMENTS...
run_weft() {
  "$program" "$1" --units real --cutoff 10 --accuracy "$accuracy" --forces forces.csv "${@:2}" > weft.txt
}

for accuracy in 1e-4 1e-6; do
  for tilt in 0 6; do
    salt $tilt > salt.data
    lmp -in "$input" -var data salt.data -var accuracy $accuracy -log lmp.log > screen.txt 2>&1 ||
      fail "LAMMPS: $(tail -n 3 screen.txt)"
    read -r far close < <(sed -n '/^ *E_long/{n;p}' lmp.log)
    alpha=$(sed -n 's/.*G vector.*= //p' lmp.log) mesh=$(sed -n 's/^ *grid = //p' lmp.log)
    name="accuracy $accuracy, tilt $tilt"

    # With its division of the charges and its mesh every number is the same. What LAMMPS takes for
    # erfc is a formula with an error of 1.5e-7.
    run_weft salt.data --alpha "$alpha" --mesh "${mesh// /,}"
    near "$name, E_long" "$(energy E_long)" "$far" 1e-7
    near "$name, E_coul" "$(energy E_coul)" "$close" 3e-6
    [[ $(wc -l < forces.csv) = 513 ]] || fail "forces.csv has not 512 forces"
    paste -d, <(tail -n 512 forces.txt | tr ' ' ,) <(tail -n 512 forces.csv) | awk -F, -v name="$name" '
      { if ($1 != $5) exit 1; for (k = 2; k <= 4; ++k) { d += ($k - $(k + 4)) ^ 2; f += $k * $k } }
      END { d = sqrt(d / f); print name ", forces: relative difference " d; exit !(NR == 512 && d < 1e-6) }' ||
      fail "forces"

    # What weft chooses by itself: the sum is the same to the accuracy.
    run_weft salt.data
    near "$name, sum" "$(energy sum)" "$(awk "BEGIN { printf \"%.10f\", $far + $close }")" $accuracy
  done
done
