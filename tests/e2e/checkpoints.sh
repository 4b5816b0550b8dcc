#!/bin/sh
# Checkpoints: what lived at a checkpoint, and what happened between two, in programs with known figures.
. "${srcdir:-.}/tests/e2e/lib.sh"

MPROF_CHECK=1
export MPROF_CHECK

# figures OPTIONS... FILE: prints "allocs bytes frees freed" of alpha, beta and gamma_.
figures()
{
    "$mprof" export -F chains "$@" 2>figures.err |
        awk '{ n = split($8, f, ";"); of[f[n]] = $1 " " $2 " " $3 " " $4 }
             END { print of["alpha"] "|" of["beta"] "|" of["gamma_"] }'
}

# A live file, written by the library without mprof run, and a file that mprof run sealed.
profile live.data "$programs/checkpoints" phases
is "without mprof run: status" "$status" 0
returns "mprof run: status" 0 "$mprof" run -o sealed.data "$programs/checkpoints" phases
for file in live.data sealed.data; do
    is "$file: nothing at first" "$(figures --to=nothing $file)" "||"
    is "$file: until the first" "$(figures --to=one $file)" "1000 100000 0 0||"
    is "$file: between two" "$(figures --from=one --to=two $file)" "0 0 400 40000|300 15000 0 0|"
    is "$file: from the second on" "$(figures --from=two $file)" "||7 63 0 0"
    is "$file: by numbers" "$(figures --from='#2' --to='#3' $file)" "0 0 400 40000|300 15000 0 0|"
    is "$file: the second of a name" "$(figures --from=two --to='one#2' $file)" "||7 63 0 0"
    is "$file: alive at the first" "$(figures --at=one $file)" "1000 100000 0 0||"
    is "$file: alive at the second" "$(figures --at=two $file)" "600 60000 0 0|300 15000 0 0|"
    is "$file: from start to end it is all" "$(figures --from=start --to=end $file)" \
        "1000 100000 400 40000|300 15000 0 0|7 63 0 0"
    is "$file: what grew since the peak" "$(figures --from=peak $file)" \
        "0 0 400 40000|300 15000 0 0|7 63 0 0"
done

# The report has sentences about the window, signed columns, and all tables.
report()
{
    "$mprof" report --no-pager --no-lines "$@"
}
returns "report: status" 0 report --from=one --to=two sealed.data
has "it says between what" out '^Only what happened between checkpoint one \([0-9.]+ s\) and checkpoint two \('
has "... and how much" out \
    '^15,000 bytes in 300 allocations, 40,000 bytes in 400 frees; 25,000 bytes less were alive then$'
has "table 1 is signed" out '^ +100 +0 +0 +400 -40000$'
has "... also its sum" out '^<TOTAL> +300 15000 +400 -25000$'
has "table 2 is of growth" out '^TABLE 2: GROWTH$'
has "... what shrank" out '^ +0 +0 +-400 +-40000 +400 40000 \|\| > main > phases > alpha$'
has "... what grew" out '^ +300 15000 +300 +15000 .*> beta$'
has "table 3 calls it grown" out 'bytes grown +calls'
has "... its sum" out ' -25000 +300 <TOTAL>$'
has "the head is of the whole" out '^Allocations +1,308 '
hasnt "nothing is called kept" out 'bytes kept'
prints "by growth: direct" ' -40000 +0 alpha$' report --from=one --to=two --sort=kept --table=direct,tree,flat,sites sealed.data
has "by growth: tree" out ' -40000 +alpha$'
has "by growth: functions" out ' -40000 +0 +alpha$'
has "by growth: sites" out ' -40000 +-400 malloc +alpha < phases < main$'
run report --at=two --table=leaks,bins sealed.data
has "a moment: how much" out '^Only what was alive at checkpoint two \([0-9.]+ s\): 75,000 bytes in 900 blocks$'
has "... table 2" out '^ +600 60000 +\(80\) \|\| > main > phases > alpha$'
run report --from=one --function=beta --table=leaks sealed.data
has "with a filter: of the window" out '^Only what was allocated of --function=beta: 15,000 of 19,159 bytes \(78\.3 %\)$'

