# shellcheck shell=sh disable=SC2154
# (the variables come from lib.sh)
#
# chains_lib.sh -- tests that compare every chain with libunwind's, at every allocation (the library's checking mode). Most
# of the time is spent in libunwind, which makes six system calls for each frame. A script sources this file instead of
# lib.sh.
. "${srcdir:-.}/tests/e2e/lib.sh"

PYTHONMALLOC=malloc
export PYTHONMALLOC
cut=none

# The first allocations may come before libunwind is initialised.
early=2

# chains NAME LEAST DEPTH COMMAND...: compares the chain of each allocation of COMMAND. There must be at least LEAST
# allocations (what the program needs in any version: one for each row or key), with DEPTH frames or more on average;
# no chain may differ or be cut.
chains()
{
    name=$1
    least=$2
    depth=$3
    shift 3
    if ! need "$1"; then
        skip "$name" "$missing"
        return
    fi
    rm -f check chains.data*
    MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=$tmp/chains.data \
        "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    is "$name: status" "$?" 0
    [ -f check ] || : >check
    grep -v '^checked' check | sed 's/^/# /' | head -20
    # shellcheck disable=SC2046
    set -- $(awk '$1 == "checked" { checked += $2; wrong += $4; frames += $6 }
        END { print checked + 0, wrong + 0, frames + 0 }' check)
    at_least "$name: enough to compare" "$1" "$least"
    at_least "$name: all chains are checked" "$1" $(($(total allocs chains.data) - early))
    is "$name: mismatches" "$2" 0
    at_least "$name: frames checked" "$3" $(($1 * depth))
    [ "$cut" = any ] || is "$name: chains cut" "$(total cut chains.data)" 0
}
# SPDX-License-Identifier: MIT
