#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tool under mpiexec: files against NumPy, traces, explanations, benchmarks, one error for all
# ranks.
# Arguments: WEFT MPIEXEC WORK_FOLDER
set -euo pipefail
weft=$1 mpiexec=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export XDG_CONFIG_HOME=$work
run() {
  local ranks=$1
  shift
  if [[ $mpiexec == *openmpi* ]]; then set -- --oversubscribe "$@"; fi
  timeout 120 "$mpiexec" -n "$ranks" "$@"
}

# Not through a pipe: grep would leave before the writer has finished, and the writer fail.
says() {
  local words=$1
  shift
  "$@" > said.txt
  grep -q -- "$words" said.txt
}

/usr/bin/python3 - <<'PYTHON'
import numpy as np
rng = np.random.default_rng(7)
np.save("real.npy", rng.standard_normal((9, 10, 11)).astype(np.float32))
np.save("complex.npy", np.asfortranarray(rng.standard_normal((7, 6, 5)) + 1j * rng.standard_normal((7, 6, 5))))
np.save("line.npy", rng.standard_normal(90000) + 1j * rng.standard_normal(90000))
np.save("batch.npy", rng.standard_normal((5, 1, 8)).astype(">f8"))
PYTHON
run 3 "$weft" fft --real real.npy real_out.npy
run 4 "$weft" fft complex.npy complex_out.npy
run 3 "$weft" fft line.npy line_out.npy
run 2 "$weft" fft --axes 2 batch.npy batch_out.npy
run 3 "$weft" fft --inverse --real --n 11 real_out.npy back.npy
/usr/bin/python3 - <<'PYTHON'
import numpy as np
def same(a, b, tolerance):
    assert a.shape == b.shape, (a.shape, b.shape)
    error = np.linalg.norm(a - b) / np.linalg.norm(b)
    assert error < tolerance, error
same(np.load("real_out.npy"), np.fft.rfftn(np.load("real.npy")), 1e-6)
same(np.load("complex_out.npy"), np.fft.fftn(np.load("complex.npy")), 1e-14)
assert np.load("complex_out.npy").flags.f_contiguous
same(np.load("batch_out.npy"), np.fft.fft(np.load("batch.npy"), axis=2), 1e-14)
same(np.load("line_out.npy"), np.fft.fft(np.load("line.npy")), 1e-14)
same(np.load("back.npy"), np.load("real.npy"), 1e-6)
PYTHON

run 2 "$weft" trace 16x16x16 --svg t.svg --output t.json
grep -q '<svg' t.svg
/usr/bin/python3 -c 'import json; t = json.load(open("t.json")); assert len([e for e in t["traceEvents"] if e["ph"] == "X"]) >= 4'
run 2 "$weft" explain 16x16x16 --ranks 2 > explained.txt
grep -q measured explained.txt
run 2 "$weft" bench mpi --sizes 16x16x16 --kinds c2c --precisions f64 --rounds 1 > bench.txt
grep -q 'recipe' bench.txt

run 2 "$weft" bench mpi --sizes 12x10x8 --precisions f64 --rounds 1 --no-fftw --layouts slabs,bricks,1x2x1:1x1x2 \
  --arrays own,distributed --json=arrays.json > bench.txt
/usr/bin/python3 -c 'import json; rows = json.load(open("arrays.json"))
assert len(rows) == 8 and all(len(row["plans"]) == 2 for row in rows)'
# Batches and real-to-real kinds: FFTW-MPI has the latter, and every row is checked.
run 2 "$weft" bench mpi --sizes 12x10x8,3*9x10x8 --kinds c2c,r2c,dct2,dst1 --precisions f64 --orders natural,transposed \
  --rounds 1 --fftw-effort estimate --layouts slabs,pencils,1x2x1:1x1x2 --json=kinds.json > bench.txt
/usr/bin/python3 - <<'PYTHON'
import json
rows = json.load(open("kinds.json"))
assert len(rows) == 2 * 4 * 4 and all(0 < row["error"] < 1e-13 for row in rows), rows
assert sum(row["row"].startswith("3*9x10x8 dct2") for row in rows) == 4
PYTHON
if [[ $mpiexec == *openmpi* ]] && ldconfig -p | grep libfftw3_mpi > /dev/null; then
  /usr/bin/python3 -c 'import json
assert all(row["fftw"] == "timed" for row in json.load(open("kinds.json")) if row["row"] == "12x10x8 dct2 f64 natural")'
fi
if run 2 "$weft" bench mpi --sizes 8x8x8 --kinds dct9 > bench.txt 2> error.txt; then exit 1; fi
grep -q "unknown r2r kind 'dct9'" error.txt
if run 2 "$weft" bench mpi --sizes 2*3*8x8x8 > bench.txt 2> error.txt; then exit 1; fi
if run 2 "$weft" bench mpi --sizes 8x8x8 --heffte "$work/no_heffte" > bench.txt 2> error.txt; then exit 1; fi
grep -q 'cannot load libheffte' error.txt
if run 2 "$weft" bench mpi --sizes 8x8x8 --layouts 3x1x1 > bench.txt 2> error.txt; then exit 1; fi
grep -q 'not a grid of 2 ranks' error.txt

