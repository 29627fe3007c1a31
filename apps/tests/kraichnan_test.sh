#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-kraichnan at small sizes: exponents, ranks, resumption, refusals.
source "$(dirname "$0")/support.sh" "$@"

# xi = 1.5 has the fewest steps in a turnover time.
"$program" --size 512 --xi 1.5 --prefix smooth
for file in smooth_structure.svg smooth_scalar.png smooth_film.html; do
  [[ -s $file ]] || fail "no $file"
done

# Films as MP4 where ffmpeg is; a word about it where it is not.
if command -v ffmpeg > /dev/null; then
  "$program" --size 48 --steps 40 --samples-every 4 --no-checks --film mp4 --prefix short > mp4.txt
  ffmpeg -i short_film.mp4 > film.txt 2>&1 || true  # says what it is, and that no output is named
  grep -q "Video: h264.* 480x480" film.txt || fail "no film: $(cat film.txt)"
  [[ ! -e short_film.mp4.part && ! -e short_film.mp4.pictures ]] || fail "left over: $(ls)"
fi
no_ffmpeg=$(PATH=/nowhere "$program" --size 48 --steps 4 --film mp4 2>&1) && fail "a film without ffmpeg"
[[ $no_ffmpeg = *"needs ffmpeg"* ]] || fail "$no_ffmpeg"

# Any number of ranks, in transposed or in natural order, gives the same numbers to twelve digits.
variance() {
  "$program" --size 90 --xi 1 --spread 0.05 --steps 12 --no-files --no-checks "$@" |
    sed -n 's/^variance of the scalar \([0-9.]\{14\}\).*/\1/p'
}
alone=$(variance)
[[ -n $alone && $alone = $(variance --ranks 3) ]] || fail "3 ranks"
[[ $alone = $(variance --ranks 2 --natural-order) ]] || fail "natural order"

"$program" --size 96 --spread 0.05 --bench-steps 3 --ranks 2 > bench.txt
grep -q "steps per second" bench.txt || fail "no bench"
says_memory_limit --size 64 --bench-steps 3
resumes_to_the_same_bits 7 --size 64 --xi 0.7 --steps 20 --samples-every 2 --no-files --no-checks
ends_on_ctrl_c --size 64 --xi 1 --steps 10000000 --no-files
refuses "between 0 and 2" --xi 2
refuses "at most 0.5" --spread 3
refuses "use at most" --size 64 --ranks 16
refuses "another xi" --size 64 --xi 0.9 --steps 10000000 --resume interrupted.weft
