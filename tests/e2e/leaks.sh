#!/bin/sh
# mprof leaks: cases of blocks that are lost or not (tests/programs/leak_cases.c), as memcheck and LeakSanitizer
# report them. Each case has its own size. The table is that of mprof-leaks(1).
. "${srcdir:-.}/tests/e2e/lib.sh"

cases=$programs/leak_cases
echo 'void *mp_leak_holder;' >holder.c
gcc -shared -fPIC -o holder.so holder.c || exit 99

# of_mprof FILE: prints "size class" of each case.
of_mprof()
{
    "$mprof" leaks --show=all --json --max=1000 --chain=all "$1" | "$python" -c '
import json, sys
found = json.load(sys.stdin)
for name in ("definite", "indirect", "possible", "reachable"):
    assert sum(c["bytes"] for c in found[name]["chains"]) == found[name]["bytes"]
    for chain in found[name]["chains"]:
        if "leak_cases.c" in chain["chain"].split(" > ")[-1] and 1000 < chain["bytes"]:
            print(chain["bytes"], name)' | sort -n
}

# expected_table: prints "BYTES CLASS" lines for the blocks that mprof must report
expected_table()
{
    cat <<'END'
1001 definite
1011 definite
1012 reachable
1021 definite
1022 indirect
1031 definite
1032 indirect
1033 indirect
1034 indirect
1041 possible
1051 reachable
1052 reachable
1061 reachable
1062 reachable
1071 definite
1082 definite
1094 definite
1104 reachable
1111 reachable
1112 reachable
1121 definite
1122 definite
END
    test -z "$1" || echo 1131 reachable
    echo 1141 reachable
    test "$(uname -m)" != x86_64 || test "$2" = return || echo 1151 reachable
    echo 70001 reachable
}

for how in exit _exit quick; do
    returns "$how: runs" 0 "$mprof" run --leaks -o "data.$how" "$cases" ./holder.so "$how"
    expected_table 1 "$how" >want
    of_mprof "data.$how" >got
    ok "$how: every case" diff want got
done
has "mprof run says the sums" err '^mprof:   definitely lost  9,554 bytes in 9 blocks$'
run "$mprof" leaks data.exit.1.heap
cp out alone
run "$mprof" leaks data.exit
is "the snapshot is whole without its data file" "$(cmp out alone 2>&1)" ""
cp data.quick.1.heap data.exit.9.heap
run "$mprof" leaks data.exit
is "a snapshot that another process left is passed over" "$(cmp out alone 2>&1)" ""
head -c 300 data.exit.1.heap >data.exit.9.heap
run "$mprof" leaks data.exit
is "... as is one that cannot be read" "$(cmp out alone 2>&1)" ""
mv data.exit.9.heap cut.1.heap
cp data.exit cut
refuses "... but if there is no other that is said" 2 '^mprof: cut.1.heap: ' "$mprof" leaks cut
rm cut
run "$mprof" run --leaks -o data.return "$cases" '' return
expected_table '' return >want
of_mprof data.return | grep -v '^1151 ' >got
ok "main returns: every case" diff want got

