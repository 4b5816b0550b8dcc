#!/bin/sh
# Snapshots of the live blocks of a running C program, on request and at intervals, and what grew between them.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

# snap OPTION...: requests a snapshot, which the program makes at its next allocation. Sets $made to its name.
snap()
{
    rm -f asked
    { "$mprof" snapshot --heap --wait=60 "$@" "$pid" >made 2>err; echo $? >asked; } &
    until [ -s asked ]; do
        order 1
        sleep 0.02
    done
    wait $!
    made=$(sed -n 's/^mprof heap //p' made)
}

# held [FILE...]: prints what the_cache retains, and where it was allocated.
held()
{
    "$mprof" heap --json --max=all "$@" | "$python" -c '
import json, sys
for table in json.load(sys.stdin)["tables"]:
    for row in table["rows"]:
        if table["name"] == "roots" and row["title"] == "the_cache":
            print(row["title"], row["retained"])
        if table["name"] == "sites" and row["site"].startswith("fill "):
            print(row["site"].split(" (")[0], row["objects"])'
}

start_program
order "cache 1000"
snap
is "on request: status" "$(cat asked)" 0
is "... beside the data file" "$made" "$tmp/mprof.data.1.heap"
order "cache 500"
snap -o second.heap
is "... under a name: status" "$(cat asked) $made" "0 $tmp/second.heap"
order "cache 2000"
snap
is "... and the next number" "$made" "$tmp/mprof.data.3.heap"
is "the one under a name is found by its number, too" "$(readlink mprof.data.2.heap)" "$tmp/second.heap"
says "no file is replaced" "1 mprof: $tmp/second.heap exists already; a heap snapshot replaces no file" \
    "$mprof" snapshot --heap -o second.heap "$pid"
run "$mprof" heap mprof.data
is "a recording is no snapshot: one is named" "$status $(cat err)" \
    "1 mprof: mprof.data is not a snapshot of a heap, as is mprof.data.3.heap"
end_program
is "the program ends as ever" "$status" 5
rm mprof.data
is "exact, with names, without the data file: the first" "$(held mprof.data.1.heap)" "the_cache 64000
fill 1000"
is "... the second" "$(held second.heap)" "the_cache 96000
fill 1500"
"$mprof" heap --json --max=all mprof.data.1.heap second.heap >grown.json
is "two of them: what grew" "$(jq -r '.tables[] | select(.name == "sites").rows[] | select(.site | startswith("fill "))
    | "\(.objects_change) \(.retained_change)"' grown.json)" "500 32000"
"$mprof" heap --no-pager mprof.data.1.heap second.heap mprof.data.3.heap >three
has "three of them: what came and stayed" three '^ *500 .* fill \('

# Snapshots are requested by the program's own call and by a signal, also if the program does not allocate meanwhile.
rm -f mprof.data*
export MPROF_HEAP_SIGNAL=USR1
start_program
order "cache 1000"
order "heap half way/1"
is "by a call: it is made" "$(tail -n 1 answers)" "made done"
order "cache 500"
order "heap 2nd"
by_signal()
{
    "$mprof" heap --json "mprof.data.$1.heap" >signal.json 2>/dev/null
}
kill -USR1 "$pid"
until_true 60 by_signal 3
is "by a signal" "$(jq -r '.heaps[0] | "\(.trigger) \(.number) \(.name)"' signal.json)" "a signal 3 null"
kill -USR1 "$pid"
until_true 60 by_signal 4
is "... a second one" $? 0
end_program
is "... the program ends as ever" "$status $(cat errors)" "5 "
unset MPROF_HEAP_SIGNAL
is "the name is part of the file's name" "$(echo mprof.data.*.heap)" \
    "mprof.data.1.half_way_1.heap mprof.data.2._2nd.heap mprof.data.3.heap mprof.data.4.heap"
is "... and in it as it was said" "$("$mprof" heap --json mprof.data.1.half_way_1.heap |
    jq -r '.heaps[0] | "\(.trigger) \(.number) \(.name)"')" "the program 1 half way/1"
is "... exact" "$(held mprof.data.1.half_way_1.heap) $(held mprof.data.3.heap)" "the_cache 64000
fill 1000 the_cache 96000
fill 1500"
is "a series has them all" "$("$mprof" plot --heaps --data mprof.data | awk '
    /^seconds shallow/ { inside = 1; next } inside && NF == 0 { exit } inside { n++ } END { print n + 0 }')" 4
complains "the newest one is named" ', as is mprof\.data\.4\.heap$' "$mprof" heap mprof.data

# The copy of the program that writes a snapshot has locked it, and may need longer than the program.
if need flock; then
    mv mprof.data.4.heap whole
    : >mprof.data.4.heap
    flock mprof.data.4.heap sh -c 'touch locked; sleep 0.3; cat whole >mprof.data.4.heap' &
    until_true 60 test -e locked
    run "$mprof" seal mprof.data
    is "sealing waits for a snapshot that is being written" "$status $(grep -c snapshot err)" "0 0"
    returns "... which is whole" 0 "$mprof" heap mprof.data.4.heap
    wait
