#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-pppm checks itself against Madelung's constants and direct Ewald sums; this runs it in its ways.
source "$(dirname "$0")/support.sh" "$@"

for name in nacl cscl zns; do
  "$program" --crystal $name --accuracy 1e-10 --order 7
  "$program" --crystal $name --accuracy 1e-10 --order 7 --primitive  # a triclinic box
done
"$program" --crystal nacl --cells 2 --accuracy 1e-9 --order 8 --differentiation analytic --ranks 3
"$program" --random 200 --compare --accuracy 1e-5
"$program" --random 200 --tilt 0.3 --compare --accuracy 1e-5 --differentiation analytic --seed 2
"$program" --random 60 --tilt -0.2 --compare --accuracy 1e-7 --order 9 --cutoff 4 --ranks 2
"$program" --random 50 --compare --mesh 15,14,21 --order 4 --alpha 1.1  # odd extents
"$program" --random 40 --compare --accuracy 1e-3 --ranks 7 --mesh 6 --order 3 --pictures  # one rank is idle
[[ -s pppm_potential.png ]] || fail "no picture"

says_memory_limit --random 50 --mesh 16
says_memory_limit --random 50 --mesh 16 --ranks 2

# The rock salt cell as a data file, in both styles, with the box elsewhere and atoms outside of it.
cat > salt.data <<'END'
rock salt

8 atoms
2 atom types

-1.0 1.0 xlo xhi
0.0 2.0 ylo yhi
0.0 2.0 zlo zhi

Atoms # charge

1 1 1.0 -1.0 0.0 0.0
2 1 1.0 -1.0 1.0 1.0
3 1 1.0 0.0 0.0 1.0
4 1 1.0 0.0 1.0 0.0
5 2 -1.0 0.0 1.0 1.0
6 2 -1.0 0.0 0.0 2.0
7 2 -1.0 -1.0 1.0 0.0
8 2 -1.0 1.0 0.0 1.0

Velocities

1 0 0 0
END
sed '/^[1-8] [12] /s/ / 1 /; s/# charge/# full/' salt.data > full.data
energy() { "$program" "$@" --accuracy 1e-10 --order 7 | sed -n 's/.* sum \(-[0-9.]\{11\}\).*/\1/p'; }
[[ $(energy salt.data) = -6.990258378 ]] || fail "energy $(energy salt.data)"
[[ $(energy full.data) = -6.990258378 ]] || fail "energy $(energy full.data)"
[[ $(energy salt.data --units real) = -2321.2111* ]] || fail "energy $(energy salt.data --units real)"
"$program" salt.data --forces forces.csv > /dev/null
[[ $(wc -l < forces.csv) = 9 ]] || fail "forces"

refuses "it says 9 atoms and has 8" <(sed 's/^8 atoms/9 atoms/; /^Velocities/,$d' salt.data)
refuses "no section Atoms" <(head -n 5 salt.data)
refuses "cannot read nothing.data" nothing.data
refuses "too small for --order 7" --random 10 --mesh 4 --order 7
refuses "no mesh reaches" --crystal nacl --accuracy 1e-14 --order 2
refuses "give a data file, or" --cutoff 2
refuses "choose 2 to 10" --crystal nacl --order 11 --mesh 16
