#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# FFTW's own test program on weft's libraries, outside the tree:
#   fftw_bench.sh SOURCE LIBRARIES SCRATCH [RANDOM_ROUNDS]
# SOURCE is FFTW's source (its folders libbench2, tests and mpi; release 3.3.11 or its repository),
# LIBRARIES the folder of weft's libfftw3.so.3. Its programs are built in SCRATCH against weft's
# headers, without the hook that looks into FFTW's planner. Prints the number of checks; with no rounds
# (0) it only builds bench and benchf, for scripts/fftw_speed: these run on FFTW 3.3.10 too.
set -euo pipefail
source=$(realpath "$1") libraries=$(realpath "$2") scratch=$3 rounds=${4:-20}
headers=$(cd "$(dirname "$0")/../../dropins/fftw/include" && pwd)
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
  local name=$1 program=$2
  perl "$source/tests/check.pl" -k -v "${@:3}" "$program" > "$name.log" 2>&1 || true
  printf '%-28s %6d checks, %d failures\n' "$name" "$(grep -cE '^[^ E]\S* \S+ \S+ \S+$' "$name.log")" \
    "$(grep -cE '^FAILED|Assert|error' "$name.log")"
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
for mpi in openmpi mpich; do
  [[ -e $libraries/$mpi && -n $(command -v "mpicc.$mpi") ]] || continue
  build "mpicc.$mpi" "" "" "$source/mpi/mpi-bench.c" "bench_$mpi" "-L$libraries/$mpi" -lfftw3_mpi
  for ranks in 1 2 3 4 7; do
    launch="mpiexec.$mpi -n $ranks"
    if [[ $mpi == openmpi ]]; then launch+=" --oversubscribe"; fi
    LD_LIBRARY_PATH=$libraries/$mpi:$libraries \
      check "${mpi}_$ranks" "$launch ./bench_$mpi" --estimate --mpi -r "-c=$rounds" --maxsize=4000
  done
done
if [[ $rounds -ge 100 ]]; then check double_lists ./bench --estimate -0d -1d -2d; fi
