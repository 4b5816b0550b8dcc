#!/bin/sh
# SIGBUS and SIGSEGV, which the monitor handles: a program that uses them itself sees the same as without mprof.
. "${srcdir:-.}/tests/e2e/lib.sh"

for case in 'caught bus' 'caught segv' 'onstack bus' 'onstack segv' 'once bus' 'once segv' masks 'sent bus' 'sent segv' \
    'fault bus' 'fault segv' 'raise bus' 'raise segv' 'ignored bus' 'ignored segv' 'blocked bus' 'blocked segv' \
    'exec bus' 'exec segv' overflow functions; do
    # shellcheck disable=SC2086
    run "$programs/signals" $case
    mv out bare.out
    bare_status=$status
    # shellcheck disable=SC2086
    profile s.data "$programs/signals" $case
    is "$case: status $bare_status" "$status" "$bare_status"
    ok "$case: what the program sees" diff bare.out out
done
is "a core's signal is its own" "$(sh -c '"$0" fault segv; kill -l $?' "$programs/signals" 2>/dev/null)" SEGV

# Programs inherit from a shell the signal masks and actions that they would without mprof. Some shells block all
# signals while they start a program.
cat >inherits.sh <<'END'
show() { sed -n '/^Sig[BIC]/p' /proc/self/status; }
show
show | cat
(show; true)
show & wait
echo "$(show)"
trap '' SEGV USR1; show
trap - SEGV USR1; show
trap 'echo caught' SEGV BUS USR1; show
kill -USR1 $$; kill -SEGV $$
sh -c 'kill -SEGV $$'; echo $?
sed -n '/^Sig[BIC]/p' /proc/self/status; :
END
for shell in dash bash zsh; do
    if ! need $shell; then
        skip "$shell" "$missing"
        continue
    fi
    $shell inherits.sh >bare.out 2>bare.err
    is "$shell: without mprof" "$?" 0
    "$mprof" run -q -o s.data $shell inherits.sh >out 2>err
    ok "$shell: its programs inherit the same" diff bare.out out
    # In a profiled program, the kernel sees the monitor's actions.
    "$mprof" run -q -f -o s.data $shell inherits.sh 2>err | grep SigBlk >out
    ok "$shell, followed: its programs inherit the same mask" sh -c 'grep SigBlk bare.out | diff - out'
done
plan
# SPDX-License-Identifier: MIT
