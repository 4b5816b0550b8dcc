#!/bin/sh
# The command line: help, exit statuses, errors, lost output. The status is 0 for success, 1 if a file or a process
# prevents it or the verdict is bad, 2 if the command line is wrong. Commands with a verdict return 2 if there is none.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    malloc(100);
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    return 0;
}
END
gcc -O0 -w -g -o prog prog.c || exit 99
observed -q --leaks -o a.data ./prog
run "$mprof" run -q -o b.data ./prog
"$mprof" export -F pprof -o foreign.pb.gz a.data
cp "$src/tests/data/sealed-lisp.data" lisp.data
mkdir none empty
: >none/list
: >empty.data
mkfifo pipe
echo "these are notes" >notes.txt
printf '#!/no/such/interpreter\n' >script
chmod +x script
cp a.data keep.data
cp a.data.1.heap keep.heap

# ---------------------------------------------------------------- the table
# with FILE: prints the arguments of the current line of command_line.txt with FILE in place of OUT.
with()
{
    echo "$arguments" | sed "s|OUT|$1|"
}

# lost STATUS ARGUMENT...: tests that mprof ARGUMENT... ends with STATUS if its output cannot be written.
lost()
{
    wanted=$1
    shift
    "$mprof" "$@" >/dev/full 2>err
    is "mprof $* >/dev/full: status, one line" "$? $(sed 's/^mprof: [a-z ]*: //' err)" "$wanted No space left on device"
}

# spared FILE ARGUMENT...: tests that a command does not replace FILE, a recording, a snapshot or its own input.
spared()
{
    file=$1
    shift
    cp "$file" before
    run "$mprof" "$@"
    is "mprof $*: status, and the file is as it was" "$status $(cmp before "$file" 2>&1)" \
        "$([ "$1" = check ] && echo 2 || echo 1) "
    has "mprof $*: said" err "^mprof: $file: .*would be (lost|replaced); choose another name for the output\$"
}

# succeeds: tests the line with status 0 or the verdict $status_now; without its input; with outputs that are kept.
# shellcheck disable=SC2120
succeeds()
{
    eval "set -- $(with out.file)"
    run "$mprof" "$@"
    is "mprof $*: status" "$status" "$status_now"
    rm -f out.file
    case $arguments in
    *' 'a.data*)
        eval "set -- $(with no.out | sed 's/ a\.data/ no.data/')"
        refused "$(case $1 in leaks | check) echo 2 ;; *) echo 1 ;; esac)" 'no\.data' "$@" ;;
    esac
    case $arguments in
    merge*) ;;
    *OUT*)
        for file in a.data b.data a.data.1.heap $(echo "$arguments" | grep -o 'foreign.*'); do
            eval "spared $file $(with $file)"
        done ;;
    esac
    if [ -n "$status_lost" ] && [ -c /dev/full ]; then
        eval "lost $status_lost $(with -)"
    fi
}

folders=$PATH
PATH=/usr/bin:/bin              # (a directory without search permission would change the error for no-such-program)
export PATH
n=0
grep -v '^#' "$src/tests/e2e/command_line.txt" >lines
while read -r statuses line <&4; do
    n=$((n + 1))
    arguments=${line%% => *}
    pattern=
    [ "$arguments" = "$line" ] || pattern=${line#* => }
    status_now=${statuses%/*}
    status_lost=${statuses#"$status_now"}
    status_lost=${status_lost#/}
    case $statuses in
    0* | */*) succeeds ;;
    *) eval "refused $statuses \"\$pattern\" $arguments" ;;
    esac
done 4<lines
PATH=$folders
is "all lines were tried" "$n" "$(grep -c '^[0-9]' "$src/tests/e2e/command_line.txt")"
is "nothing was written" "$(ls no.* 2>/dev/null)" ""
is "the notes are still there" "$(cat notes.txt)" "these are notes"
is "the recordings are as they were" "$(cmp keep.data a.data 2>&1; cmp keep.heap a.data.1.heap 2>&1)" ""

# Tests that a line of command_line.txt cannot describe.
run "$mprof" merge -k -o no.data keep.heap
is "merge -k of what cannot be merged" "$status $(tail -n 1 err)" "1 mprof: none of the files can be merged"
cp a.data mprof.data
refused 2 "mprof.data is a recording of [^ ]+, not of \./script; to profile that: mprof run \./script\$" ./script
rm mprof.data
ln -s a.data link
run "$mprof" html -o link a.data
is "-o a link to it" "$status $(cmp keep.data a.data 2>&1)" "1 "
returns "-o a device" 0 "$mprof" html -o /dev/null a.data
for file in rows.csv page.html; do
    echo old >$file
    returns "-o $file, which is there" 0 "$mprof" export -F csv -o $file b.data
done
if ldd /sbin/ldconfig 2>&1 | grep -qE 'static|not a dynamic'; then
    refused 126 "statically linked" run /sbin/ldconfig -p
    printf '#!/sbin/ldconfig -p\n' >script
    refused 126 "/sbin/ldconfig: is statically linked" run ./script
