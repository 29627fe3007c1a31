#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-gauge on small lattices: plaquettes, gauge fixing, ranks, resumption, refusals.
source "$(dirname "$0")/support.sh" "$@"

# At strong coupling the plaquette is that of one SU(3) matrix with the same weight, up to its fifth
# power: 0.06013 at beta = 1 by Weyl's integral.
"$program" --lattice 4,4,4,4 --beta 1 --sweeps 400 --thermalization 20 --expect 0.06013 --fix none --no-files
# At beta = 6 a program with Metropolis' method, and nothing in common with this one, has 0.59695 +- 0.0002 on
# 4^4 sites; large lattices have 0.5937, with which small ones are not compared.
"$program" --lattice 4,4,4,4 --sweeps 1500 --expect 0.59695 --fix none --no-files
"$program" --lattice 4,4,4,4 --sweeps 20 --fix none --no-files > uncompared.txt
grep -q "not compared with 0.5937" uncompared.txt || fail "compared: $(cat uncompared.txt)"
"$program" --lattice 4,6,4,8 --beta 6 --sweeps 120 --thermalization 60 --start hot --prefix small
for file in small_plaquette.svg small_action.png small_film.html small_fixing.svg; do
  [[ -s $file ]] || fail "no $file"
done

# Any number of ranks makes the same field to the last bit.
plaquette() { "$program" --lattice 4,6,4,4 --sweeps 4 --fix none --no-files "$@" | grep "last sweep"; }
alone=$(plaquette)
[[ $alone = *0.6* || $alone = *0.7* ]] || fail "$alone"
"$program" --lattice 4,6,4,4 --sweeps 4 --fix none --no-files --checkpoint one.weft --checkpoint-steps 4 > one.txt
for ranks in 2 6 12; do
  "$program" --lattice 4,6,4,4 --sweeps 4 --fix none --no-files --checkpoint many.weft --checkpoint-steps 4 \
    --ranks $ranks > many.txt
  # The plaquettes in the file are sums over ranks and may differ in the last bit; the links may not.
  cmp <(tail -c +4177 one.weft) <(tail -c +4177 many.weft) || fail "$ranks ranks"
done
"$program" --lattice 4,6,4,4 --sweeps 4 --fix fourier --no-files --ranks 3

says_memory_limit --lattice 4,4,4,4 --sweeps 2 --fix fourier --no-files --ranks 2
resumes_to_the_same_bits 3 --lattice 4,4,4,4 --sweeps 8 --fix none --no-files --ranks 2
ends_on_ctrl_c --lattice 4,4,4,4 --sweeps 10000000 --no-files
refuses "must be even" --lattice 4,4,4,5
refuses "takes four extents" --lattice 4,4,4
refuses "does not fit 9 ranks" --lattice 2,2,2,2 --ranks 9
refuses "4 would fit" --lattice 4,6,4,4 --ranks 5
refuses "needs less than 0.125" --step 0.2
refuses "another beta" --lattice 4,4,4,4 --sweeps 10000000 --beta 5 --resume interrupted.weft
