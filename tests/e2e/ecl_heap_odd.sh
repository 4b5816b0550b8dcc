#!/bin/sh
# Snapshots of unusual programs: unreadable memory, very many mappings, non-local exits out of collections.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cp "$src/tests/ecl/heap-odd.lisp" .
returns "compile" 0 "$ecl" --norc --load "$top/lisp/mprof.fas" --eval '(progn (compile-file "heap-odd.lisp") (ext:quit 0))'

# odd KIND OPTION...: makes the snapshot KIND.heap, tests status and output, and sets $objects to its number of objects.
odd()
{
    kind=$1
    shift
    rm -f "$kind.heap"*
    run "$ecl" --norc --load "$top/lisp/mprof.fas" --shell heap-odd.fas -- "$kind" "$tmp/$kind.heap" "$@"
    is "$kind $*: status and output" "$status $(grep -v '^;' out | tr '\n' ' ')" \
        "0 $([ "$kind" != thrown ] || echo 'some thrown ')1000 kept "
    objects=$("$mprof" heap --json "$kind.heap" | jq '.heaps[0].objects')
}

odd plain :gc t
plain=$objects
at_least "plain: objects" "${plain:-0}" 10000
for how in "" ":gc t" ":fork nil"; do
    for kind in shorter many thrown; do
        # shellcheck disable=SC2086
        odd $kind $how
        within "$kind $how: objects" "${objects:-0}" $((plain * 95 / 100)) $((plain * 105 / 100))
    done
done
plan
# SPDX-License-Identifier: MIT
