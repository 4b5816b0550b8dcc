#!/bin/sh
# FILE.children: the recordings of all processes but the first, in one file that every command reads.
. "${srcdir:-.}/tests/e2e/lib.sh"

killme=$programs/killme

# allocated FILE OPTION...: prints how many blocks one_block allocated, in what `mprof report OPTION... FILE` shows.
allocated()
{
    file=$1
    shift
    "$mprof" report --no-pager --json --table=flat --verbose "$@" "$file" >shown.json 2>shown.err &&
        "$python" -c '
import json
rows = json.load(open("shown.json"))["tables"]["flat"]["rows"]
print(sum(row["values"]["objects"] for row in rows if "one_block" in str(row["values"]["function"])))'
}
needs "all" "$python"

# Many short processes, one after the other, and all at once.
cat >many.sh <<'end'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$1" "$i" exit; done
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$1" "$i" exit & done
wait
echo $!
end
returns "many: status" 0 "$mprof" run -f -o many.data sh many.sh "$killme"
last=$(tail -1 out)
is "many: there are no other files" "$(echo many.data*)" "many.data many.data.children"
is "many: every block is recorded" "$(allocated many.data.children)" 420
is "many: the children of the shell, too" \
    "$("$mprof" report --json --table=processes many.data.children | grep -o '"program":"[^"]*killme"' | wc -l)" 40
is "many: a process by its id" "$(allocated many.data.children "--process=killme[$last]")" 20
is "many: all processes of a program" "$(allocated many.data.children --process=killme)" 420
"$mprof" report --no-pager --head "--process=killme[$last]" many.data.children >out
has "many: a single recording is shown as such" out "^Process +$last\$"
hasnt "many: and not as a sum" out '^Sum of peaks'
returns "many: no such process" 1 "$mprof" report --process=nobody many.data.children
has "many: and a line says so" err '^mprof: --process=nobody: there is no such process'
returns "the same option for a single recording" 0 "$mprof" report --process='^sh' many.data
returns "... of another program" 1 "$mprof" report --process=killme many.data

# Every command accepts FILE.children.
for command in totals findings diff check; do
    case $command in
    check) set -- --max-bytes=1G ;;
    diff) set -- many.data ;;
    *) set -- ;;
    esac
    run "$mprof" $command "$@" many.data.children
    at_most "$command: status" "$status" 1
    hasnt "$command: no error" err '^mprof:.*(several recordings|follows)'
done
returns "export" 0 "$mprof" export --format=csv many.data.children
has "export: has the processes" out "killme"
returns "html" 0 "$mprof" html -o many.html many.data.children
returns "merge" 0 "$mprof" merge -q -o all.data many.data many.data.children
is "merge: has all" "$(allocated all.data)" 420
returns "merge: not twice" 1 "$mprof" merge -o twice.data many.data.children all.data
has "merge: and a line says why" err '^mprof: .*is there already'
cat many.data many.data.children >joined.data
is "files put together by cat are such a file" "$(allocated joined.data)" 420
cp many.data.children copy.data
returns "seal: leaves it" 0 "$mprof" seal copy.data
returns "seal --symbols" 0 "$mprof" seal --symbols copy.data
is "seal --symbols: nothing is lost" "$(allocated copy.data)" 420
returns "heap" 1 "$mprof" heap many.data.children
has "heap: a clear line" err '^mprof: many\.data\.children '

# If mprof run was killed, or the disk was full, the last recording in the file is incomplete.
size=$(wc -c <many.data.children)
head -c $((size - 10)) many.data.children >cut.data
returns "cut: the others are shown" 0 "$mprof" report --no-pager --head cut.data
has "cut: a line says so" err '^mprof: left out: cut\.data: the last recording is incomplete$'
has "cut: and the head" out '^Left out +1'
returns "cut: merge refuses it" 1 "$mprof" merge -o no.data cut.data
returns "cut: but takes the rest if told so" 0 "$mprof" merge -k -o some.data cut.data
{ cat many.data.children; echo no recording; } >more.data
returns "something else behind the recordings" 1 "$mprof" report more.data
has "... is an error" err '^mprof: more\.data: something follows the end'
"$python" -c '
import sys
data = bytearray(open("many.data.children", "rb").read())
data[200] ^= 1
open("damaged.data", "wb").write(data)'
returns "damaged: the others are shown" 0 "$mprof" report --no-pager --head damaged.data
has "damaged: a line says so" err '^mprof: left out: damaged\.data: '

