#!/bin/sh
# The C API, with the library and without it.
. "${srcdir:-.}/tests/e2e/lib.sh"

returns "without the library: status" 0 "$programs/api" unused.data
is "without the library: it runs" "$(cat out)" without

cat >wanted <<'END'
active 1
total +100000
current +100000
blocks: total +1000, current +1000
after free: total +100000
current +0
blocks: total +1000, current +0
peak above 1
peak reset 1
active 0
restart 0
active 1
END
profile first.data "$programs/api" second.data
is "status" "$status" 0
ok "what the calls return" diff wanted out
empty "nothing on stderr" err

counted=$(books self counted first.data)
is "first file: up to mprof_stop()" "${counted% * * *}" "1250 102000 1000 100000"
is "first file: nothing after it" \
    "$(books self uncounted first.data | cut -d' ' -f1) $(books self counted_again first.data | cut -d' ' -f1)" "0 0"
is "first file: pool" "$(books inclusive from_pool first.data | cut -d' ' -f1-4)" "10 1000 9 900"
returns "first file: report" 0 "$mprof" report first.data --no-pager
has "first file: the head says so" out '^Ended +recording was stopped$'

is "second file: only what came later" "$(books self counted_again second.data | cut -d' ' -f1,2)" \
    "70 2240"
is "second file: nothing before it" \
    "$(books self counted second.data | cut -d' ' -f1) $(books self uncounted second.data | cut -d' ' -f1)" "0 0"

# mprof_print_status() prints totals as text when it is called; MPROF_SUMMARY prints them at the end.
line='total 4000 bytes in 2 blocks, peak 4000 bytes, current 1000 bytes in 1 blocks'
profile meter.data "$programs/meter" status
is "mprof_print_status()" "$status $(cat err)" "0 mprof: parsed?: $line"
MPROF_SUMMARY=1 profile meter.data "$programs/meter"
is "MPROF_SUMMARY=1" "$status $(sed 's/([0-9]*)/(PID)/' err)" "0 mprof: meter (PID): $line"
MPROF_SUMMARY=summary.%e profile meter.data "$programs/meter"
is "MPROF_SUMMARY=FILE" "$status $(cat err) $(sed 's/([0-9]*)/(PID)/' summary.meter)" "0  mprof: meter (PID): $line"
MPROF_SUMMARY=summary.%e profile meter.data "$programs/meter"
is "... which lines are appended to" "$(wc -l <summary.meter)" 2
MPROF_SUMMARY=nowhere/file profile meter.data "$programs/meter"
is "... or cannot be" "$status $(cat err)" "0 mprof: nowhere/file: No such file or directory: no summary is written"

# MPROF_LOG writes a log of allocations and frees.
MPROF_LOG=log.%e MPROF_LOG_MIN=2000 profile meter.data "$programs/meter"
sed 's/0x[0-9a-f]*/0x/g; s|caller [^ ]*/|caller |' log.meter >log
is "MPROF_LOG" "$status $(tr '\n' ',' <log)" \
    "0 alloc 3000 0x current 4000 caller meter+0x,free 3000 0x current 1000 caller meter+0x,"
is "... by whom, as addr2line has it" "$(addr2line -f -e "$programs/meter" "$(sed -n '1s/.*+//p' log.meter)" | head -n 1)" main
is "... and what is recorded is the same" "$(total allocs meter.data) $(total bytes meter.data)" "2 4000"
MPROF_LOG=all MPROF_LIFETIMES=1 profile meter.data "$programs/meter" callback
is "... of all blocks" "$status $(grep -c ^alloc all) $(grep -c ^free all)" "0 $(total allocs meter.data) $(total frees meter.data)"

# mprof_set_callback() calls a function when the live bytes have changed.
profile meter.data "$programs/meter" callback
is "mprof_set_callback()" "$status $(tail -n 3 out | tr '\n' ',') $(cat err)" "0 one 1 0,several 1,none 0, "
is "... each step counts, however small" "$(sed -n 1p out)" "steps 2000 2000 2000 666 400"
is "... also with a second thread" "$(sed -n 2p out)" "steps 2000 2000 2000 666 400"
is "... what it allocates is recorded" "$(books self changed meter.data | cut -d' ' -f1,3 | awk '{ print ($1 > 100 && $1 == $2) }')" 1
for unwinder in rules libunwind; do
    MPROF_UNWINDER=$unwinder MPROF_CHECK=1 MPROF_CHECK_FILE=$tmp/check profile meter.data "$programs/meter" callback
    at_least "... by its caller ($unwinder)" \
        "$("$mprof" export -F chains meter.data | grep -c '[	;]up_and_down;changed$')" 1
    is "... without our frames between ($unwinder)" "$(own_frames meter.data)" ""
    has "... as in libunwind's chains ($unwinder)" check ' mismatches 0 '
done

