# shellcheck shell=sh disable=SC2154
# (the variables come from lib.sh)
#
# oracle_lib.sh -- tests that compare allocations, frees and bytes with valgrind's "total heap usage". A script sources
# this file instead of lib.sh.

# Addresses are not random, because python makes numbers from them, which are longer above 2^30, so that an
# interpreter's allocations would differ from run to run.
if [ -z "${SAME_ADDRESSES-}" ] && setarch -R true 2>/dev/null; then
    SAME_ADDRESSES=yes exec setarch -R sh "$0" "$@"
fi

. "${srcdir:-.}/tests/e2e/lib.sh"

# Valgrind adds environment variables, and perl and python copy them to the heap. For these programs, the difference
# of two runs is compared, in which the environment cancels out.

# Python keeps the names of the files in the current directory, so nothing is written there.
mkdir "$tmp/work"
cd "$tmp/work" || exit 99
valgrind_flags="--run-libc-freeres=no --run-cxx-freeres=no"

PERL_HASH_SEED=0
PERL_PERTURB_KEYS=0
PYTHONHASHSEED=0
PYTHONMALLOC=malloc
export PERL_HASH_SEED PERL_PERTURB_KEYS PYTHONHASHSEED PYTHONMALLOC

# by_valgrind COMMAND...: prints "allocs frees bytes".
by_valgrind()
{
    # shellcheck disable=SC2086
    ${also:+env LD_PRELOAD=$also} valgrind $valgrind_flags --log-file="$tmp/valgrind.log" "$@" >/dev/null 2>&1 </dev/null
    sed -n 's/,//g; s/.*total heap usage: \([0-9]*\) allocs \([0-9]*\) frees \([0-9]*\) bytes.*/\1 \2 \3/p' \
        "$tmp/valgrind.log"
}

# by_mprof COMMAND...: prints the same from a recording.
by_mprof()
{
    profile "$tmp/oracle.data" "$@"
    echo "$(total allocs "$tmp/oracle.data") $(total frees "$tmp/oracle.data") \
$(total bytes "$tmp/oracle.data")"
}

difference()
{
    echo "$1 $2" | awk 'NF == 6 { print $4 - $1, $5 - $2, $6 - $3; found = 1 }
        END { if (!found) print "not-a-number" }'
}

# bare NAME COMMAND...: tests that output and status with mprof are those without it.
bare()
{
    name=$1
    shift
    # shellcheck disable=SC2086
    run ${also:+env LD_PRELOAD=$also} "$@"
    mv "$tmp/out" "$tmp/bare.out"
    mv "$tmp/err" "$tmp/bare.err"
    bare_status=$status
    profile "$tmp/oracle.data" "$@"
    is "$name: status" "$status" "$bare_status"
    ok "$name: output" cmp "$tmp/out" "$tmp/bare.out"
    ok "$name: errors" cmp "$tmp/err" "$tmp/bare.err"
}

# compare NAME LEAST COMMAND...: compares the numbers, which must have at least LEAST allocations: what the task needs
# in any version of the program, one for each row, item or key.
compare()
{
    name=$1
    least=$2
    shift 2
    if ! need "$1" valgrind; then
        skip "$name" "$missing"
        return
    fi
    bare "$name" "$@"
    numbers=$(by_mprof "$@")
    at_least "$name: enough to compare" "${numbers%% *}" "$least"
    is "$name: allocations, frees, bytes" "$numbers" "$(by_valgrind "$@")"
}

# compare_script NAME LEAST SMALL LARGE COMMAND...: compares the difference of two runs, whose last arguments are
# SMALL and LARGE.
compare_script()
{
    name=$1
    least=$2
    small=$3
    large=$4
    shift 4
    if ! need "$1" valgrind; then
        skip "$name" "$missing"
        return
    fi
    bare "$name" "$@" "$large"
    if [ -z "${SAME_ADDRESSES-}" ]; then
        skip "$name: allocations, frees, bytes" "setarch -R is not allowed here: its counts do not repeat"
        return
    fi
    ours=$(difference "$(by_mprof "$@" "$small")" "$(by_mprof "$@" "$large")")
    theirs=$(difference "$(by_valgrind "$@" "$small")" "$(by_valgrind "$@" "$large")")
    at_least "$name: enough to compare" "${ours%% *}" "$least"
    is "$name: allocations, frees, bytes" "$ours" "$theirs"
}
# SPDX-License-Identifier: MIT