# A new run replaces the file of the one before, even if it has no children.
returns "again: status" 7 "$mprof" run -q -o many.data "$killme" 5 exit
is "again: the old children are gone" "$(echo many.data*)" "many.data"
echo foreign >many.data.children
run "$mprof" run -q -f -o many.data sh -c "'$killme' 3 exit; true"
is "another file of that name stays" "$(cat many.data.children)" foreign
is "and another name is chosen" "$(allocated many.data.children.2)" 3

# If the file name contains %p, each process has its own file.
run "$mprof" run -q -f -o own.%p.data sh -c "'$killme' 3 exit; true"
is "%p: a file for each process" "$(echo own.* | wc -w)" 2
run "$mprof" run -q -f --check --max-bytes=1G -o checked.data sh -c "'$killme' 3 exit; true"
is "--check: a file for each process" "$(echo checked.data* | sed 's/[0-9][0-9]*/N/')" "checked.data checked.data.N"

# A process that runs on after the end of mprof run keeps its own file.
mkfifo hold
run "$mprof" run -f -o left.data sh -c "sh -c '(read -r line <hold) & true'; '$killme' 4 exit; true"
has "still running: the summary says so" err '^mprof:   sh +left\.data\.[0-9]+ .*, still running'
is "still running: the others are collected" "$(allocated left.data.children)" 4
echo >hold

# If the worker that seals recordings is killed, another worker continues the same file.
cat >worker.sh <<'end'
"$1" 7 exit
until [ -s worker.data.children ] || [ "$((tries = tries + 1))" -gt 600 ]; do sleep .1; done
kill -9 $(ps -o pid= --ppid $PPID | grep -vw $$)
"$1" 8 exit
end
run "$mprof" run -q -f -o worker.data sh worker.sh "$killme"
is "killed worker: nothing is lost" "$(allocated worker.data.children)" 15
is "killed worker: nothing else is left" "$(echo worker.data*)" "worker.data worker.data.children"

# A process calls exec twice while mprof run is stopped. When mprof run reads the messages of the programs, their files
# have been renamed. The path given to -o differs from the path that the kernel reports for the folder.
cat >late.sh <<'end'
worker=$(ps -o pid= --ppid $PPID | grep -vw $$)
kill -STOP $worker
exec env sh -c 'kill -CONT "$0"; exec "$1" 5 exit' $worker "$1"
end
mkdir folder
run "$mprof" run -q -f -o folder/../late.data sh late.sh "$killme"
returns "late messages: status" 0 "$mprof" report --json --table=processes late.data.children
empty "late messages: each recording is there once" err
is "late messages: a program that the process was before" "$(grep -o '"program":"[^"]*/env"' out | wc -l)" 1
is "late messages: no other files" "$(echo late.data*)" "late.data late.data.children"

# Two runs at once.
cat >both.sh <<'end'
"$1" "$2" exit
: >begun.$2
read -r line <go.$2
"$1" "$2" exit
end
mkfifo go.10 go.20
"$mprof" run -q -f -o both.data sh both.sh "$killme" 10 >out 2>err &
first=$!
until_true 60 test -e begun.10 || fail "both: the first begins"
"$mprof" run -q -f -o both.data sh both.sh "$killme" 20 >out2 2>err2 &
second=$!
until_true 60 test -e begun.20 || fail "both: the second begins"
echo >go.20
wait $second
echo >go.10
wait $first
is "both: the first run has its children" "$(allocated both.data.children)" 20
is "both: the second one, too" "$(allocated "$(echo both.data.*.children)")" 40

plan
# SPDX-License-Identifier: MIT