else
    skip "static program" "/sbin/ldconfig is not static here"
fi
MPROF_LIBRARY=/nowhere/libmprof.so refused 126 "/nowhere/libmprof.so" run true
if [ -w /dev ]; then
    refused 1 "/dev/null: exists and is not" run -o /dev/null true
    skip "unwritable folder" "root may write everywhere"
else
    refused 1 "/dev: Permission denied" run -o /dev/null true
    mkdir closed
    chmod 555 closed
    refused 1 "closed: Permission denied" run -o closed/x true
fi
cp a.data few.data
run sh -c 'exec 3>&-; ulimit -n 4 && exec "$1" run -o few.data true' - "$mprof"
has "too few descriptors: said" err '^mprof: .*: Too many open files$'
hasnt "too few descriptors: and not that it is no data file" err 'not an mprof data file'

# ---------------------------------------------------------------- help, and options of all commands
# helped ARGUMENT...: tests that help is printed on stdout.
helped()
{
    run "$mprof" "$@"
    is "mprof $*: status, and how it is used" "$status $(grep -c '^[Uu]sage: mprof' out) $(cat err)" "0 1 "
}
for arguments in --help help 'report x -hv' 'export -F chains --help --unknown' 'run -h' '--help run' '-q help seal' 'help help'; do
    # shellcheck disable=SC2086
    helped $arguments
done
commands=$(listed Commands | grep -vx help)
at_least "--help lists the commands" "$(echo "$commands" | wc -l)" 20
version=$("$mprof" --version)
has "--version" /dev/stdin '^mprof [0-9]+\.[0-9]+' <<END
$version
END
for command in $commands; do
    helped "$command" --help
    has "$command: takes -q" out '^  -q, --quiet '
    cp out help.out
    helped help "$command"
    is "help $command is its --help" "$(cmp out help.out 2>&1)" ""
    hasnt "help of $command: no line is wider than 79 columns" out '^.{80}'
    run "$mprof" "$command" -V
    is "$command -V" "$status $(cat out err)" "0 $version"
    refused 2 "unrecognized option '--of-no-option-like-it'" "$command" --of-no-option-like-it
    grep -q "^[0-9].* $command" lines || fail "$command is not in the table"
done
# Options are printed in the order of their tables, so that a text may refer to the preceding option.
follows()
{
    run "$mprof" "$1" --help
    is "help of $1: $3 follows $2" "$(grep -oE '^ .{5}--[a-z-]+' out | sed 's/.*--//' | grep -xA1 -e "$2" | tail -n 1)" "$3"
}
follows report function root
follows report process program
follows run heap-signal heap-every
follows leaks error error-exitcode
topics=$(listed Topics)
is "help: its topics are the pages of README.md's table" "$topics" \
    "$(sed -n 's,^| `\([a-z]*\)` | \[.*\](doc/\1.md) |$,\1,p' "$src/README.md")"
for topic in $topics; do
    run "$mprof" help "$topic"
    is "help $topic: the page of that topic" "$status $(head -n 1 out)" "0 $(head -n 1 "$src/doc/$topic.md")"
    hasnt "help $topic: no picture and no link" out '\]\('
done
returns "nothing at all: status" 2 "$mprof"
has "nothing at all: usage" err 'usage: mprof run'
has "nothing at all: of each form of a command a line" err '^       mprof plot \[OPTION\.\.\.\] SNAPSHOT SNAPSHOT\.\.\.$'
empty "nothing at all: empty stdout" out
for arguments in 'html -q a.data' 'diff -q --html a.data b.data' 'merge -q -o sum.data a.data b.data' 'plot -q -o plot.svg a.data' \
    'run -q --leaks -o c.data ./prog'; do
    # shellcheck disable=SC2086
    says "$arguments: nothing is said" "0 " "$mprof" $arguments
done

