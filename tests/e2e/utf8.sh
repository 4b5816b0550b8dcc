#!/bin/sh
# Names in a recording, and paths and options, may have any bytes. What mprof writes is valid UTF-8, with \xNN in place of
# other bytes.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "UTF-8" gcc python3 sqlite3
bad=$(printf '\377\302')                # two bytes that are not valid UTF-8
cd "$tmp" && mkdir "d$bad" && cd "d$bad" || exit 99

# bytes FILE: writes standard input to FILE, with the invalid bytes in place of BAD.
bytes()
{
    LC_ALL=C sed "s/BAD/$bad/g" >"$1"
}

bytes "p$bad.c" <<'ENDC'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "runtime/mprof.h"
struct node { struct node *next; char text[40]; };
struct node *keep;
#line 7 "sBAD.c"
__attribute__((noinline)) struct node *fun(void) __asm__("funBAD");
__attribute__((noinline)) struct node *
fun(void)
{
    struct node *made = malloc(sizeof *made);
    made->next = keep;
    return keep = made;
}
static void *
thread(void *unused)
{
    prctl(PR_SET_NAME, "tBAD");
    fun();
    return unused;
}
int
main(int argc, char **argv)
{
    pthread_t id;
    void *library = dlopen(argv[1], RTLD_NOW);
    void (*other)(void) = library ? (void (*)(void))dlsym(library, "otherBAD") : 0;
    for (int i = 0; i < 100; i++)
        fun();
    if (!other || pthread_create(&id, 0, thread, 0) || pthread_join(id, 0))
        return 1;
    other();
    mprof_checkpoint("cBAD");
    mprof_print_status("end");
    if (fork() == 0)
        return !fun();
    keep = 0;
    return argc != 3 || mprof_heap_snapshot("h") || mprof_heap_snapshot("i");
}
ENDC
bytes "l$bad.c" <<'ENDC'
#include <stdlib.h>
void *kept;
void other(void) __asm__("otherBAD");
void other(void) { kept = malloc(5000); }
ENDC
ok "it compiles" gcc -g -w -I"$src" -o "p$bad" "p$bad.c"
ok "its library, without debug information" gcc -w -shared -fPIC -o "l$bad.so" "l$bad.c"
data=r$bad.data

# valid TEXT NAME COMMAND...: tests that what COMMAND prints is valid UTF-8, and that a line of standard output matches
# NAME, unless that is -.
valid()
{
    text=$1 name=$2
    shift 2
    "$@" >out 2>err
    is "$text: it is valid" "$("$python" "$src/tests/e2e/utf8.py" files out err | head -3)" ""
    [ "$name" = - ] || ok "$text: ... and has the name" grep -qaE -- "$name" out
}

valid "run" - "$mprof" run -f --leaks --lifetimes -o "$data" "./p$bad" "$PWD/l$bad.so" "arg$bad"
has "run: ... and has the names" err '^mprof: p\\xff\\xc2: exit status 0'
child=$(printf '%s\n' *.data.[0-9]* | grep -a '\.data\.[0-9]*$')
cp "$data" sealed
LD_PRELOAD=$library MPROF_FILE="live$bad" MPROF_LIFETIMES=1 "./p$bad" "$PWD/l$bad.so" 2>err >out     # status 1: an argument is missing
name='other\\+xff\\+xc2'
for file in "$data" "live$bad" "m$bad.data"; do
    case $file in
    r*) what=sealed ;;
    l*) what=live ;;
    m*)
        what=merged
        valid "merge" - "$mprof" merge --label="host=b$bad" -o "$file" "$data" "$child" ;;
    esac
    for format in $("$mprof" export --formats | cut -d' ' -f1); do
        valid "$what: $format" - "$mprof" export -F "$format" -o made "$file"
        [ "$format" != sqlite ] || { sqlite3 made .dump >made.sql && mv made.sql made; }
        is "$what: ... the file, too" "$("$python" "$src/tests/e2e/utf8.py" files made; test -s made || echo empty)" ""
        rm -f made
    done
    valid "$what: report" "$name" "$mprof" report "$file"
    valid "$what: report, JSON" "$name" "$mprof" report --json "$file"
    valid "$what: report, lines" 's\\xff\\xc2\.c:' "$mprof" report --lines=full "$file"
    valid "$what: report, DOT" 'other\\+xff' "$mprof" report --graph=dot "$file"
    valid "$what: findings" - "$mprof" findings "$file"
    valid "$what: findings, JSON" - "$mprof" findings --json "$file"
    valid "$what: leaks" - "$mprof" leaks "$file"
    valid "$what: leaks, JSON" - "$mprof" leaks --json "$file"
    valid "$what: totals, JSON" 'xff' "$mprof" totals --json "$file"
    valid "$what: flamegraph" "$name" "$mprof" flamegraph "$file"
    valid "$what: plot" - "$mprof" plot "$file"
    valid "$what: plot, data" - "$mprof" plot --data "$file"
    valid "$what: html" 'octet-stream' "$mprof" html -o - "$file"
    valid "$what: html beside it" - "$mprof" html "$file"
    valid "$what: annotate" 'xff' "$mprof" annotate "s\xff\xc2.c" "$file"
    valid "$what: a checkpoint" - "$mprof" report --from="c$bad" "$file"
    valid "$what: check" 'xff' "$mprof" check --junit=junit --gitlab=quality --max-bytes=1 --no-leaks "$file"
    valid "$what: check, files" 'xff' cat junit quality
