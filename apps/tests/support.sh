# SPDX-License-Identifier: BSD-3-Clause
# For the tests of the programs: PROGRAM FOLDER are their arguments.
set -euo pipefail
program=$(realpath "$1")
rm -rf "$2" && mkdir -p "$2" && cd "$2"

fail() { echo "FAILED: $*" >&2; exit 1; }
# refuses TEXT ARGUMENTS...: the program ends with exit code 2 and says TEXT.
refuses() {
  local text=$1 code=0; shift
  "$program" "$@" > refused.txt 2>&1 || code=$?
  [[ $code = 2 ]] || fail "$*: exit code $code"
  grep -q -- "$text" refused.txt || fail "$*: does not say '$text': $(cat refused.txt)"
}
# resumes_to_the_same_bits STEPS ARGUMENTS...: stopped after STEPS and resumed, the last checkpoint is
# the same, byte by byte, as that of a run without a stop.
resumes_to_the_same_bits() {
  local steps=$1; shift
  "$program" "$@" --checkpoint whole.weft --checkpoint-steps 100000 > whole.txt
  "$program" "$@" --checkpoint half.weft --stop-after "$steps" > half.txt
  grep -q "go on with --resume" half.txt || fail "did not stop: $(cat half.txt)"
  "$program" "$@" --resume half.weft --checkpoint again.weft --checkpoint-steps 100000 > again.txt
  cmp whole.weft again.weft || fail "another state after a resumption"
}
# says_memory_limit ARGUMENTS...: the last line says how far from the memory limit it ran, and its numbers
# fit together.
says_memory_limit() {
  "$program" "$@" | tail -n 1 | awk '
    { count = 0
      for (i = 1; i <= NF; ++i) if ($i ~ /^[0-9.]+(e[-+]?[0-9]+)?$/) number[++count] = $i }
    /^memory limit: / && / times the memory limit$/ {
      # seconds, passes, size, GB/s, limit, ratio
      ratio = number[1] / number[5] / number[6]
      found = count == 6 && number[2] > 0 && number[4] > 0 && ratio > 0.99 && ratio < 1.01 }
    { line = $0 }
    END { if (!found) { print "no memory limit: " line; exit 1 } }' || fail "$*"
}
# ends_on_ctrl_c ARGUMENTS...: a long run ends with exit code 130 and a checkpoint.
ends_on_ctrl_c() {
  local code=0
  "$program" "$@" --checkpoint interrupted.weft > interrupted.txt 2>&1 &
  local process=$!
  for _ in $(seq 200); do [[ -s interrupted.txt ]] && break; sleep 0.05; done
  kill -INT $process
  wait $process || code=$?
  [[ $code = 130 ]] || fail "exit code $code after Ctrl-C: $(cat interrupted.txt)"
  [[ -s interrupted.weft ]] || fail "no checkpoint after Ctrl-C"
}
# on_stand_in LIBRARY: from here on programs find a driver that runs kernels on the host.
on_stand_in() {
  export LD_LIBRARY_PATH="$(dirname "$1")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" WEFT_NVRTC=$1 WEFT_CUDA_CACHE=off
}
