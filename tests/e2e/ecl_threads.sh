#!/bin/sh
# Chains of a thread that Lisp created begin with the thread's name, also if threads are interrupted.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled threads
cat >late.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(load "threads.fas")
(mprof:start-profiling :file "late.mprof")
(all)
(mprof:stop-profiling)
(mprof:start-profiling :file "again.mprof")
(all)
(mprof:stop-profiling)
END

# conses TEXT FILE COUNT CHAIN: tests how many conses were made by chains that end with CHAIN, ignoring LIST.
conses()
{
    is "$1" "$(lisp_table "$2" | awk -F'\t' -v chain="$4" '
        $1 ~ / CONS$/ { sub(/(;DOTIMES)?;LIST$/, "", $2) }
        $1 ~ / CONS$/ && $2 == chain { split($1, number, " "); sum += number[1] }
        END { print sum + 0 }')" "$3"
}

# all_of FILE: makes the tests of all threads.
all_of()
{
    conses "two threads of one name, one after the other" "$1" 220 'thread worker 1;WORK'
    conses "another at the same time" "$1" 40 'thread worker 2;WORK'
    conses "a symbol" "$1" 200 'thread READER;WORK'
    conses "NIL" "$1" 200 'thread NIL;WORK'
    conses "not ASCII" "$1" 200 'thread größer;WORK'
    is "conses in all" "$(objects CONS WORK "$1")" $((220 + 40 + 3 * 200 + 2000))
    lisp_table "$1" >table
    hasnt "the main thread has no such name" table 'thread .*;ALL;WORK'
}

printf '(load "threads.fas")\n(all)\n' >run.lisp
LC_ALL=C.UTF-8 lisp threads.mprof run.lisp
is "status" "$status" 0
all_of threads.mprof
frames=c
lisp_table threads.mprof >table
hasnt "C names: no threads' names" table 'thread worker'
has "C names: what they do" table 'work'
frames=all
lisp_table threads.mprof >table
has "all names: a thread's name, then what it does" table '	thread worker 1;[^;]*;.*WORK'
frames=lisp
"$mprof" report --lisp --table=graph --verbose threads.mprof >report
ok "the call graph has threads" grep -qE ' \[[0-9]+\] +thread worker 2$' report

"$mprof" report --lisp --table=function-types --verbose '--thread=^worker 2$' threads.mprof >report
has "one thread, by its name" report '^ *640 +\([0-9]+\) +40 .* CONS +WORK$'

# The chains in the live file are right, too, and equal libunwind's.
LC_ALL=C.UTF-8 MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check LD_PRELOAD=$library MPROF_FILE=$tmp/threads.live \
    "$ecl" --norc --shell run.lisp >"$tmp/out" 2>&1 </dev/null
is "checked: status" "$?" 0
all_of threads.live
is "chains that differ from libunwind's" "$(awk '$1 == "checked" { n += $4 } END { print n "" }' check)" 0

# libunwind unwinds each chain completely.
LC_ALL=C.UTF-8 MPROF_UNWINDER=libunwind lisp unwound.mprof run.lisp
is "libunwind: status" "$status" 0
all_of unwound.mprof

# Recorded by the program itself, twice in one process.
LC_ALL=C.UTF-8 MPROF_MODULE=$top/lisp/mprof.fas "$ecl" --norc --shell late.lisp >"$tmp/out" 2>&1 </dev/null
is "recorded from within: status" "$?" 0
all_of late.mprof
all_of again.mprof
# Interrupts run Lisp in a signal handler, also inside of the monitor.
ok "compile" compiled interrupts
printf '(load "interrupts.fas")\n(all)\n' >run.lisp
"$ecl" --norc --shell run.lisp >native 2>&1 </dev/null
native=$?
if [ $native -eq 0 ]; then
    lisp interrupts.mprof run.lisp
    is "interrupts: status" "$status" 0
    is "interrupts: conses of what they run" "$(objects CONS INTERRUPTED interrupts.mprof)" 100000
    is "interrupts: conses of what they interrupt" \
        "$(lisp_table interrupts.mprof | awk -F'\t' '
            $1 ~ / CONS$/ && $2 ~ /(^|;)WORK$/ { split($1, number, " "); sum += number[1] }
            END { print sum + 0 }')" "$(($(sed -n 's/^rounds //p' out) * 1000))"
    is "interrupts: nothing is missing" \
        "$(total dropped interrupts.mprof) $(total unseen-frees interrupts.mprof)" "0 0"
    at_least "interrupts: some came while the monitor was at work" "$(total nested interrupts.mprof)" 100
else
    skip "interrupts" "this ECL does not survive them without mprof: status $native"
fi

plan
# SPDX-License-Identifier: MIT
