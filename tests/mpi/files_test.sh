#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# `weft fft` under mpiexec treats its output as it does alone: links, pipes, streams, permissions,
# signals.
# Arguments: WEFT MPIEXEC WORK_FOLDER
set -euo pipefail
weft=$1 mpiexec=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export XDG_CONFIG_HOME=$work WEFT_WISDOM=$work/wisdom.json
options=(-n 3)
if [[ $mpiexec == *openmpi* ]]; then options+=(--oversubscribe); fi
run() { timeout 60 "$mpiexec" "${options[@]}" "$@"; }

failures=0
fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}
same() { cmp "$1" "$2" >&2 || fail "$3"; }
no_leftovers() {
  if find . -name '*weft-*' -o -name '*.part' | grep .; then fail "$1 leaves a temporary file"; fi
}
# refused WORDS ARGUMENTS: exit code 2 and one line of weft's.
refused() {
  local words=$1 code=0
  shift
  run "$weft" "$@" > out.txt 2> error.txt || code=$?
  [[ $code -eq 2 && $(grep -c '^weft:' error.txt) -eq 1 ]] && grep -q -- "$words" error.txt ||
    fail "weft $* ends with $code: $(cat error.txt)"
  no_leftovers "weft $*"
}

/usr/bin/python3 -c '
import numpy as np
rng = np.random.default_rng(7)
np.save("x.npy", rng.standard_normal((30, 20)))
np.save("many.npy", rng.standard_normal((2,) * 9))
np.save("large.npy", rng.standard_normal((128, 128, 64)))'
run "$weft" fft x.npy good.npy --quiet

ln -s real.npy link.npy
for what in missing present; do
  run "$weft" fft x.npy link.npy --quiet
  [[ -L link.npy ]] || { fail "a link to a $what file is replaced"; ln -sf real.npy link.npy; }
  same real.npy good.npy "the file behind the link"
done

mkfifo pipe
timeout 20 cat pipe > piped & reader=$!
run "$weft" fft x.npy pipe --quiet
wait "$reader" || fail "nothing came through the pipe"
[[ -p pipe ]] || fail "a pipe is replaced"
same piped good.npy "the content of the pipe"

echo before > appended
run "$weft" fft x.npy /dev/stdout >> appended || fail "/dev/stdout"
same <(tail -c +8 appended) good.npy "what is appended"

echo old > kept.npy
chmod 444 kept.npy
refused 'permissions' fft x.npy kept.npy
[[ $(cat kept.npy) == old ]] || fail "a read-only file is replaced"
mkdir folder
refused 'not a folder' fft x.npy folder
refused 'not a regular file' fft pipe out.npy
refused 'many.npy has 9 dimensions' fft many.npy out.npy
if mknod full c 1 7 2> note.txt; then
  refused 'disk is full' fft x.npy full
  [[ -c full ]] || fail "a device is replaced"
fi
refused 'check the name' fft x.npy out.npy --json=nowhere/report.json

long=$(printf 'y%.0s' {1..250})
run "$weft" fft x.npy "$long" --quiet && same "$long" good.npy "the file with a long name"
touch mode.npy
chmod 640 mode.npy
(umask 077 && run "$weft" fft x.npy private.npy --quiet)
run "$weft" fft x.npy mode.npy --quiet
[[ $(stat -c %a mode.npy private.npy | paste -s -d ' ') == "640 600" ]] ||
  fail "permissions are $(stat -c %a mode.npy private.npy | paste -s -d ' ')"

# The temporary file is there before the work, which takes seconds here, and goes with it.
rm -f out.npy
for signal in TERM INT; do
  # In a job of its own: a shell that is no terminal's starts background work with INT ignored.
  /usr/bin/python3 - "$signal" "$mpiexec" "${options[@]}" "$weft" fft large.npy out.npy --quiet \
      --effort patient --no-wisdom 2> error.txt <<'PYTHON' || fail "SIG$signal: $(cat error.txt)"
import glob, signal, subprocess, sys, time
command = subprocess.Popen(sys.argv[2:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
try:
    end = time.time() + 20
    while not glob.glob(".weft-*"):
        assert command.poll() is None and time.time() < end, "no temporary file"
        time.sleep(0.01)
    command.send_signal(getattr(signal, "SIG" + sys.argv[1]))
    # Its status and what it forwards of the ranks' messages are the launcher's own matter.
    command.wait(20)
finally:
    command.kill()
PYTHON
  # The launcher may end before the ranks do.
  for ((i = 0; i < 100; ++i)); do compgen -G '.weft-*' > note.txt || break; sleep 0.1; done
  [[ ! -e out.npy ]] || fail "SIG$signal leaves an output"
  no_leftovers "SIG$signal"
  rm -f out.npy .weft-*
done
exit "$failures"
