#!/bin/sh
# The command line: help, bad input, exit statuses. The monitor is not needed; where a program must run, another
# library replaces libmprof.so.
. "${srcdir:-.}/tests/e2e/tap.sh"

mprof=${MPROF:-$top/mprof}
MPROF_LIBRARY=$(ldd "$mprof" | awk '/libc\.so/ { print $3 }')
export MPROF_LIBRARY
cd "$tmp" || exit 99

# helped ARGUMENTS...: tests that help is printed on stdout.
helped()
{
    returns "mprof $*: status 0" 0 "$mprof" "$@"
    has "mprof $*: says how it is used" out '^[Uu]sage: mprof'
    is "mprof $*: nothing on stderr" "$(wc -c <err)" 0
}

printf '#!/bin/sh\n' >prog
chmod +x prog

# ---------------------------------------------------------------- help, version
helped --help
has "--help lists run" out '^  run '
has "--help lists report" out '^  report '
helped help
helped help run
has "help run lists the options" out '--no-call-graph'
helped help report
helped report x -hv
helped export -F chains --help --unknown
helped run --help
helped run -h
helped report --help
has "report --help lists the options" out '--noleaktable'
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
is "help: no line is wider than 79 columns" "$(for command in run check leaks top; do
    "$mprof" $command --help
done | awk 'length($0) > 79')" ""
refused 2 "'frob' is neither a command nor a topic" help frob
refused 2 "did you mean limits\?" help limit
topics=$("$mprof" --help | awk '/^Topics:/ { inside = 1; next } /^$/ { inside = 0 } inside { print $1 }')
is "help: its topics are the pages of README.md's table" "$topics" \
    "$(sed -n 's,^| `\([a-z]*\)` | \[.*\](doc/\1.md) |$,\1,p' "$src/README.md")"
for topic in $topics; do
    run "$mprof" help "$topic"
    is "help $topic: the page of that topic" "$status $(head -n 1 out)" "0 $(head -n 1 "$src/doc/$topic.md")"
    hasnt "help $topic: no picture and no link" out '\]\('
done
returns "--version: status" 0 "$mprof" --version
has "--version" out '^mprof [0-9]+\.[0-9]+'
returns "nothing at all: status" 2 "$mprof"
has "nothing at all: usage" err 'usage: mprof run'
has "nothing at all: of each form of a command a line" err '^       mprof plot \[OPTION\.\.\.\] SNAPSHOT SNAPSHOT\.\.\.$'
is "nothing at all: empty stdout" "$(wc -c <out)" 0

# --------------------------------------------------------------------- bad usage
refused 2 "'foo' is neither a command nor a file" foo
refused 2 "unrecognized option '--frob'" --frob
refused 2 "unrecognized option '--frob'; did you mean --from\?\$" report --frob
refused 2 "invalid option -- 'x'" report -x
refused 2 "ambiguous" report --no
refused 2 "requires an argument" report --chain
refused 2 "neither a number from 1 to 1000000 nor all" report --chain=0
refused 2 "neither a number from 1 to 1000000 nor all" leaks --chain=0
refused 2 "neither a number" report --chain=-1
refused 2 "neither a number" report --chain=5x
refused 2 "findings, overview, .* or lifetimes" report --table=bins,tables
refused 2 "findings, overview, .* or lifetimes" report --table=
refused 2 "auto, always or never" report --color=blue
refused 2 "lisp, c or all" report --frames=some
refused 2 "bytes, allocs, kept, peak or temporary" report --sort=size
for command in report diff check heap leaks top; do
    refused 2 "--max=0: neither a number from 1 to 1000000000 nor all; see" $command --max=0
done
for option in "run --sample=65M" "replay --first-heap=0K" "run --sample=K" "replay --most-heap=-1"; do
    # shellcheck disable=SC2086
    refused 2 "${option#* }: not a number of bytes from 1 to [0-9]+M, such as 512K; see" $option
done
refused 2 "not a percentage" check --tolerance=1M
refused 1 "none: No such file" report --min=1G none
refused 2 "none: No such file" leaks --max=all --chain=all none

