#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-turbulence --device cuda, with a stand-in for the driver that runs kernels on this host: the
# same numbers as on CPUs. STAND_IN is the third argument.
source "$(dirname "$0")/support.sh" "$@"

# Without a GPU: one line, exit code 2.
CUDA_VISIBLE_DEVICES='' refuses "--device cuda: .*leave --device out" --size 12 --device cuda
[[ $(wc -l < refused.txt) = 1 ]] || fail "more than a line: $(cat refused.txt)"
refuses "f32 is for --device cuda" --size 12 --precision f32
on_stand_in "$3"
refuses "runs on one GPU" --size 12 --device cuda --ranks 2
refuses "must be at most" --size 32 --dt 1 --device cuda

# The checks of the program itself, and the CPU's numbers to twelve digits.
numbers() { "$program" --no-files "$@" | grep -E '^(energy|largest)' | sed -E 's/([0-9]\.[0-9]{12})[0-9]*/\1/g'; }
for flow in "--size 12 --end 0.5" "--size 17 --end 0.3 --start forced --reynolds 50 --dt 0.02" \
            "--size 16 --end 0.5 --start single-mode --reynolds 20"; do
  # shellcheck disable=SC2086
  on_cpu=$(numbers $flow) on_gpu=$(numbers $flow --device cuda)
  [[ -n $on_cpu && $on_cpu = "$on_gpu" ]] || fail "$flow: $on_cpu on CPUs, $on_gpu on the GPU"
done
"$program" --size 16 --end 0.5 --start single-mode --reynolds 20 --device cuda --precision f32 --no-files
"$program" --size 16 --end 0.5 --start forced --reynolds 50 --device cuda --precision f32 --no-files
"$program" --size 12 --device cuda --bench-steps 3 > bench.txt
grep -q "s per step, median of 3" bench.txt || fail "no bench"
says_memory_limit --size 12 --device cuda --bench-steps 3

# What is measured is kept, and used by the next run.
export WEFT_WISDOM=$PWD/wisdom.json
"$program" --size 8 --device cuda --effort measure --bench-steps 1 > measured.txt
[[ -s wisdom.json ]] || fail "no wisdom"
unset WEFT_WISDOM

# Pictures and the spectrum are those of the CPU.
"$program" --size 16 --end 0.5 --prefix cpu > cpu.txt
"$program" --size 16 --end 0.5 --prefix gpu --device cuda > gpu.txt
cmp cpu_vorticity.png gpu_vorticity.png || fail "another picture"
cmp cpu_spectrum.svg gpu_spectrum.svg || fail "another spectrum"

resumes_to_the_same_bits 5 --size 16 --end 1 --no-files --device cuda
resumes_to_the_same_bits 3 --size 12 --end 0.2 --dt 0.02 --start forced --reynolds 50 --no-files --device cuda --precision f32
# A checkpoint of a GPU goes on on CPUs.
"$program" --size 12 --end 0.5 --no-files --device cuda --checkpoint half.weft --stop-after 2 > half.txt
[[ $(numbers --size 12 --end 0.5) = $(numbers --size 12 --end 0.5 --resume half.weft) ]] || fail "CPUs go on elsewhere"
ends_on_ctrl_c --size 16 --end 1000 --no-files --device cuda
