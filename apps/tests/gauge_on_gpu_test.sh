#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-gauge --device cuda, with a stand-in for the driver that runs kernels on this host. STAND_IN is
# the third argument.
source "$(dirname "$0")/support.sh" "$@"

CUDA_VISIBLE_DEVICES='' refuses "--device cuda: .*leave --device out" --lattice 4,4,4,4 --device cuda
on_stand_in "$3"
refuses "runs on one GPU" --lattice 4,4,4,4 --device cuda --ranks 2

# The same iterations to the same theta.
fixed() { "$program" --lattice 4,6,4,4 --sweeps 4 --fix fourier --no-files "$@" | grep -E "^Fourier acceleration:|plaquette of"; }
on_cpu=$(fixed) on_gpu=$(fixed --device cuda)
[[ -n $on_cpu && $on_cpu = "$on_gpu" ]] || fail "$on_cpu on CPUs, $on_gpu on the GPU"
says_memory_limit --lattice 4,4,4,4 --sweeps 2 --fix fourier --no-files --device cuda