# mprof_stack_usage() measures the depth of the stack between two points.
profile meter.data "$programs/meter" stack
is "mprof_stack_usage()" "$status $(tr '\n' ',' <out)" "0 main 1 1 1,thread 1 1 1,elsewhere 0,kept 1,"
(ulimit -s unlimited && profile meter.data "$programs/meter" stack)
has "... of a stack without limit" out '^main 1 1 1$'

# In a sampled recording, allocated blocks and bytes are exact; live ones are estimates.
MPROF_SAMPLE=4K
export MPROF_SAMPLE
profile sampled.data "$programs/api" sampled-2.data
unset MPROF_SAMPLE
is "sampled: status" "$status" 0
is "sampled: allocated in all" "$(grep -c '^blocks: total +1000, ' out)" 2
now=$(sed -n 's/^blocks: .* current +//p' out | head -n 1)
within "sampled: some blocks seem to live" "$now" 1 10000
is "sampled: and none when they are freed" "$(sed -n 's/^blocks: .* current +//p' out | tail -n 1)" 0

# mprof run finds the second recording, and seals it too.
run "$mprof" run -o first.data "$programs/api" second.data
has "mprof run: the summary has the second file" err '^mprof: 1 more recording:$'
has "mprof run: by its name" err '^mprof:   api  second\.data '
for file in first.data second.data; do
    is "mprof run: $file is sealed" "$(head -c 8 $file)" MPROFDAT
done
is "mprof run: what the second file holds" "$(books self counted_again second.data | cut -d' ' -f1,2)" \
    "70 2240"

# fails ERRNO FILE REASON: tests that mprof_restart(FILE) returns ERRNO and prints one line with REASON, and that the
# next mprof_restart() works.
fails()
{
    rm -f second.data
    profile first.data "$programs/api" "$2"
    is "restart, $3: status" "$status" 0
    is "restart, $3: errno" "$(awk '$1 == "restart" { print $2 }' out)" "$1"
    is "restart, $3: nothing is recorded" "$(tail -n 1 out)" "active 0"
    is "restart, $3: one line" "$(grep -c '^mprof: ' err) $(wc -l <err)" "1 1"
    has "restart, $3: says so" err "^mprof: .*$3"
    is "restart, $3: what came before is there" "$(books self counted first.data | cut -d' ' -f1)" 1250
    profile first.data "$programs/api" "$2" second.data
    is "restart, $3: another file: returned" "$(awk '$1 == "restart" { print $2 }' out | tail -n 1)" 0
    is "restart, $3: another file: recorded" \
        "$(books self counted_again second.data | cut -d' ' -f1,2)" "70 2240"
}
fails 2 /does/not/exist/x.data "No such file or directory"
fails 20 first.data/x.data "Not a directory"
echo "these are notes" >notes.txt
fails 17 notes.txt "exists and is not an mprof data file"
is "restart: notes are left alone" "$(cat notes.txt)" "these are notes"
# Only the caller of mprof_stop() waits for the disk. set_mprof_autosave() writes the file after as many allocations
# as requested.
if ! need strace; then
    skip "mprof_stop() waits for the disk alone, set_mprof_autosave()" "$missing"
elif ! strace -o trace -e trace=fdatasync true 2>/dev/null; then
    skip "mprof_stop() waits for the disk alone, set_mprof_autosave()" "strace may not trace"
else
    run strace -f -o trace -e trace=fdatasync -e inject=fdatasync:delay_enter=2s \
        env LD_PRELOAD="$library" MPROF_FILE=first.data "$programs/pushed"
    is "mprof_stop() waits for the disk alone: status" "$status" 0
    is "mprof_stop() waits for the disk alone" "$(cat out)" "meanwhile 10"
    is "mprof_stop(): the file was pushed to the disk" "$(grep -c 'fdatasync.*= 0' trace)" 1
    returns "set_mprof_autosave(): status" 0 strace -f -y -o trace -e trace=fdatasync,write \
        env LD_PRELOAD="$library" MPROF_FILE="$tmp/autosave.data" "$programs/pushed" autosave
    # how often the file was written before each line of output
    is "set_mprof_autosave(): the data file is written after as many allocations of one thread" \
        "$(awk -v file="<$(pwd -P)/autosave.data>" '/fdatasync\(/ && index($0, file) && /= 0$/ { n++ }
            /write\(1<?/ { sub(/^[^"]*"/, ""); sub(/\\n.*/, ""); printf "%s: %d, ", $0, n; n = 0 }' trace)" \
        "not set: 350: 0, 100: 350: 3, 100: 99 of a thread: 0, 0: 350: 0, "
fi

long=$(printf '%05000d' 0)
profile first.data "$programs/api" "$long"
is "restart, a name too long: errno" "$(awk '$1 == "restart" { print $2 }' out)" 36
plan
# SPDX-License-Identifier: MIT