# ---------------------------------------------------------------- mprof run
# runs STATUS OPTION... -- SCRIPT: tests the status of `mprof run OPTION... sh -c SCRIPT`, whose stdout is in `out`.
for line in "7|--quiet|exit 7" "137|--quiet|kill -KILL \$\$" "1|--check --max-bytes=1|:" "0|--check --max-bytes=1G|:" \
    "7|--check --max-bytes=1 --error-exitcode=7|:" "7|--check --max-bytes=1G|exit 7" \
    "2|--check --max-bytes=1G --baseline=nowhere.data|:"; do
    options=${line#*|}
    # shellcheck disable=SC2086
    returns "run ${line#*|}" "${line%%|*}" "$mprof" run -o c.data ${options%|*} sh -c "./prog; ${line##*|}"
done
if env --ignore-signal=CHLD true 2>/dev/null; then
    returns "SIGCHLD is ignored: the program's status all the same" 3 env --ignore-signal=CHLD "$mprof" run sh -c 'exit 3'
else
    skip "SIGCHLD is ignored" "env has no --ignore-signal"
fi
returns "-- ends the options" 3 "$mprof" run -- sh -c 'exit 3'
run "$mprof" run sh -c 'echo out; echo err >&2'
is "the program's output" "$(cat out)" out
has "the program's errors" err '^err$'
run "$mprof" run echo --help -o -f
is "options after the program are the program's" "$(cat out)" "--help -o -f"
if [ -c /dev/full ]; then
    "$mprof" run -q --report -o c.data ./prog >/dev/full 2>err
    is "run --report: the status is the program's" "$? $(sed 's/^mprof: [a-z ]*: //' err)" "0 No space left on device"
else
    skip "output that is lost" "no /dev/full"
fi
# A data file is removed while the program runs.
for wanted in 0 7; do
    rm -f gone.data
    "$mprof" run -o gone.data sh -c "until [ -e go.$wanted ]; do sleep 0.01; done; exit $wanted" 2>err &
    pid=$!
    until_true 60 test -s gone.data && rm -f gone.data
    : >go.$wanted
    wait $pid
    is "run: no recording is left, and the status is the program's" "$? $(grep -c '^mprof: .*removed' err)" "$wanted 1"
done
# The environment that the program gets. Another library is preloaded, because libmprof.so would remove its variables.
MPROF_LIBRARY=$(ldd "$mprof" | awk '/libc\.so/ { print $3 }')
export MPROF_LIBRARY
run "$mprof" run sh -c :
has "no data: said" err '^mprof: .*left no data file'
run "$mprof" run -o '%e-%p' sh -c 'echo "$MPROF_FILE"'
is "the template is absolute" "$(cat out)" "$tmp/%e-%p"
run env MPROF_SAMPLE=9 "$mprof" run --follow --depth=3 --no-call-graph --unwinder=fp \
    sh -c 'echo "$MPROF_FOLLOW $MPROF_DEPTH $MPROF_CALL_GRAPH $MPROF_UNWINDER <$MPROF_SAMPLE>"'
is "options go to the monitor, and variables from outside are replaced" "$(cat out)" "1 3 0 fp <>"
run "$mprof" run sh -c 'echo "$LD_PRELOAD"'
is "the library is preloaded" "$(cat out)" "$(realpath "$MPROF_LIBRARY")"

# ------------------------------------------------------------------------- Lisp
lisp=$src/tests/data/sealed-lisp.data
returns "report --lisp: status" 0 "$mprof" report --lisp "$lisp"
has "report --lisp: the runtime" out '^Runtime +ECL 21\.2\.1$'
has "report --lisp: a class" out '^ +10 +800 .* +POINT$'
has "report --lisp: types instead of sizes" out '^ +c +f +s +o '
hasnt "report --lisp: no leaks" out 'TABLE 2'
has "report --lisp: a Lisp function" out ' \[[0-9]\] +\(SETF BAR\)$'
hasnt "report --lisp: no dispatch" out 'APPLY-FROM-STACK-FRAME'
cp out lisp.out
run "$mprof" --lisp report "$lisp"
ok "mprof --lisp report is the same" cmp out lisp.out
prints "mprof --lisp FILE: the same in the form of 1988" ' \(SETF BAR\) \[[0-9]\]$' "$mprof" --lisp "$lisp"
run "$mprof" -lisp report "$lisp"
ok "with one dash, too" cmp out lisp.out
prints "--gc adds a table" '^TABLE 5: SURVIVAL$' "$mprof" --lisp report --gc --table=types --leaktable "$lisp"
has "--leaktable, too" out '^TABLE 2: KEPT OBJECTS$'
hasnt "--table chooses" out 'TABLE 3'
prints "without --lisp: both breakdowns" '^ +s +m +l +x +c +f +s +o ' "$mprof" report "$lisp"
has "without --lisp: leaks of malloc" out '^TABLE 2: MEMORY LEAKS$'
has "... the program's functions of Lisp, because most is theirs" out ' \[[0-9]\] +\(SETF BAR\)$'
hasnt "... not those of the runtime" out 'APPLY-FROM-STACK-FRAME'
prints "--frames=all: all frames" 'APPLY-FROM-STACK-FRAME' "$mprof" report --frames=all "$lisp"
run "$mprof" report --frames=c "$lisp"
hasnt "--frames=c: no Lisp name" out 'MAPCAR|SETF'
prints "findings --lisp: objects" ' in 110 objects, at most ' "$mprof" findings --lisp "$lisp"
prints "findings: both" ' in 115 blocks and objects, at most ' "$mprof" findings "$lisp"
run "$mprof" totals "$lisp"
is "totals: objects" "$(awk '$1 == "lisp-objects" { print $2 }' out)" 110
is "totals: kept" "$(awk '$1 == "lisp-kept" { print $2 }' out)" 560
prints "dump: points" '^10 800 770 1 80 1 80 1 0 0 POINT	.*;\(SETF BAR\);FOO$' "$mprof" --lisp export -F chains "$lisp"
run "$mprof" totals "$src/tests/data/sealed-widgets.data"
hasnt "totals of C: no objects" out lisp
plan
# SPDX-License-Identifier: MIT