for command in "merge x" "run true" "start 1" "snapshot 1" "watch 1"; do
    refused 2 "--output=-: a data file cannot be written to standard output; see" ${command% *} -o - ${command#* }
done

# ------------------------------------------------------------------ options given twice
for option in "report --sort=peak" "report --min=2" "diff -ox" "run --depth=3" "start -o=x" "top --by=type" "html --at=end" \
    "findings --focus=main" "flamegraph --frames=c" "check --max-kept=1" "check --suggest=lsan" "heap --path=3"; do
    # shellcheck disable=SC2086
    refused 2 "--[a-z-]+=.*: given twice; see mprof ${option%% *} --help\$" $option -q ${option#* }
done
refused 1 "none: No such file" report --table=bins --table=direct --function=a --function=b --skip=a --skip=b -v -v none
refused 2 "lisp, c or all" export -F chains --frames=
refused 2 "unrecognized option '--lisp'" --lisp run true
# Options before a command are that command's.
refused 2 "no program to run; see mprof run --help\$" -q -o f run
refused 2 "unrecognized option '--verbose'; see mprof seal --help\$" --verbose seal
refused 2 "invalid option -- 'o'; see mprof totals --help\$" -q -o f totals
refused 2 "doesn't allow an argument; see mprof html --help\$" --quiet=1 html
refused 2 "--max-kept=x: .*; see mprof check --help\$" -q --max-kept x check
refused 2 "'frob' is neither a command nor a topic" -q help frob
refused 1 "cannot open none: No such file" -qv --sort=peak report none
helped --help run
helped -q help seal
is "--help run: is run's" "$("$mprof" --help run)" "$("$mprof" run --help)"
refused 2 "one file too many" report a b
refused 2 "one file too many" -verbose "$mprof" b c
refused 2 "no program to run" run
refused 2 "no program to run" run -f --
refused 2 "unrecognized option '--frob'; see mprof run --help" run --frob true
refused 2 "requires an argument" run -o
refused 2 "not a number" run --depth=0 true
refused 2 "not a number" run --depth=99999999999999999999 true
refused 2 "rules, libunwind or fp" run --unwinder=guess true
refused 2 "only %p" run -o 'x%q' true
refused 2 "empty" run -o '' true

refused 2 "'reprot' is neither a command nor a file; did you mean report\?\$" reprot
refused 2 "did you mean snapshot\?\$" snapshots 1
refused 2 "did you mean totals\?\$" help total
refused 2 "did you mean run\?\$" rum
refused 2 "'of-no-command-like-it' is neither a command nor a file; see" of-no-command-like-it

refused 2 "unrecognized option '--tabel=leaks'; did you mean --table\?\$" report --tabel=leaks
refused 2 "did you mean --lines\?\$" report --line-s x
refused 2 "did you mean --no-call-graph\?\$" run --no-callgraph true
refused 2 "did you mean --focus\?\$" findings --fcous=main
refused 2 "did you mean --help\?\$" totals --hlep
refused 2 "see mprof report --help" report --of-no-option-like-it

# Programs are profiled with mprof run, not with `mprof PROGRAM`.
refused 2 "no recording of \./prog; to profile it: mprof run \./prog\$" ./prog
: >argument
refused 2 "argument is no recording of \./prog; to profile it: mprof run \./prog \.\.\.\$" ./prog argument
refused 2 "to profile \./prog: mprof run \./prog \.\.\.\$" ./prog --its-option
refused 2 "to profile \./prog: mprof run \./prog \.\.\.\$" ./prog a b c
cp "$src/tests/data/sealed-widgets.data" mprof.data
refused 2 "mprof.data is a recording of [^ ]+, not of \./prog; to profile that: mprof run \./prog\$" ./prog
refused 2 "mprof.data is a recording of [^ ]+, not of \./prog;" -verbose ./prog mprof.data
rm mprof.data argument
refused 2 "'cat' is neither a command nor a file; to profile it: mprof run cat\$" cat

# ------------------------------------------------------------------- data files
echo "these are notes" >notes.txt
: >empty
refused 1 "No such file" report
refused 1 "none.data: No such file" report none.data
refused 1 "notes.txt: .*not an mprof data file" report notes.txt
refused 1 "empty: " report empty
refused 1 "" report .
refused 1 "No such file" -verbose
refused 1 "No such file" --offsets -terse
refused 1 "No such file" -offset -terse
refused 2 "mprof.data does not exist, so there is no recording of $mprof" "$mprof"
refused 1 "nobody: No such file" report --executable=nobody notes.txt
refused 2 "one file too many; --executable=/bin/sh names the program; see" \
    report /bin/sh "$src/tests/data/sealed-widgets.data"

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
has "without --lisp: all frames" out 'APPLY-FROM-STACK-FRAME'
run "$mprof" report --frames=c "$lisp"
hasnt "--frames=c: no Lisp name" out 'MAPCAR|SETF'
run "$mprof" totals "$lisp"
is "totals: objects" "$(awk '$1 == "lisp-objects" { print $2 }' out)" 110
is "totals: kept" "$(awk '$1 == "lisp-kept" { print $2 }' out)" 560
prints "dump: points" '^10 800 770 1 80 1 80 1 0 0 POINT	.*;\(SETF BAR\);FOO$' "$mprof" --lisp export -F chains "$lisp"
run "$mprof" totals "$src/tests/data/sealed-widgets.data"
hasnt "totals of C: no objects" out lisp

# --------------------------------------------------------------------- programs
# (a directory in PATH that this user may not search would change the error to "Permission denied", as with exec*p())
folders=$PATH
PATH=/usr/bin:/bin
refused 127 "no-such-program: No such file" run no-such-program
PATH=$folders
refused 127 "./nobody: No such file" run ./nobody
refused 127 "No such file" run ''
refused 126 "notes.txt: Permission denied" run ./notes.txt
refused 126 "Permission denied" run .
refused 126 "Is a directory" run ./
printf '#!/no/such/interpreter\n' >script
chmod +x script
refused 126 "interpreter /no/such/interpreter" run ./script
if ldd /sbin/ldconfig 2>&1 | grep -qE 'static|not a dynamic'; then
    refused 126 "statically linked" run /sbin/ldconfig -p
    printf '#!/sbin/ldconfig -p\n' >script
    refused 126 "/sbin/ldconfig: is statically linked" run ./script
else
    skip "static program" "/sbin/ldconfig is not static here"
fi
MPROF_LIBRARY=/nowhere/libmprof.so refused 126 "/nowhere/libmprof.so" run true

# ----------------------------------------------------------------------- output
refused 1 "notes.txt: exists and is not an mprof data file; choose another" run -o notes.txt true
is "the notes are still there" "$(cat notes.txt)" "these are notes"
refused 1 "nodir: No such file" run -o nodir/x true
refused 1 "is a directory" run -o ./ true
if [ -w /dev ]; then
    refused 1 "/dev/null: exists and is not" run -o /dev/null true
else
    refused 1 "/dev: Permission denied" run -o /dev/null true
fi
mkfifo pipe
refused 1 "pipe: exists and is not" run -o pipe true
cp "$src/tests/data/sealed-widgets.data" few.data
run sh -c 'exec 3>&-; ulimit -n 4 && exec "$1" run -o few.data true' - "$mprof"
has "too few descriptors: said" err '^mprof: .*: Too many open files$'
hasnt "too few descriptors: and not that it is no data file" err 'not an mprof data file'
mkdir closed
chmod 555 closed
if [ -w closed ]; then
    skip "unwritable folder" "root may write everywhere"
else
    refused 1 "closed: Permission denied" run -o closed/x true
fi

# ------------------------------------------------- the program runs as it is
returns "the program's status" 7 "$mprof" run sh -c 'echo out; echo err >&2; exit 7'
is "the program's output" "$(cat out)" out
has "the program's errors" err '^err$'
has "no data: said" err '^mprof: .*left no data file'
returns "killed: 128 + 9" 137 "$mprof" run sh -c 'kill -KILL $$'
if env --ignore-signal=CHLD true 2>/dev/null; then
    returns "SIGCHLD is ignored: the program's status all the same" 3 env --ignore-signal=CHLD "$mprof" run sh -c 'exit 3'
else
    skip "SIGCHLD is ignored" "env has no --ignore-signal"
fi
returns "-- ends the options" 3 "$mprof" run -- sh -c 'exit 3'
run "$mprof" run echo --help -o -f
is "options after the program are the program's" "$(cat out)" "--help -o -f"
run "$mprof" run -o '%e-%p' sh -c 'echo "$MPROF_FILE"'
is "the template is absolute" "$(cat out)" "$tmp/%e-%p"
run "$mprof" run --follow --depth=3 --no-call-graph --unwinder=fp \
    sh -c 'echo "$MPROF_FOLLOW $MPROF_DEPTH $MPROF_CALL_GRAPH $MPROF_UNWINDER"'
is "options go to the monitor" "$(cat out)" "1 3 0 fp"
(
    MPROF_FOLLOW=1 MPROF_DEPTH=9
    export MPROF_FOLLOW MPROF_DEPTH
    "$mprof" run sh -c 'echo "<$MPROF_FOLLOW$MPROF_DEPTH>"' 2>/dev/null
) >out
is "variables from outside are replaced" "$(cat out)" "<>"
run "$mprof" run sh -c 'echo "$LD_PRELOAD"'
is "the library is preloaded" "$(cat out)" "$(realpath "$MPROF_LIBRARY")"

# ---------------------------------------------------------------- lost output
if [ -c /dev/full ]; then
    "$mprof" --help >/dev/full 2>err
    is "full disk: status" "$?" 1
    has "full disk: said" err '^mprof: standard output: No space left'
else
    skip "full disk" "no /dev/full"
fi

plan
