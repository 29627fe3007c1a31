#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# FFTW's own test program on weft's libraries, outside the tree:
#   fftw_bench.sh SOURCE LIBRARIES SCRATCH [RANDOM_ROUNDS [CHECKS]]
# SOURCE is FFTW's source (its folders libbench2, tests and mpi; release 3.3.11 or its repository),
# LIBRARIES the folder of weft's libfftw3.so.3. Its programs are built in SCRATCH against weft's
# headers, without the hook that looks into FFTW's planner. Prints the number of checks that ran within
# $LIMIT seconds (1200) and of failures; CHECKS is a pattern of their names (else all; the lists with 100
# rounds or more). With no rounds (0) it only builds bench and benchf, for scripts/fftw_speed: these run on
# FFTW 3.3.10 too.
set -euo pipefail
source=$(realpath "$1") libraries=$(realpath "$2") scratch=$3 rounds=${4:-20} only=${5:-*} limit=${LIMIT:-1200}
headers=$(cd "$(dirname "$0")/../../dropins/fftw/include" && pwd)
polite_waiting=$(cd "$(dirname "$0")/../mpi" && pwd)/polite_waiting.cpp
mkdir -p "$scratch/include/api" && cd "$scratch"
cp "$headers"/*.h include/ && cp "$headers/fftw3.h" include/api/
ln -sfn "$source/libbench2" include/libbench2
ln -sfn "$source/tests" include/tests
for name in ALLOCA_H DECL_DRAND48 DECL_SRAND48 DRAND48 DECL_POSIX_MEMALIGN POSIX_MEMALIGN MALLOC_H GETTIMEOFDAY \
  ISNAN SNPRINTF STDDEF_H STDLIB_H SYS_TIME_H UNISTD_H THREADS; do
  echo "#define HAVE_$name 1"
done > include/config.h
for type in INT:4 LONG:8 PTRDIFF_T:8 SIZE_T:8 LONG_LONG:8; do
  echo "#define SIZEOF_${type%:*} ${type#*:}"
done >> include/config.h
echo 'void install_hook(void) {} void uninstall_hook(void) {}' > hook.c
export LD_LIBRARY_PATH=$libraries
old_fftw=()
# With BENCH_PROCESSOR_TIME set, bench reads the processor time in place of the clock: other programs do
# not lengthen it. It is the right one for one thread only.
if [[ $rounds == 0 ]]; then
  cat >> hook.c << END
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
int gettimeofday(struct timeval *now, void *zone) {
  struct timespec t;
  (void)zone;
  clock_gettime(getenv("BENCH_PROCESSOR_TIME") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_REALTIME, &t);
  now->tv_sec = t.tv_sec;
  now->tv_usec = t.tv_nsec / 1000;
  return 0;
}
END
fi
# FFTW 3.3.10 has no copies of plans: the first destruction is then that of a copy.
if [[ $rounds == 0 ]]; then
  for letter in "" f; do
    old_fftw+=("-Dfftw${letter}_copy_plan=copy$letter" "-Dfftw${letter}_destroy_plan=destroy$letter")
    cat >> hook.c << END
#undef fftw${letter}_destroy_plan
extern void fftw${letter}_destroy_plan(void *) __attribute__((weak));
static int copies$letter;
void *copy$letter(void *plan) { ++copies$letter; return plan; }
void destroy$letter(void *plan) { if (copies$letter) --copies$letter; else fftw${letter}_destroy_plan(plan); }
END
  done
fi

# build COMPILER DEFINITION LETTER MAIN PROGRAM [LIBRARIES...]
build() {
  local compiler=$1 definition=$2 letter=$3 main=$4 program=$5
  local flags=(-O1 -fPIC -w "-I$PWD/include" -D_GNU_SOURCE -include config.h "${old_fftw[@]}" ${definition:+"-D$definition"})
  mkdir -p "objects_$program" && (cd "objects_$program" &&
    "$compiler" "${flags[@]}" -c "$source"/libbench2/*.c && ar rcs libbench2.a ./*.o)
  "$compiler" "${flags[@]}" "$main" "$source/tests/fftw-bench.c" hook.c "objects_$program/libbench2.a" \
    -L"$libraries" "${@:6}" -Wl,--no-as-needed "-lfftw3${letter}_threads" "-lfftw3$letter" -lm -lpthread -o "$program"
}
# check NAME PROGRAM OPTIONS...: counts the lines that say how large the errors of one problem are
check() {
  local name=$1 program=$2 late="" status=0
  # shellcheck disable=SC2053
  [[ $name == $only ]] || return 0
  timeout "$limit" perl "$source/tests/check.pl" -k -v "${@:3}" "$program" > "$name.log" 2>&1 || status=$?
  if [[ $status == 124 ]]; then late=", not done in $limit s"; fi
  printf '%-28s %6d checks, %d failures%s\n' "$name" "$(grep -cE '^[^ E]\S* \S+ \S+ \S+$' "$name.log")" \
    "$(grep -cE '^FAILED|Assert|error' "$name.log")" "$late"
}

build gcc "" "" "$source/tests/bench.c" bench
build gcc BENCHFFT_SINGLE f "$source/tests/bench.c" benchf
if [[ $rounds == 0 ]]; then exit; fi
check double_random ./bench --estimate -r "-c=$rounds"
check double_measured ./bench -r -c=3
check double_threads ./bench --estimate --nthreads=3 -r "-c=$rounds"
check double_callback ./bench --estimate --nthreads=2 --threads_callback -r "-c=$rounds"
check double_wisdom ./bench --estimate --validate-wisdom -r "-c=$rounds"
check float_random ./benchf --estimate -r "-c=$rounds"
# MPICH spins while it waits, with more ranks than cores for the next time slice.
g++ -std=c++20 -O1 -shared -fPIC "$polite_waiting" -ldl -o polite_waiting.so
for mpi in openmpi mpich; do
  [[ -e $libraries/$mpi && -n $(command -v "mpicc.$mpi") ]] || continue
  cp "$source/mpi/mpi-bench.c" . # beside FFTW's fftw3-mpi.h it would take that
  build "mpicc.$mpi" "" "" mpi-bench.c "bench_$mpi" "-L$libraries/$mpi" -lfftw3_mpi
  launch="mpiexec.mpich -env LD_PRELOAD $PWD/polite_waiting.so"
  if [[ $mpi == openmpi ]]; then
    launch="mpiexec.openmpi --oversubscribe --bind-to none"
  fi
  for ranks in 1 2 3 4 7; do
    LD_LIBRARY_PATH=$libraries/$mpi:$libraries \
      check "${mpi}_$ranks" "$launch -n $ranks ./bench_$mpi" --estimate --mpi -r "-c=$rounds" --maxsize=4000
  done
done
if [[ $rounds -ge 100 ]]; then check double_lists ./bench --estimate -0d -1d -2d; fi