# -------------------------------------------------------------------- where pointers to blocks are
large=large
test "$(stat -f -c %T /dev/shm 2>/dev/null)" != tmpfs || test ! -w /dev/shm || large=/dev/shm/${tmp##*/}
trap 'rm -rf "$tmp" "$large"' EXIT
for where in early shared sharing; do
    run "$mprof" run --leaks -o "place.$where" "$programs/leak_places" $where "$large"
    is "$where: nothing is lost" "$status $(sed -n 's/^mprof:  *[dp][a-z]* lost *//p' err | paste -sd, -)" \
        "0 0 bytes in 0 blocks,0 bytes in 0 blocks"
done
run "$mprof" run --leaks -o place.absent "$programs/leak_places" absent -
is "absent: what only the process itself has" "$status $(sed -n 's/^mprof:  *[dp][a-z]* lost *//p' err | paste -sd, -)" \
    "0 2,056 bytes in 1 block,0 bytes in 0 blocks"
run "$mprof" run --leaks -o place.much "$programs/leak_places" much -
has "much: nothing is certain" err '^mprof:   definitely lost  0 bytes in 0 blocks$'
has "... and why" err \
    '^mprof:   memory that the program keeps from its children could not be read: they may lead to'
run "$mprof" leaks --json place.much
has "... in JSON" out '"not_seen": *\["unread_memory"\]'
at_most "a large one keeps its holes" "$(du -k "$large" | cut -f1)" 64

cat >slow.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <unistd.h>
volatile int mp_in_realloc;
void *realloc(void *block, size_t size)
{
    if (size == 4001)
        for (mp_in_realloc = 1;;)
            pause();
    return ((void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc"))(block, size);
}
END
gcc -shared -fPIC -o slow.so slow.c || exit 99
LD_PRELOAD=$tmp/slow.so "$mprof" run --leaks -o place.resized "$programs/leak_places" resized - 2>err
has "what is being resized is not there" err '^mprof:   definitely lost  2,031 bytes in 1 block$'
run "$mprof" leaks place.resized
has "... which is said" out '^note: 1 block was just being resized: what only it leads to is shown as lost$'
run "$mprof" leaks place.shared
hasnt "... only where it is so" out 'just being resized'

# -------------------------------------------------------------------- several processes
# shellcheck disable=SC2016
run "$mprof" run -f --leaks -o 'many.%p' sh -c '"$0" ./holder.so exit; "$0" ./holder.so quick; :' "$cases"
is "-f: of each process that lost something" \
    "$(sed -n 's/^mprof: process [0-9]*, \(.*\):$/\1/p; s/^mprof:   \(definitely lost  9,554\).*/\1/p' err | paste -sd' ' -)" \
    "leak_cases definitely lost  9,554 leak_cases definitely lost  9,554"
sed -n 's/^mprof leaks //p' err >commands
for file in $(tail -n 2 commands); do
    prints "... by the command that is named" '^definitely lost  9,554 bytes in 9 blocks$' "$mprof" leaks "$file"
done
run "$mprof" run -f --leaks -o 'none.%p' sh -c '/bin/true; /bin/true; :'
has "... of those that lost nothing, how many" err '^mprof: nothing is lost of 2 more processes$'
# shellcheck disable=SC2016
run "$mprof" run -q --leaks -o killed.data sh -c 'kill -9 $$'
has "killed: why it is not known" err '^mprof: what is lost is not known: killed by SIGKILL'
echo 'int main(void) { return 0; }' >static.c
gcc -static -o static static.c          # which is not recorded
run "$mprof" run -q --leaks -o exec.data sh -c 'exec ./static'
has "... replaced by another program" err '^mprof: what is lost is not known: replaced itself by another program'

# -------------------------------------------------------------------- status
returns "--error" 1 "$mprof" leaks --error data.exit
returns "--error-exitcode" 7 "$mprof" leaks --error-exitcode=7 data.exit
echo 'leak:leak_cases' >all.supp
run "$mprof" leaks --show=all --max=all data.exit
is "--max=all: all chains" "$status $(grep -c 'more chain' out)" "0 0"
run "$mprof" leaks --max=some data.exit
is "--max: a number, or all" "$status $(cat err)" \
    "2 mprof: --max=some: neither a number from 1 to 1000000000 nor all; see mprof leaks --help"
returns "--suppressions: nothing is left" 0 "$mprof" leaks --error --suppressions=all.supp data.exit
has "--suppressions: what they were used for" out '^suppressed by leak:leak_cases: '
run "$mprof" leaks --json --show=definite,reachable data.exit
mv out leaks.json
run "$mprof" leaks --json --show=all --max=1 place.resized
if "$python" -c 'import jsonschema' 2>/dev/null; then
    ok "--json: as the schema says" "$python" -c 'import json, sys, jsonschema
for file in sys.argv[2:]: jsonschema.validate(json.load(open(file)), json.load(open(sys.argv[1])))' \
        "$src/doc/mprof-leaks.schema.json" leaks.json out
else
    skip "--json: the schema" "python3-jsonschema is not installed"
fi
returns "--show: bad" 2 "$mprof" leaks --show=nothing data.exit
profile plain "$programs/costs"
returns "without a scan: status" 2 "$mprof" leaks plain
has "without a scan: what to do" err '^mprof: plain: no snapshot shows which blocks are lost; record with mprof run --leaks'
run "$mprof" run -q -o exec.data sh -c 'exec ./static'
run "$mprof" leaks exec.data
has "... replaced itself: why there is none" err 'mprof run --leaks takes one when a program exits, but this recording ended otherwise: replaced itself by another program'
returns "a sampled recording is refused" 2 "$mprof" run --leaks --sample -o sampled true

# ------------------------------------------------- in the middle of a run
mkfifo in
"$mprof" run -q -o running "$cases" ./holder.so wait <in >ready 2>err &
running=$!
exec 3>in
while ! grep -q ready ready; do sleep 0.1; done
pid=$(program_of "$running")
of_mprof_running()
{
    "$mprof" leaks --wait=60 "$pid" >out 2>err &
    asks=$!
    while kill -0 $asks 2>/dev/null; do echo >&3; sleep 0.1; done
    wait $asks
    status=$?
}
run "$mprof" leaks --wait=0 "$pid"
is "of a process that allocates nothing: what to do" "$status $(cat err)" "2 mprof: process $pid allocates nothing now, \
and answers when it does: send it a request meanwhile, and wait for that with --wait=60"
"$mprof" leaks --wait=3600 "$pid" >out 2>err &
asks=$!
# Waits until the process is mprof, not the shell before exec, and catches SIGTERM.
while ! awk '/^Name:/ && $2 != "mprof" { exit 1 } /^SigCgt:/ { exit substr($2, 13, 1) % 8 < 4 }' /proc/$asks/status; do
    sleep 0.1
done
kill -TERM $asks
wait $asks
is "interrupted while it waits" "$? $(cat err)" "2 mprof: interrupted"
for i in 1 2 3; do echo >&3; sleep 0.1; done
is "... nothing is asked for any more" "$(ls running.*.heap 2>/dev/null)" ""
of_mprof_running
is "of a process" "$status" 0
has "of a process: the same is lost" out '^definitely lost  9,554 bytes in 9 blocks$'
has "of a process: possibly" out '^possibly lost    1,041 bytes in 1 block$'
exec 3>&-
wait $running
is "it goes on, and ends as it would" "$?" 0
is "nothing is left behind" "$(ls running.*.heap 2>/dev/null)" ""

# ------------------------------------------------------- the other tools
if need valgrind; then
    valgrind --leak-check=full --show-leak-kinds=all "$cases" ./holder.so exit >out 2>memcheck
    expected_table 1 exit >want
    cut -d' ' -f1 want >sizes
    grep 'loss record' memcheck | "$python" -c '
import re, sys
sizes = set(map(int, open("sizes").read().split()))
names = {"definitely": "definite", "indirectly": "indirect", "possibly": "possible", "still": "reachable"}
for line in sys.stdin:
    m = re.match(r"==\d+==\s+([\d,]+) (?:\(([\d,]+) direct.*?\) )?bytes in 1 blocks are (\w+) ", line)
    if m and int((m[2] or m[1]).replace(",", "")) in sizes:
        print(int((m[2] or m[1]).replace(",", "")), names[m[3]])' | sort -n >got
    ok "memcheck tells each case the same" diff want got
else
    skip "memcheck tells each case the same" "$missing"
fi
if gcc -O1 -g -fsanitize=leak -o lsan "$src/tests/programs/leak_cases.c" -lpthread -ldl 2>err; then
    LSAN_OPTIONS=report_objects=1 ./lsan ./holder.so exit >out 2>lsan.out
    # LeakSanitizer has no roots in mapped memory, and in a cycle no block is directly lost.
    grep -oE '\([0-9]+ bytes\)' lsan.out | tr -d '(a-z)' | tr -d ' ' | sort -n >got
    { expected_table 1 exit | grep -E 'definite|indirect' | cut -d' ' -f1; echo 1061; echo 1062; } | sort -n >want
    ok "LeakSanitizer: the same is lost, and what only mapped memory leads to" diff want got
else
    skip "LeakSanitizer: the same is lost" "gcc has no -fsanitize=leak"
fi
plan
# SPDX-License-Identifier: MIT
