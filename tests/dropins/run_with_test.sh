#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft run-with: run_with_test.sh TOOL PROGRAM; PROGRAM was linked to libfftw3.
set -euo pipefail
tool=$1 program=$2
fail() { echo "$1" >&2; exit 1; }

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