# Windows that make no sense are refused.
while read -r from to what; do
    refuses "$from $to: refused" 1 '^mprof: ' report "$from" "$to" sealed.data
    has "$from $to: why" err "^mprof: $what"
done <<'END'
--from=one --to=three three: there is no such checkpoint, but nothing, one, two, one: no such moment
--from=#1 --to=#9 #9: there is no such checkpoint
--from=two --to=nothing checkpoint two \([0-9.]+ s\) comes after checkpoint nothing
END
for bad in --sort=peak --gc --at=one; do
    refuses "--from=one $bad" 2 '^mprof: ' report --from=one "$bad" sealed.data
done
profile none.data "$programs/api" other.data
complains "without checkpoints" '^mprof: one: the program set no checkpoints: no such moment$' report --at=one none.data

# The figures of several threads are exact in each round.
profile threads.data "$programs/checkpoints" threads
is "threads: status" "$status" 0
wrong=0
for round in 2 5 10; do
    now=$("$mprof" export -F chains --from="round $((round - 1))" --to="round $round" threads.data |
        awk '$8 ~ /;work$/ { for (i = 1; i <= 7; i++) sum[i] += $i } END { print sum[1], sum[2], sum[3], sum[7] }')
    is "round $round" "$now" "$((40 * round)) $((40 * 64 * round)) $((40 * round - 4)) $((40 * round - 4))"
done

run report --from="round 4" --to="round 5" --sort=temporary --table=leaks threads.data
has "what is temporary: by that" out '^ *200 +12800 +4 +256 +196 +12544 +196 +\(100\) \|\| .*work$'
is "... in JSON" "$("$mprof" report --json --table=direct --from="round 4" --to="round 5" threads.data |
    jq -c '[.shown.totals.temporary, ([.tables.direct.rows[].values.temporary] | max)]')" "[196,196]"
is "... in a picture" "$("$mprof" flamegraph --cost=temporary --from="round 4" --to="round 5" threads.data |
    grep -o '196 temporary allocations (100\.0 %)' | sort -u | wc -l)" 1
is "... of two parts" "$("$mprof" diff --cost=temporary "threads.data@round 1..round 2" "threads.data@round 4..round 5" |
    sed -n 's/^The sum of temporary.*, //p')" "from 76 to 196."
run report --from=peak --sort=temporary threads.data
is "the peak: not known what was" "$status $(cat err)" "1 mprof: temporary allocations, but between the start, checkpoints and the end of a recording without samples: not known"
is "... nor in a dump" "$("$mprof" export -F chains --to=peak threads.data | cut -d' ' -f7 | sort -u)" -

# Four threads pass blocks to each other while checkpoints are set. At each checkpoint, no block was freed before it was
# allocated, and at most eight blocks live: one in each slot, and one that each thread is passing on.
MPROF_CHECK=0
profile storm.data "$programs/checkpoints" storm
is "storm: status" "$status" 0
is "storm: the program did its work" "$(cat out)" "done"
for n in 1 2 3 10 50 100 200; do
    "$mprof" export -F chains --to="#$n" storm.data 2>err | awk '$8 ~ /;make$/ { allocs += $1; frees += $3 }
        END { exit !(frees <= allocs && allocs - frees <= 8) }' || wrong="$wrong $n"
    test -s err && wrong="$wrong $n"
done
is "storm: each checkpoint is a moment that there was" "$wrong" 0
is "storm: the end is right" "$(books self make storm.data | awk '{ print ($1 - $3 <= 4 && $1 >= $3) }')" 1

# A million checkpoints take bounded space; what is left out is counted and stated.
profile million.data "$programs/checkpoints" million
is "a million: status" "$status" 0
at_most "a million: the file stays small" "$(wc -c <million.data)" 16000000
returns "a million: the last that was kept" 0 report --at='#65535' --table=leaks million.data
has "a million: the others are counted" out '^934,465 checkpoints are left out, for want of room\.$'
returns "a million: no more" 1 report --at='#65536' --table=leaks million.data

