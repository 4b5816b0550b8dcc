#!/bin/sh
# A program that unmaps or protects the monitor's memory goes on as without the monitor, and one line says that the
# recording ends.
. "${srcdir:-.}/tests/e2e/lib.sh"

line='^mprof: .*/data: the program made memory of mprof inaccessible: recording stopped, the program goes on$'

# goes_on HOW WHAT: records the program `seized HOW WHAT`, and returns whether it ends as without mprof.
goes_on()
{
    rm -f data*
    profile data "$programs/seized" "$1" "$2"
    [ "$status $(cat out)" = "7 done" ]
}

for how in none read execute raw-none raw-read unmap raw-unmap move reserve; do
    for what in file anonymous all; do
        ok "$how, $what: the program goes on" goes_on $how $what
        is "$how, $what: it is said, in one line" "$(grep -c "$line" err) $(wc -l <err)" "1 1"
    done
done
for what in file anonymous all; do
    for how in dontneed remove over write; do
        ok "$how, $what: the program goes on" goes_on $how $what
    done
done

# Makes each of the monitor's mappings inaccessible alone, because the first of several would end the recording.
profile data "$programs/seized" none list
n=$(head -n 1 out)
at_least "the monitor has mappings" "$n" 20
for how in none read; do
    bad=
    for what in $(seq 0 $((n - 1))); do
        goes_on $how "$what" || bad="$bad $what"
    done
    is "$how: each mapping alone" "$bad" ""
done

# Other ways of recording.
for option in SAMPLE=100 UNWINDER=fp UNWINDER=libunwind LIFETIMES=1; do
    ok "$option: the program goes on" eval "MPROF_$option goes_on read anonymous"
done
run "$mprof" run -o data "$programs/seized" read file
has "the summary says it" err '^mprof:   recording stopped early: the program made memory of mprof inaccessible'
returns "what was recorded before can be read" 0 "$mprof" report data
plan
# SPDX-License-Identifier: MIT