done
valid "diff" 'xff' "$mprof" diff "$data" "$child"
valid "diff, JSON" 'xff' "$mprof" diff --json "$data" "$child"
valid "diff, a page" - "$mprof" diff --html -o - "$data" "$child"
for snapshots in "$data.1.h.heap" "$data.1.h.heap $data.2.i.heap"; do
    # shellcheck disable=SC2086
    valid "heap" - "$mprof" heap $snapshots
    # shellcheck disable=SC2086
    valid "heap, JSON" 'r\\\\xff\\\\xc2\.data\.1\.h\.heap' "$mprof" heap --json $snapshots
done
valid "plot of heaps" - "$mprof" plot "$data.1.h.heap" "$data.2.i.heap"
valid "check, several" 'r\\xff\\xc2\.data\)$' "$mprof" check --no-leaks "$data" "$child"
printf '{\nn%s\nMemcheck:Leak\nfun:fun\n}\n' "$bad" >suppressions
valid "check, suppressions" 'suppressed: .* by n\\xff\\xc2$' "$mprof" check --no-leaks --suppressions=suppressions "$data"

# labels, which can be given only on the command line
valid "labels: sqlite" - "$mprof" export -F sqlite --label="k=v$bad" -o made.db "$data"
valid "labels: its texts" 'v\\xff\\xc2' sqlite3 made.db .dump
valid "labels: csv" 'k=v\\xff\\xc2' "$mprof" export -F csv --label="k=v$bad" "$data"
valid "labels: ndjson" '"k":"v\\\\xff\\\\xc2"' "$mprof" export -F ndjson --label="k=v$bad" "$data"

# files of other tools
"$mprof" export -F pprof-legacy "$data" | LC_ALL=C sed "s/\\\\xff\\\\xc2/$bad/g" >"legacy$bad"
"$mprof" export -F heaptrack "$data" | LC_ALL=C sed "s/\\\\xff\\\\xc2/$bad/g; s/\\\\\\\\xff/$bad/g" >"heaptrack$bad"
"$mprof" export -F pprof "$data" | gzip -dc | LC_ALL=C sed "s/\\\\xff\\\\xc2/$bad$bad$bad$bad/g" | gzip >"pprof$bad"
for tool in legacy heaptrack pprof; do
    ok "$tool: the file has such bytes" sh -c "gzip -dcf '$tool$bad' | LC_ALL=C grep -qa '$bad'"
    for command in "report" "report --json" "export -F csv" "export -F speedscope" "html -o -"; do
        # shellcheck disable=SC2086
        valid "$tool: $command" - "$mprof" $command "$tool$bad"
    done
done

# Lisp: a character may be half of a surrogate pair, which has no UTF-8 form. ECL 24 does not start in a directory
# whose name is not valid.
if need ecl; then
    here=$PWD
    cd "$tmp" || exit 99
    cat >names.lisp <<'ENDL'
(defparameter *odd* (map 'string #'code-char '(102 #xd800 #xffff 255 7)))
(make-package *odd*)
(defvar *name* (intern *odd* *odd*))
(defvar *kept* nil)
(eval `(defun ,*name* () (list (make-array 100))))
(eval `(defclass ,*name* () ((,*name* :initform ,*odd*))))
(dotimes (i 1000) (push (funcall *name*) *kept*) (push (make-instance *name*) *kept*))
(mp:process-join (mp:process-run-function *name* (lambda () (push (make-array 1000) *kept*))))
(si:gc t)
(si:quit 0)
ENDL
    valid "Lisp: run" - "$mprof" run -q --heap-every=gc --heap-strings -o lisp.data ecl --norc --load names.lisp
    for options in "report --lisp -v" "report --json" "findings" "html -o -" "export -F csv" "export -F pprof" "export -F speedscope" \
        "flamegraph --lisp" "export --lisp -F callgrind" "export -F sqlite -o lisp.db"; do
        # shellcheck disable=SC2086
        valid "Lisp: $options" - "$mprof" $options lisp.data
        [ "$options" != "report --json" ] || has "Lisp: ... and has the name" out 'f\\\\xed\\\\xa0\\\\x80'
    done
    valid "Lisp: sqlite's texts" 'f\\xed\\xa0\\x80' sqlite3 lisp.db .dump
    for snapshot in lisp.data.*.heap; do
        valid "Lisp: $snapshot" - "$mprof" heap --json --type=STRING "$snapshot"
    done
    cd "$here" || exit 99
else
    skip "Lisp" "$missing"
fi

# Every option of each of these commands, and missing files.
"$python" "$src/tests/e2e/utf8.py" options "$mprof" sealed report findings check diff html annotate flamegraph leaks merge seal \
    totals plot export replay heap snapshot checkpoint stop start >wrong
calls=$(tail -1 wrong)
is "options: what is printed is valid" "$(head -n -1 wrong | head -5)" ""
at_least "options: calls" "$calls" 500
valid "a program that is missing" - "$mprof" run "none$bad"
valid "a folder that is missing" - "$mprof" run -o "none$bad/x" true
valid "a command that is none" - "$mprof" "none$bad"
valid "the monitor's messages" - env LD_PRELOAD="$library" MPROF_FILE="none$bad/x" true
has "the monitor's messages: ... and there are some" err 'none\?\?/x: No such file'
plan
# SPDX-License-Identifier: MIT
