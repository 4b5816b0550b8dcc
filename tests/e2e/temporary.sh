#!/bin/sh
# Temporary allocations, that is, blocks that their own thread freed before its next allocation, counted independently
# from a log of the calls that reached the allocator.
. "${srcdir:-.}/tests/e2e/log_lib.sh"

# by_log: prints allocations, frees and temporary allocations from the log.
by_log()
{
    od -An -v -w32 -tu8 events | awk '$1 == 0 { exit }
        $2 == 1 { allocs++; owner[$3] = $1; last[$1] = $3 }
        $2 == 0 && $3 in owner { frees++; temporary += owner[$3] == $1 && last[$1] == $3
                                 delete owner[$3] }
        END { print allocs + 0, frees + 0, temporary + 0 }'
}

# check NAME COMMAND...: compares mprof's number of COMMAND's temporary blocks with that in the log, and tests that the
# number is large enough.
check()
{
    case $1 in
    temp) least=1000 ;;
    widgets) least=0 ;;
    sqlite3 | perl) least=10 ;;
    *) least=100 ;;
    esac
    name=$1
    shift
    logged "$name" temporary.data "$@" || return
    logged=$(by_log)
    at_least "$name: enough to compare" "${logged##* }" "$least"
    is "$name: allocations, frees, temporary" \
        "$(total allocs temporary.data) $(total frees temporary.data) $(total temporary temporary.data)" "$logged"
}

check temp "$programs/temp"
each_program check
plan
# SPDX-License-Identifier: MIT