# A killed process, a forked child, a new recording.
profile kill.data "$programs/checkpoints" kill
is "killed: what was marked is there" "$(figures --from=one --to=two kill.data)" "0 0 400 40000|300 15000 0 0|"
is "killed: and what came after it" "$(figures --from='one#2' kill.data)" "||7 63 0 0"
for ends in "end one" "end start" "one#2 one" "one start"; do
    run report --from="${ends% *}" --to="${ends#* }" kill.data
    is "killed: from $ends: refused" "$status $(grep -c ' comes after ' err)" "1 1"
done
profile fork.data "$programs/checkpoints" fork
is "the parent has its checkpoints" "$(figures --at=one fork.data)" "1000 100000 0 0||"
child=$(echo fork.data.*)
complains "the child has none" 'the program set no checkpoints' report --at=one "$child"
profile first.data "$programs/checkpoints" restart
is "the first recording" "$(figures --at=one first.data)" "1000 100000 0 0||"
is "the second one" "$(figures --at=late second.data)" "|300 15000 0 0|"
complains "has no others" 'no such checkpoint, but late' report --at=one second.data

# Threads save their counters for a checkpoint while another thread ends the recording.
MPROF_CHECK=0
profile renew.data "$programs/checkpoints" renew
is "ended after a checkpoint: status" "$status" 0
lost=0
for file in renew.data renew.?.data renew.1[0-8].data; do
    "$mprof" export -F chains --at=old "$file" >/dev/null 2>>err || lost=$((lost + 1))
done
is "ended after a checkpoint: it is known, always" "$lost" 0
MPROF_CHECK=1

# Behind a seccomp filter, no forbidden system call is made; checkpoints without space are counted.
MPROF_CHECK=1
profile shut.data "$programs/checkpoints" shut
is "shut off: status" "$status" 0
is "shut off: exact" "$(figures --from=shut --to='shut 2' shut.data)" "0 0 400 40000|300 15000 0 0|"
run report --at='#10' --table=leaks shut.data
run report --from='#20' --to='#10' shut.data
is "shut off: the order is known, without a good clock" "$status $(grep -c ' comes after ' err)" "1 1"
run report --at='#10' --table=leaks shut.data
has "shut off: what was left out is counted" out '^[0-9]+ checkpoints are left out, for want of room\.$'

MPROF_CHECK=0
profile crowded.data "$programs/checkpoints" crowded
is "shut off, many cells: status" "$status" 0
run report --at='#1' --table=leaks crowded.data
has "shut off, many cells: what had no room was left out" out '^[0-9]+ checkpoints are left out, for want of room\.$'
is "shut off, many cells: the first is exact" "$(figures --at='#1' crowded.data)" "1000 100000 0 0||"
is "shut off, many cells: the third, too" \
    "$("$mprof" export -F chains --from='#2' --to='#3' crowded.data | awk '$8 ~ /;make$/ { n += $1 } END { print NR, n }')" "1024 1024"
MPROF_CHECK=1

# Figures of sampled recordings are estimates, and the report says so.
MPROF_SAMPLE=64
MPROF_SAMPLE_SEED=7
export MPROF_SAMPLE MPROF_SAMPLE_SEED
profile sampled.data "$programs/checkpoints" phases
sampled=$("$mprof" export -F chains --from=one --to=two sampled.data | awk '$8 ~ /;alpha$/ { print $1, $3 }')
at_most "sampled: next to nothing was allocated" "${sampled% *}" 2
within "sampled: about 400 were freed" "${sampled#* }" 320 480
prints "sampled: said so" '^Estimated from samples, without intervals\.$' report --from=one --to=two sampled.data

# If all blocks were freed at a checkpoint, estimates are not rounded to less than 0, and rounding creates no changes
# after the checkpoint.
for seed in 1 2 3; do
    run env MPROF_SAMPLE=1540 MPROF_SAMPLE_SEED=$seed "$mprof" run -o apart.data "$programs/checkpoints" apart
    is "sampled, seed $seed: status" "$status" 0
    returns "sampled, seed $seed: the data can be read" 0 "$mprof" export -F chains --from=freed apart.data
    is "sampled, seed $seed: nothing came later" "$(awk '$8 ~ /apart/' out | wc -l)" 0
done
plan
# SPDX-License-Identifier: MIT
