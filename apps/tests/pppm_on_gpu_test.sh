#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weft-pppm --device cuda, with a stand-in for the driver that runs kernels on this host. STAND_IN is
# the third argument.
source "$(dirname "$0")/support.sh" "$@"

CUDA_VISIBLE_DEVICES='' refuses "--device cuda: .*leave --device out" --random 10 --device cuda
on_stand_in "$3"
refuses "runs on one GPU" --random 10 --device cuda --ranks 2

# Energies and forces are those of the CPU to ten digits, in a triclinic box, both ways.
energies() { "$program" "$@" | sed -n 's/^E_coul *\([-0-9.]*\) *E_long *\([-0-9.]*\).*/\1 \2/p'; }
for way in ik analytic; do
  run="--random 50 --tilt 0.3 --mesh 12,15,16 --alpha 1.1 --differentiation $way"
  # shellcheck disable=SC2086
  on_cpu=$(energies $run --forces cpu.csv) on_gpu=$(energies $run --forces gpu.csv --device cuda)
  [[ -n $on_cpu && $on_cpu = "$on_gpu" ]] || fail "$way: $on_cpu on CPUs, $on_gpu on the GPU"
  cmp <(sed -E 's/([0-9]\.[0-9]{6})[0-9]*/\1/g' cpu.csv) <(sed -E 's/([0-9]\.[0-9]{6})[0-9]*/\1/g' gpu.csv) || fail "$way: other forces"
done
"$program" --random 60 --compare --accuracy 1e-5 --device cuda
"$program" --crystal zns --primitive --accuracy 1e-9 --order 7 --device cuda --pictures
[[ -s pppm_potential.png ]] || fail "no picture"
says_memory_limit --random 50 --mesh 16 --device cuda
