#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-kraichnan --device cuda, with a stand-in for the driver that runs kernels on this host: the
# same numbers as on CPUs. STAND_IN is the third argument.
source "$(dirname "$0")/support.sh" "$@"

CUDA_VISIBLE_DEVICES='' refuses "--device cuda: .*leave --device out" --size 64 --device cuda
on_stand_in "$3"
refuses "runs on one GPU" --size 64 --device cuda --ranks 2
refuses "is of ranks" --size 64 --device cuda --natural-order

# Samples and variance to twelve digits.
short="--size 90 --xi 1.2 --spread 0.05 --steps 12 --samples-every 2 --no-checks"
numbers() { "$program" $short --no-files "$@" | grep -E '^(variance|[0-9]+ samples|fits|check)' | sed -E 's/([0-9]\.[0-9]{12})[0-9]*/\1/g'; }
on_cpu=$(numbers) on_gpu=$(numbers --device cuda)
[[ -n $on_cpu && $on_cpu = "$on_gpu" ]] || fail "$on_cpu on CPUs, $on_gpu on the GPU"
"$program" $short --prefix cpu > cpu.txt
"$program" $short --prefix gpu --device cuda > gpu.txt
cmp cpu_scalar.png gpu_scalar.png || fail "another picture"

says_memory_limit --size 32 --bench-steps 3 --device cuda
resumes_to_the_same_bits 7 --size 48 --xi 0.7 --steps 20 --samples-every 2 --no-files --no-checks --device cuda
ends_on_ctrl_c --size 48 --xi 1 --steps 10000000 --no-files --device cuda
