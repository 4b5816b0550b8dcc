#!/bin/sh
# SIGBUS and SIGSEGV, which the monitor handles: a program that uses them itself sees the same as without mprof.
. "${srcdir:-.}/tests/e2e/lib.sh"

for case in 'caught bus' 'caught segv' 'onstack bus' 'onstack segv' 'once bus' 'once segv' masks 'sent bus' 'sent segv' \
    'fault bus' 'fault segv' 'raise bus' 'raise segv' 'ignored bus' 'ignored segv' 'blocked bus' 'blocked segv' \
    'exec bus' 'exec segv' overflow; do
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
plan
