#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft run-with: run_with_test.sh TOOL PROGRAM; PROGRAM was linked to libfftw3. run_with_test.sh TOOL
# --cufft PROGRAM: the program is cufft_test, with a stand-in for cuFFT.
set -euo pipefail
tool=$1 program=$2
fail() { echo "$1" >&2; exit 1; }

if [[ $program == --cufft ]]; then
  text=$("$tool" run-with -- "$3" --gtest_filter='*ForTheReport' 2>&1) || fail "$text"
  row() { grep -A "$1" -E "^ +$2 +[0-9.]+  GPU $3\$" <<< "$text" || fail "no row '$3': $text"; }
  row 1 5 'float c2c backward 4:6:6x6:1:1 of 3:24:24' | grep -q 'output: f32 backward; piece'
  row 2 2 'double r2c 10:1:1' | grep -q '1 of these calls are not in the time: captured'
  row 1 1 'double r2c 10:1:1' | grep -q 'not on weft; cuFFT: the program calls cufftXtSetCallback'
  text=$("$tool" run-with --json -- "$3" --gtest_filter='*AreForCufft' 2> /dev/null | sed -n '/^{/,$p')
  grep -q '"instead": *"cuFFT: weft has no such types"' <<< "$text" || grep -q faster <<< "$text" ||
    fail "no reason why cuFFT does it: $text"
  exit
fi
text=$("$tool" run-with --json -- "$program" 2> /dev/null)
grep -q '"exit_status": *0' <<< "$text" || fail "the program's exit status is missing"
grep -q '"problem": *"c2c forward 5:1:1"' <<< "$text" || fail "a transform is missing: $text"
text=$("$tool" run-with -- "$program" 2>&1)
grep -q 'Transforms of the program on weft' <<< "$text" || fail "no table: $text"
status=0
"$tool" run-with -- sh -c 'exit 3' 2> /dev/null || status=$?
[[ $status == 3 ]] || fail "exit status $status is not the program's"
status=0
"$tool" run-with -- /no/such/program 2> /dev/null || status=$?
[[ $status == 127 ]] || fail "exit status $status of a program that is not there"