else
    skip "sealing waits for a snapshot that is being written" "$missing"
fi

run "$mprof" run -q --heap-signal=USR1 -o sealed.data sh -c 'kill -USR1 $$; exit 3'
is "by a signal, with mprof run: the program is not killed" "$status $(cat err)" "3 "
returns "... and the snapshot is there" 0 "$mprof" heap sealed.data.1.heap

# Many signals arrive while threads allocate.
mkfifo many
"$mprof" run -q --heap-signal=USR1 -o many.data "$programs/control" 4 <many >answers 2>err &
runner=$!
exec 8>many
answered=0
: >answers
order "2000"
pid=$(program_of "$runner")
for i in 1 2 3 4 5 6; do
    kill -USR1 "$pid"
    order "2000"
done
echo end >&8
exec 8>&-
wait "$runner"
is "many signals, and threads that allocate" "$? $(grep -vc 'snapshot of the heap: none was made' err)" "5 0"
run "$mprof" heap --json many.data.1.heap
is "... the blocks are those that live" "$(jq '.heaps[0].objects >= 800 and .heaps[0].objects % 1 == 0' out)" true

# A snapshot each second, requested by the observer. The program goes on until there are two.
rm -f orders
mkfifo orders
"$mprof" run -q --heap-every=1 -o run.data "$programs/control" <orders >answers 2>err &
runner=$!
exec 8>orders
echo "cache 100" >&8
several()
{
    echo "cache 1" >&8
    [ -e run.data.2.heap ]
}
until_true 120 several
is "each second: there are several" $? 0
echo end >&8
exec 8>&-
wait "$runner"
is "... the program ends as ever" "$? $(cat err)" "5 "
is "... and each has what was there" "$("$mprof" plot --heaps --data run.data | awk '
    /^seconds shallow/ { inside = 1; next }
    inside && NF == 0 { exit }
    inside { if ($2 < last) fell++; last = $2; n++ }
    END { print (n >= 2), fell + 0 }')" "1 0"
is "... what the variable holds is what the place allocated, but for one block" "$(held run.data.2.heap |
    awk '/^the_cache/ { held = $2 / 64 } /^fill/ { n = $2 } END { print (n >= 100), (n == held || n == held + 1) }')" "1 1"

# The request for the next snapshot does not replace a request of another command.
rm -f orders
mkfifo orders
"$mprof" run -q --heap-every=0.1 -o stop.data "$programs/control" <orders >answers 2>err &
runner=$!
exec 8>orders
answered=0
: >answers
order "cache 10"
pid=$(program_of "$runner")
"$mprof" stop --wait=0 "$pid" >out
has "--heap-every, and a stop that has to wait" out 'recording will end when it does$'
sleep 1
order "cache 10"
refuses "... it has ended then" 1 "^mprof: process $pid is not recorded now" "$mprof" stop "$pid"
echo end >&8
exec 8>&-
wait "$runner"

# The next recording with the same name has its own snapshots.
"$mprof" run -q --leaks -o run.data "$programs/control" </dev/null >answers 2>&1
run "$mprof" plot --heaps run.data
is "those of a run before are left out" "$status $(cat err)" "1 mprof: one snapshot is no series: two at least are wanted"

run "$mprof" run -q --heap-every=1 --timeline=off -o off.data "$programs/control" </dev/null
is "nobody observes: refused" "$status $(cat err)" \
    "2 mprof: --heap-every cannot be combined with --timeline=off, because the observer requests the snapshots; see mprof run --help"
rm -f err
mkfifo others
"$mprof" run -q --heap-every=1 --sample=1K -o some.data "$programs/control" <others >answers 2>err &
runner=$!
exec 8>others
said()
{
    echo "cache 1" >&8
    [ -s err ]
}
until_true 120 said
echo end >&8
exec 8>&-
wait "$runner"
is "a sampled recording has none: that is said, once" "$(cat err)" \
    "mprof: --heap-every: a program of which not every block is recorded has no snapshots of its heap"
is "... and there is none" "$(ls some.data*)" some.data

if [ "$(id -u)" -eq 0 ] && id nobody >/dev/null 2>&1; then
    mkdir other
    cp "$library" "$programs/control" other     # a directory that the user nobody can reach
    chown nobody other
    chmod 711 "$tmp"
    rm -f orders
    mkfifo orders
    chmod 666 orders
    : >answers
    answered=0
    setpriv --reuid=nobody --clear-groups env LD_PRELOAD="$tmp/other/libmprof.so" MPROF_FILE="$tmp/other/data" \
        other/control <orders >answers 2>errors &
    pid=$!
    exec 8>orders
    order "cache 10"
    snap
    is "root asks another user's program: the file is that user's" "$(stat -c %U "$made")" nobody
    end_program
else
    skip "root asks another user's program: the file is that user's" "not root, or there is no user nobody"
fi
plan
# SPDX-License-Identifier: MIT
