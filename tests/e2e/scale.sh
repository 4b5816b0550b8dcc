#!/bin/sh
# Large scale: very many contexts, very many live blocks, many threads that free each other's blocks. The recorded
# figures are those that the program counted itself, before and after sealing. CONTEXTS, LIVE, PASSED and THREADS are
# the numbers; make scale takes larger ones.
. "${srcdir:-.}/tests/e2e/lib.sh"

contexts=${CONTEXTS:-100000}
live=${LIVE:-1000000}
passed=${PASSED:-1000000}
threads=${THREADS:-64}

# room KIB: returns whether KIB KiB of memory, and of disk space for the live file, are free. Sets $missing to the
# reason if not.
room()
{
    memory=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
    disk=$(df -Pk . | awk 'END { print $4 }')
    missing="needs $1 KiB; $memory of memory and $disk of disk are free"
    [ "$memory" -ge "$1" ] && [ "$disk" -ge "$1" ]
}

# both COMMAND...: makes live.data in one run and sealed.data in another; the program's output is in printed.
both()
{
    profile live.data "$@"
    is "$what: runs" "$status" 0
    mv out printed
    returns "$what: runs and is sealed" 0 "$mprof" run -q -o sealed.data "$@"
    ok "$what: says the same" cmp out printed
    for name in dropped cut foreign-frees unseen-frees; do
        is "$what: $name" "$(total $name live.data) $(total $name sealed.data)" "0 0"
    done
}

# agree FUNCTION: tests that the recorded figures of FUNCTION are those that the program printed.
agree()
{
    for form in live sealed; do
        is "$what, $form: allocations, bytes, frees, freed" "$(books self "$1" $form.data | cut -d' ' -f1-4)" \
            "$(expected allocs printed) $(expected bytes printed) $(expected frees printed) $(expected freed printed)"
        run "$mprof" report --table=direct $form.data
        has "$what, $form: the table of direct allocation" out \
            "\\| +$(expected allocs printed) $1\$"
    done
}

what="$contexts contexts"
if room $((contexts / 2 + 100000)); then
    both "$programs/contexts" "$contexts"
    agree at_end
    for form in live sealed; do
        is "$what, $form: the peak" "$(total peak $form.data)" "$(expected peak printed)"
        is "$what, $form: chains that keep 2 blocks, and none" \
            "$("$mprof" export -F chains $form.data | awk '$8 ~ /;at_end$/ { n[$1 " " $3]++ }
                END { print n["2 0"], n["2 2"], length(n) }')" \
            "$(((contexts + 7) / 8)) $((contexts - (contexts + 7) / 8)) 2"
    done
else
    skip "$what" "$missing"
fi

what="$live blocks"
if room $((live / 10 + 100000)); then
    both "$programs/live_blocks" "$live"
    agree make_block
    for form in live sealed; do
        is "$what, $form: blocks at the peak" "$(total peak-blocks $form.data)" "$live"
        is "$what, $form: bytes at the peak" "$(total peak $form.data)" "$(expected peak printed)"
        is "$what, $form: kept" "$(total kept-blocks $form.data)" $((live / 2))
    done
else
    skip "$what" "$missing"
fi

what="$threads threads"
both "$programs/handover" "$passed" "$threads"
agree make_block
for form in live sealed; do
    is "$what, $form: threads" "$(total threads $form.data)" $((threads + 1))
done
plan
# SPDX-License-Identifier: MIT
