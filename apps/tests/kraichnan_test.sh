#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-kraichnan at small sizes: exponents, ranks, resumption, refusals.
source "$(dirname "$0")/support.sh" "$@"

# xi = 1.5 has few steps in a turnover time; the sampling error of this seed is part of the result.
"$program" --size 512 --xi 1.5 --turnovers 8 --spin-up 2 --spread 0.35 --prefix smooth
for file in smooth_structure.svg smooth_scalar.png smooth_film.html; do
  [[ -s $file ]] || fail "no $file"
done

# Any number of ranks, in transposed or in natural order, gives the same numbers to twelve digits.
variance() {
  "$program" --size 90 --xi 1 --spread 0.05 --steps 12 --no-files --no-checks "$@" |
    sed -n 's/^variance of the scalar \([0-9.]\{14\}\).*/\1/p'
}
alone=$(variance)
[[ -n $alone && $alone = $(variance --ranks 3) ]] || fail "3 ranks"
[[ $alone = $(variance --ranks 2 --natural-order) ]] || fail "natural order"

resumes_to_the_same_bits 7 --size 64 --xi 0.7 --steps 20 --samples-every 2 --no-files --no-checks
ends_on_ctrl_c --size 64 --xi 1 --steps 10000000 --no-files
refuses "between 0 and 2" --xi 2
refuses "at most 0.5" --spread 3
refuses "use at most" --size 64 --ranks 16
refuses "another xi" --size 64 --xi 0.9 --steps 10000000 --resume interrupted.weft