# mpi4py-fft: one line where it is not to be had; where it is, it takes turns.
small=(bench mpi --sizes 8x8x8 --kinds r2c --precisions f64 --rounds 1 --fftw-effort estimate)
run 2 "$weft" "${small[@]}" --mpi4py "$work/no_python" > bench.txt 2> note.txt
test "$(grep -c '^mpi4py-fft cannot be used with' note.txt)" -eq 1
python=${WEFT_MPI4PY_PYTHON:-python3}
if [[ $mpiexec == *openmpi* ]] && "$python" -c 'import mpi4py_fft' 2> /dev/null; then
  run 2 "$weft" "${small[@]}" --mpi4py "$python" --json=bench.json > bench.txt 2> note.txt
  grep -q '^mpi4py-fft .* is timed in turns' note.txt
  /usr/bin/python3 -c 'import json; assert all(row["mpi4py_fft_s"] > 0 for row in json.load(open("bench.json")))'
fi

# Speeds of the network: assumed, then measured and kept, then found again without mpiexec.
export WEFT_WISDOM=$work/wisdom.json
says '^Speeds  *assumed' "$weft" explain 16x16x16 --ranks 3
run 3 "$weft" tune 16x16x16 --time-limit 1 > tuned.txt
grep -q '3 ranks: ' tuned.txt
says '^Speeds  *measured before, from wisdom' "$weft" explain 16x16x16 --ranks 3
says '^Speeds  *assumed' "$weft" explain 16x16x16 --ranks 3 --ranks-per-node 1
says '^Speeds  *measured now' run 3 "$weft" explain 16x16x16 --ranks 3
sed -i 's/latency_s [0-9.e+-]* /latency_s fast /' "$WEFT_WISDOM"
says '^Speeds  *assumed' "$weft" explain 16x16x16 --ranks 3
unset WEFT_WISDOM

# What is not for many ranks is said once.
test "$(run 3 "$weft" plan 64 | wc -l)" -eq 1

# GPU tests are for all ranks: without a GPU all of them are refused, in one line.
if ! ldconfig -p | grep libcuda.so.1 > /dev/null; then
  code=0
  run 3 "$weft" test-gpu > /dev/null 2> error.txt || code=$?
  test "$code" -eq 2
  test "$(grep -c '^weft: test-gpu needs' error.txt)" -eq 1
fi

for ranks in 1 2 3 4; do
  run "$ranks" "$weft" bench npb --class S > npb.txt
  grep -q '^ VERIFICATION SUCCESSFUL' npb.txt
done
run 3 "$weft" bench hpcc --size 2^10,2^11,2^13,2^16 > hpcc.txt
test "$(grep -c '^Success=1' hpcc.txt)" -eq 4
grep -q '^MPIFFT_Procs=3' hpcc.txt
run 2 "$weft" bench npb --class W --json=npb.json > npb.txt
grep -q '^ VERIFICATION SUCCESSFUL' npb.txt
/usr/bin/python3 -c 'import json; r = json.load(open("npb.json")); assert r["verified"] and r["ranks"] == 2 and len(r["checksums"]) == 6, r'
run 2 "$weft" bench global1d --sizes 2^12,1009 --rounds 1 --fftw-effort estimate --json=line.json > line.txt
/usr/bin/python3 -c 'import json; r = json.load(open("line.json")); assert len(r) == 8 and all(0 < x["error"] < (1e-13 if "f64" in x["row"] else 1e-5) for x in r), r'

# Two ways over the ranks of mpiexec; rank 0 alone reports.
run 3 "$weft" paper spiral --measure --points 9216,2304 --json=spiral.json > spiral.txt
test "$(grep -c '^The Global FFT' spiral.txt)" -eq 1
/usr/bin/python3 - <<'PYTHON'
import json
report = json.load(open("spiral.json"))
section = next(i for i in report["items"] if i["name"] == "Section 4")
assert "threads" not in section["answer"] and "ranks of" in section["answer"], section
rows = section["table"]["rows"]
assert [row[:2] for row in rows] == [["9216", "3"], ["2304", "3"]], rows
assert all(float(row[4]) > 0 for row in rows), rows
same = [r["weft"] for r in report["rows"] if r["id"] == "B5"]
assert len(same) == 2 and all(0 < s < 1e-14 for s in same), same
PYTHON

# Wrong checksums: a verdict, one line, exit code 1.
code=0
run 2 "$weft" bench npb --class S --seed 1 > npb.txt 2> error.txt || code=$?
test "$code" -eq 1
grep -q '^ VERIFICATION UNSUCCESSFUL' npb.txt
test "$(grep -c '^weft:' error.txt)" -eq 1

# Bad input: one line, exit code 2 on all ranks.
refused() {
  local words=$1 code=0
  shift
  run 2 "$weft" bench "$@" > /dev/null 2> error.txt || code=$?
  test "$code" -eq 2
  test "$(grep -c '^weft:' error.txt)" -eq 1
  grep -q -- "$words" error.txt
}
refused 'choose S, W, A, B or C' npb --class Z
refused 'needs' hpcc --size 2^45

code=0
run 3 "$weft" paper spiral --measure --points 4096 > /dev/null 2> error.txt || code=$?
test "$code" -eq 2
test "$(grep -c '^weft:' error.txt)" -eq 1
grep -q 'choose a multiple of 9' error.txt

# A missing file: one line, exit code 2, nothing left behind.
if run 3 "$weft" fft missing.npy out.npy 2> error.txt; then exit 1; fi
test "$(grep -c '^weft:' error.txt)" -eq 1
grep -q missing.npy error.txt
test ! -e out.npy
test -z "$(find . -name '*.part')"
