#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# fetches_ahead.sh LIBRARY: compilers may leave prefetches out (base/prefetch.hpp). The functions that
# hide memory behind arithmetic must still have them. Exit code 77: skipped.
set -euo pipefail
case $(uname -m) in x86_64) ;; *) exit 77 ;; esac
command -v objdump > /dev/null || exit 77
fetching=$(objdump -d --no-show-raw-insn "$1" | awk '/>:$/ { f = $2 } /prefetch/ { print f }' | sort -u)
for class in LanePlan FourStepEngine ReadAheadEngine; do
  grep -q "$class" <<< "$fetching" || { echo "no prefetch instruction in $class" >&2; exit 1; }
done
