#!/bin/sh
# Exit statuses of all commands: 0 for success, 1 if a file or process prevents it or the verdict is bad, 2 if the
# command line is wrong. Commands with a verdict return 2 if there is no verdict. And outputs: a command never
# replaces its input, a recording, or a snapshot.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >prog.c <<'END'
#include <stdlib.h>
#include <time.h>
void *volatile kept;
int main(void)
{
    const struct timespec wait = {0, 3000000};
    for (int i = 0; i < 100; i++) {
        kept = malloc(100);
        nanosleep(&wait, NULL);
    }
    kept = NULL;
    return 0;
}
END
gcc -g -o prog prog.c || exit 99
"$mprof" run -q --leaks -o a.data ./prog
"$mprof" run -q -o b.data ./prog
"$mprof" export -F pprof -o foreign.pb.gz a.data
cp "$src/tests/data/sealed-lisp.data" lisp.data
mkdir none empty
: >none/list
cp a.data keep.data
cp a.data.1.heap keep.heap

# exits STATUS COMMAND [ARGUMENT...]: tests the status of `mprof COMMAND`.
exits()
{
    if [ "$1" = 0 ]; then
        shift
        returns "mprof $*: status" 0 "$mprof" "$@"
    else
        wanted=$1
        shift
        refused "$wanted" '' "$@"
    fi
}

# ------------------------------------------------------------------ 0, 1 and 2 of each command
commands="report findings check diff html annotate flamegraph leaks merge totals plot export replay heap top seal
    snapshot checkpoint watch serve stop start"
is "all commands are tried" "$("$mprof" --help | awk '/^Commands:/ { inside = 1; next } /^$/ { inside = 0 }
    inside && $1 !~ /^(run|help)$/ { print $1 }' | sort | paste -sd' ')" \
    "$(printf '%s\n' $commands | sort | paste -sd' ')"
for command in $commands run; do
    exits 2 "$command" --of-no-option-like-it
done

for command in report findings totals "export -F chains" seal; do
    # shellcheck disable=SC2086
    exits 0 $command a.data
    # shellcheck disable=SC2086
    exits 1 $command nowhere.data
done
exits 0 check --max-bytes=1G a.data
exits 0 diff a.data b.data
exits 0 html -o page.html a.data
exits 0 annotate main a.data
exits 0 flamegraph -o flame.svg a.data
exits 0 leaks a.data
exits 0 merge -o sum.data a.data b.data
exits 0 plot -o plot.svg a.data
exits 0 export -F csv -o rows.csv a.data
exits 0 heap a.data.1.heap
exits 1 diff a.data nowhere.data
exits 1 html -o none.html nowhere.data
exits 1 annotate nobody a.data
exits 1 annotate main nowhere.data
exits 1 flamegraph -o none.svg nowhere.data
exits 1 plot -o none.svg nowhere.data
exits 1 plot -o none.svg lisp.data
exits 1 export -F csv nowhere.data
exits 1 replay a.data
exits 1 heap nowhere.heap
exits 1 heap --type=nothing a.data.1.heap
exits 1 top -b nowhere.data
exits 1 export -F lifetimes a.data
exits 1 report --process=prog a.data
exits 1 report --focus=nobody a.data
exits 1 report --at=nowhere a.data
exits 1 serve 999999999
for command in snapshot checkpoint watch stop start; do
    exits 1 $command $$
    exits 2 $command
done
is "nothing was written" "$(ls none.* 2>/dev/null)" ""

# A merge of no files fails, but the command line is not wrong.
exits 1 merge -o none.data empty
exits 1 merge -o none.data @none/list
exits 1 merge -o none.data @nowhere
run "$mprof" merge -k -o none.data page.html
is "merge -k of what cannot be merged" "$status $(tail -n 1 err)" "1 mprof: none of the files can be merged"
exits 2 merge -o none.data
exits 2 merge a.data b.data
exits 2 plot --data --json a.data
exits 2 plot --data -o - a.data
exits 0 plot --data --json=time.json a.data

# A run after which the recording is missing.
"$mprof" run -o gone.data ./prog 2>err &
pid=$!
until_true 60 test -s gone.data && rm -f gone.data
wait $pid
is "run: no recording is left, and the status is the program's" "$? $(grep -c '^mprof: .*removed' err)" "0 1"
"$mprof" run -o gone.data sh -c '"$1"; exit 7' - ./prog 2>err &
pid=$!
until_true 60 test -s gone.data && rm -f gone.data
wait $pid
is "... the program's status goes before" "$?" 7

# ------------------------------------------------------------------ verdicts
run "$mprof" leaks --error a.data
is "leaks --error: one is lost" "$status $(wc -l <err)" "1 0"
exits 2 leaks b.data
exits 2 leaks --error nowhere.data
exits 2 leaks --error-exitcode=0 a.data
exits 2 check --max-bytes=1G nowhere.data
exits 2 check a.data
exits 2 check --max-bytes=much a.data
run "$mprof" check --max-bytes=1 a.data
is "check: over" "$status $(wc -l <err)" "1 0"
run "$mprof" check --max-bytes=1 --error-exitcode=7 a.data
is "check --error-exitcode: over" "$status $(wc -l <err)" "7 0"
exits 0 check --max-bytes=1G --error-exitcode=7 a.data
exits 2 check --max-bytes=1G --error-exitcode=7 nowhere.data
returns "run --check --error-exitcode: over" 7 "$mprof" run -q --check --max-bytes=1 --error-exitcode=7 -o c.data ./prog
exits 2 run -q --error-exitcode=7 -o c.data ./prog
for command in check leaks "run --check"; do
    # shellcheck disable=SC2086
    exits 2 $command --error-exitcode=256 a.data
