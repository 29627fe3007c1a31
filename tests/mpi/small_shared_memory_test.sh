#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# small_shared_memory_test.sh MPI_TEST MPIEXEC: transforms 128 MiB with a /dev/shm of 64 MiB, as
# in most containers. Needs the right to mount; without it, exits with 77 (skipped).
set -eu
export MPI_TEST="$1" MPIEXEC="$2"
unshare -m true 2>/dev/null || { echo "skipped: no right to mount a small /dev/shm"; exit 77; }
exec unshare -m sh -euc '
  mount -t tmpfs -o size=64m tmpfs /dev/shm || exit 77
  "$MPIEXEC" -n 2 "$MPI_TEST" --gtest_filter=MpiFailures.LargeArraysDoNotNeedALargeDevShm
'
