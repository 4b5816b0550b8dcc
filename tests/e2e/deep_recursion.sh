#!/bin/sh
# Recursion 200,000 frames deep: chains are whole, nothing is counted for stale words on the stack, and the work for
# an allocation does not grow with the depth.
. "${srcdir:-.}/tests/e2e/lib.sh"

MPROF_CHECK=2
MPROF_CHECK_FILE=$tmp/check
export MPROF_CHECK MPROF_CHECK_FILE

# calls NAME FILE: prints the number of allocations with the function NAME on their chain.
calls()
{
    "$mprof" report --table=graph -v "$2" |
        awk -v name="$1" '/^\[/ && $NF == name { sub(/.*\|/, ""); sub(/\/.*/, ""); print $1 }'
}

# dives FILE: prints the number of chains on which dive allocates, and the sum of their lengths. mprof export -F
# chains writes long chains as numbered parts.
dives()
{
    "$mprof" export -F chains "$1" | awk '{
        chain = $8
        name = ""
        if (match(chain, /^@[0-9]+=/)) {
            name = substr(chain, 1, RLENGTH - 1)
            chain = substr(chain, RLENGTH + 1)
        }
        n = split(chain, functions, ";")
        if (functions[1] ~ /^@[0-9]+$/) {
            if (!(functions[1] in functions_of))
                exit 1
            n += functions_of[functions[1]] - 1
        }
        if (name != "")
            functions_of[name] = n
        else if (functions[split(chain, functions, ";")] == "dive") {
            chains++
            sum += n
        }
    }
    END { printf "%.0f %.0f\n", chains, sum }'
}

# abyss DEPTH ROUNDS: records and checks tests/programs/abyss.c.
abyss()
{
    what="$1 frames$setting"
    rm -f abyss.data check
    profile "$tmp/abyss.data" "$programs/abyss" "$1" "$2"
    is "$what: status" "$status" 0
    cp out printed
    for name in dive left right waver; do
        is "$what: $name" "$(calls $name abyss.data)" "$(expected $name printed)"
    done
    at_least "$what: chains are whole" "$(total depth abyss.data)" $(($1 + 3))
    is "$what: none is cut" "$(total cut abyss.data)" 0
    is "$what: none is dropped" "$(total dropped abyss.data)" 0

    # Each frame allocates, so there are DEPTH chains, with 1 to DEPTH calls of dive below work.
    is "$what: chains of dump" "$(dives abyss.data)" "$1 $(($1 * ($1 + 1) / 2 + $1))"
}

setting=
abyss 200000 10
# There is a chain for each frame, up to 200,000 frames long. To write or compare them frame by frame would take 20,000
# million steps, so mprof writes the chains in one pass.
"$mprof" export -F chains abyss.data >dumped
at_most "bytes of dump for each frame" $(($(wc -c <dumped) / 200000)) 1000
if timeout 120 "$mprof" report --table=leaks --chain=all -v --no-pager abyss.data >leaks; then
    has "report with whole chains" leaks '^No leaks: every block was freed'
else
    fail "report with whole chains"
fi

if grep -q rdtscp /proc/cpuinfo 2>/dev/null; then
    # To compare all frames of all chains would take 20,000 million steps.
    at_least "deep chains were met" "$(awk '{ print $2 }' check)" 190000
    at_most "frames compared for each, on average" "$(awk '{ print int($4 / $2) }' check)" 10000

    # On a slow machine, where the counter of the processor was of no use lately, mprof does not read it for each chain.
    rm check
    profile "$tmp/deep.data" "$programs/deep" 10000 300 900
    at_least "chains of some more than 256 frames are deep" "$(awk '{ print $2 }' check)" 500
else
    skip "frames compared for each, chains of some more than 256 frames" "this processor has no counter for it"
fi

# A coroutine with deep chains records objects of a pool, and the program allocates on another stack in between.
unset MPROF_CHECK MPROF_CHECK_FILE
profile "$tmp/two.data" "$programs/two_stacks"
is "two stacks: status" "$status" 0
is "two stacks: left" "$(calls left two.data)" "$(expected left out)"
is "two stacks: right" "$(calls right two.data)" "$(expected right out)"

# The time stamp counter is not read in a program that would be killed for it.
for how in prctl syscall strict seccomp; do
    for when in '' early; do
        what="no counter, $how${when:+, $when}"
        # shellcheck disable=SC2086     # none if it is empty
        run "$programs/no_clock" $how $when
        if [ "$status" -ne 0 ]; then
            skip "$what" "this kernel or this machine does not forbid it: status $status"
            continue
        fi
        rm -f clock.data
        # shellcheck disable=SC2086
        profile "$tmp/clock.data" "$programs/no_clock" $how $when
        is "$what: status" "$status" 0
        is "$what: left" "$(calls left clock.data)" "$(expected left out)"
        is "$what: right" "$(calls right clock.data)" "$(expected right out)"
    done
done
MPROF_CHECK=2
MPROF_CHECK_FILE=$tmp/check
export MPROF_CHECK MPROF_CHECK_FILE

# For deep chains, the monitor relies on a slow change of the outer end. With MPROF_DEEP, it does so for shallow chains.
MPROF_DEEP=16
export MPROF_DEEP
setting=", deep from 16 on"
for depth in 20 100 700; do
    abyss $depth 1000
    profile "$tmp/plunge.data" "$programs/plunge" $depth 1000
    cp out printed
    for name in left right; do
        is "$depth calls at once: $name" "$(calls $name plunge.data)" "$(expected $name printed)"
    done
done
plan
# SPDX-License-Identifier: MIT
