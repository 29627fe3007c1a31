#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks on three simulated hosts: network namespaces, each with its own name, address, shared memory
# and virtual cable to a bridge. mpiexec starts ranks on them as it would through ssh. MPI sees three
# nodes, and messages between them go over TCP.
# Arguments: WEFT MPI_TEST MPIEXEC WORK_FOLDER
# Exit code 77, "skipped", if the system does not allow namespaces.
set -euo pipefail

# Everything, including processes, is in nested namespaces, so nothing remains after the script.
if [[ ${WEFT_INSIDE:-} != yes ]]; then
  command -v ip > /dev/null || { echo "skipped: there is no ip (iproute2)"; exit 77; }
  namespaces=(--mount --net --uts --ipc --pid --fork --kill-child --mount-proc)
  if [[ $(id -u) -ne 0 ]]; then namespaces+=(--user --map-root-user); fi
  if ! problem=$(unshare "${namespaces[@]}" ip link add hosts type bridge 2>&1); then
    echo "skipped: no namespaces for us here: $problem"
    exit 77
  fi
  WEFT_INSIDE=yes exec unshare "${namespaces[@]}" "$0" "$@"
fi

weft=$1 mpi_test=$2 mpiexec=$3 work=$4
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export XDG_CACHE_HOME=$work

start_host() {
  local name=$1 address=$2
  echo "$address $name" >> hosts
  unshare --net --uts --ipc --mount sh -c "
    hostname $name && mount -t tmpfs tmpfs /dev/shm && echo \$\$ > $name && exec sleep infinity" &
  until [[ -s $name ]]; do sleep 0.05; done
  local pid
  pid=$(< "$name")
  ip link add "to_$name" type veth peer name eth0 netns "$pid"
  ip link set "to_$name" master hosts up
  on "$name" sh -c "ip link set lo up && ip address add $address/24 dev eth0 && ip link set eth0 up"
}
on() {
  local pid
  pid=$(< "$work/$1")
  shift
  nsenter --target "$pid" --net --uts --ipc --mount "$@"
}

echo '127.0.0.1 localhost' > hosts
mount --bind hosts /etc/hosts  # in our mount namespace only
ip link set lo up
ip link add hosts type bridge
ip link set hosts up
for i in 1 2 3; do start_host "loom$i" "10.73.0.$i"; done

# In the place of ssh: OPTIONS HOST COMMAND...
cat > launch <<'LAUNCH'
#!/usr/bin/env bash
while [[ $1 == -* ]]; do shift; done
pid=$(< "$(dirname "$0")/$1")
shift
exec nsenter --target "$pid" --net --uts --ipc --mount sh -c "$*"
LAUNCH
chmod +x launch

run() {  # on four ranks, two of them on one host
  if [[ $mpiexec == *openmpi* ]]; then
    set -- --mca plm_rsh_agent "$work/launch" --mca mpi_yield_when_idle 1 \
      --host loom1:2,loom2:1,loom3:1 --bind-to none "$@"
  else
    set -- -launcher ssh -launcher-exec "$work/launch" -hosts loom1:2,loom2:1,loom3:1 "$@"
  fi
  on loom1 timeout -k 5 240 "$mpiexec" -n 4 "$@"
}

test "$(run hostname | sort | uniq -c | awk '{ print $1 $2 }' | xargs)" = '2loom1 1loom2 1loom3'

# weft sees them: what needs shared memory between hosts is refused.
if run "$weft" bench mpi --sizes 8x8x8 --no-fftw --exchange shared > shared.txt 2> error.txt; then
  echo "shared memory between hosts?" >&2
  exit 1
fi
grep -q 'the ranks are on several nodes' error.txt

for exchange in node_aware all_to_all all_to_all_v point_to_point pipelined; do
  run "$weft" bench mpi --sizes 24x20x18 --precisions f64 --rounds 1 --no-fftw \
    --exchange "$exchange" > bench.txt
  test "$(grep -c "by $exchange" bench.txt)" -eq 4
done

/usr/bin/python3 -c '
import numpy as np
rng = np.random.default_rng(3)
np.save("in.npy", rng.standard_normal((31, 20, 24)) + 1j * rng.standard_normal((31, 20, 24)))'
run "$weft" fft "$work/in.npy" "$work/out.npy"  # hosts start in /
/usr/bin/python3 -c '
import numpy as np
a, b = np.load("out.npy"), np.fft.fftn(np.load("in.npy"))
assert np.linalg.norm(a - b) < 1e-13 * np.linalg.norm(b)'

# Random problems, and errors, as on one host.
run "$mpi_test" --hosts --cases=60