done
returns "run --check: over" 1 "$mprof" run -q --check --max-bytes=1 -o c.data ./prog
returns "run --check: within" 0 "$mprof" run -q --check --max-bytes=1G -o c.data ./prog
returns "run --check: the program's status goes before" 7 "$mprof" run -q --check --max-bytes=1G -o c.data sh -c 'exit 7'
returns "run --check: no verdict" 2 "$mprof" run -q --check --max-bytes=1G --baseline=nowhere.data -o c.data ./prog

# ------------------------------------------------------------------ output that is lost
# lost STATUS COMMAND...: tests COMMAND with an output that cannot be written.
lost()
{
    wanted=$1
    shift
    "$mprof" "$@" >/dev/full 2>err
    is "mprof $* >/dev/full: status" "$?" "$wanted"
    is "mprof $* >/dev/full: one line" "$(sed 's/^mprof: [a-z ]*: //' err)" "No space left on device"
}
if [ -c /dev/full ]; then
    for command in report findings totals "export -F chains"; do
        # shellcheck disable=SC2086
        lost 1 $command a.data
    done
    for command in report findings totals; do
        lost 1 $command --json a.data
    done
    lost 1 diff --json a.data b.data
    lost 1 diff a.data b.data
    lost 1 diff --html -o - a.data b.data
    lost 1 html -o - a.data
    lost 1 annotate main a.data
    lost 1 annotate --json main a.data
    lost 1 flamegraph a.data
    lost 1 plot a.data
    lost 1 plot --data a.data
    lost 1 plot --json a.data
    for format in csv ndjson pprof callgrind collapsed massif dhat heaptrack speedscope; do
        ! "$mprof" export --formats | grep -q "^$format " || lost 1 export -F $format a.data
    done
    lost 1 export --formats
    lost 1 replay --help
    lost 1 heap a.data.1.heap
    lost 1 heap --json a.data.1.heap
    lost 1 help
    lost 1 help serve
    lost 1 report --version
    lost 2 leaks a.data
    lost 2 leaks --json a.data
    lost 2 leaks --error-exitcode=7 a.data
    lost 2 check --max-bytes=1G a.data
    lost 2 check --max-bytes=1 a.data
    lost 2 check --suggest a.data
    "$mprof" run -q --report -o c.data ./prog >/dev/full 2>err
    is "run --report: the status is the program's" "$?" 0
    is "run --report: one line" "$(cat err)" "mprof: standard output: No space left on device"
else
    skip "output that is lost" "no /dev/full"
fi

# ------------------------------------------------------------------ files that are not replaced
# spared FILE COMMAND...: tests that FILE is unchanged, and that the error names the reason.
spared()
{
    file=$1
    shift
    cp "$file" before
    run "$mprof" "$@"
    is "mprof $*: status" "$status" "$([ "$1" = check ] && echo 2 || echo 1)"
    has "mprof $*: said" err "^mprof: $file: .*would be (lost|replaced); choose another name for the output\$"
    is "mprof $*: the file is as it was" "$(cmp before "$file" 2>&1)" ""
}
spared a.data html -o a.data a.data
spared b.data html -o b.data a.data
spared a.data.1.heap html -o a.data.1.heap a.data
spared a.data export -F csv -o a.data a.data
spared foreign.pb.gz export -F csv -o foreign.pb.gz foreign.pb.gz
spared a.data flamegraph -o a.data a.data
spared a.data plot -o a.data a.data
spared b.data plot --data=b.data a.data
spared b.data plot --json=b.data a.data
spared a.data totals --json=a.data a.data
spared a.data diff -o a.data a.data b.data
spared foreign.pb.gz diff -o foreign.pb.gz a.data foreign.pb.gz
spared b.data diff --html -o b.data a.data b.data
spared a.data check --max-bytes=1G --junit=a.data a.data
spared a.data check --max-bytes=1G --gitlab=a.data a.data
ln -s a.data link
cp a.data before
run "$mprof" html -o link a.data
is "-o a link to it" "$status $(cmp before a.data 2>&1)" "1 "
cp rows.csv before
exits 0 export -F csv -o rows.csv b.data
exits 0 export -F pprof -o foreign.pb.gz a.data
exits 0 html -o /dev/null a.data
is "the recordings are as they were" "$(cmp keep.data a.data 2>&1; cmp keep.heap a.data.1.heap 2>&1)" ""

# ------------------------------------------------------------------ options of all commands
version=$("$mprof" --version)
for command in $commands run; do
    run "$mprof" "$command" -V
    is "$command -V" "$status $(cat out err)" "0 $version"
    run "$mprof" help "$command"
    is "help $command" "$status $(sed -n '1s/\(mprof [a-z]*\).*/\1/p' out) $(wc -l <err)" "0 Usage: mprof $command 0"
    has "$command: takes -q" out '^  -q, --quiet '
done
run "$mprof" help help
is "help help" "$status $(head -n 1 out | cut -c1-16) $(wc -l <err)" "0 usage: mprof run 0"
for command in "html a.data" "diff --html a.data b.data" "merge -o sum.data a.data b.data" "plot -o plot.svg a.data"; do
    # shellcheck disable=SC2086
    run "$mprof" ${command%% *} -q ${command#* }
    is "$command, -q: nothing is said" "$status $(cat out err)" "0 "
done
run "$mprof" run -q --leaks -o c.data ./prog
is "run -q --leaks: nothing is said" "$status $(cat out err)" "0 "
plan
