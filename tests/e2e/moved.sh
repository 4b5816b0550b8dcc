#!/bin/sh
# If the live file is renamed, removed or replaced, its recording is sealed, and a message says what happened.
# (truncated.sh tests changes of the file's contents.)
. "${srcdir:-.}/tests/e2e/lib.sh"

# Makes 500 blocks, prints "ready", waits for the file `go`, and makes 500 more. With "fork", a child does so, too.
cat >waits.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void
block(size_t size)
{
    memset(malloc(size), 1, size);
}
int
main(int argc, char **argv)
{
    pid_t child = argc > 1 && strcmp(argv[1], "fork") == 0 ? fork() : -1;

    for (int i = 1; i <= 1000; i++) {
        block(i);
        if (i == 500 && write(1, "ready\n", 6) == 6)
            while (access("go", F_OK) != 0)
                free(malloc((size_t)usleep(1000) + 1));
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    return 7;
}
END
gcc -g -O0 -o waits waits.c || exit 99
"$mprof" run -q -o other.data true

# observes: returns whether the worker of mprof run has the live file open.
observes()
{
    for child in $(cat "/proc/$pid/task/$pid/children"); do
        [ "$child" = "$(program_of "$pid")" ] || readlink /proc/"$child"/fd/* | grep -q '/m\.data'
    done
}

# while_it_runs HOW OPTION...: runs mprof run OPTION..., whose program is `waits`, and executes HOW in the directory d
# while the program waits. Sets $of to the PID of the program.
while_it_runs()
{
    how=$1
    shift
    rm -rf d e go
    mkdir d
    "$mprof" run -o d/m.data "$@" >out 2>err </dev/null &
    pid=$!
    until_true 60 test -s d/m.data
    until_true 60 sh -c '[ "$(grep -c ready out)" -eq "$1" ]' sh "${ready:-1}"
    of=$(program_of "$pid")
    case $* in
    *timeline=off*) ;;
    *) until_true 60 observes ;;
    esac
    (cd d && eval "$how")
    touch go
    wait "$pid"
    status=$?
}

# is_whole NAME FILE MESSAGE: tests the summary, the message about the name, and the sealed file.
is_whole()
{
    is "$1: the program's status" "$status" 7
    if [ -n "$3" ]; then
        has "$1: it is said" err "^mprof: the data file of process $of was $3 $2\$"
    else
        hasnt "$1: nothing is said" err '^mprof: the data file'
    fi
    has "$1: the summary names the file" err "^mprof: .* of data in $2; to see it:\$"
    hasnt "$1: nothing else is said" err 'lost|stopped|not all data'
    is "$1: all is recorded" "$(head -c 8 "$2") $(books self block "$2" | cut -d' ' -f1)" "MPROFDAT 1000"
}

moved()
{
    while_it_runs "$2" ./waits
    is_whole "$1" "$3" "$4"
}

renamed='renamed while it ran, to'
removed='removed while it ran, and written again:'
replaced='replaced while it ran, and written again:'
moved "rotated" 'mv m.data m.data.old' d/m.data.old "$renamed"
moved "rotated, and an empty file made" 'mv m.data m.data.1; : >m.data' d/m.data.1 "$renamed"
is "... the empty file stays" "$(wc -c <d/m.data)" 0
moved "renamed" 'mv m.data elsewhere' d/elsewhere "$renamed"
moved "its directory renamed" 'mv ../d ../e' e/m.data "$renamed"
moved "its directory renamed, and another made" 'mv ../d ../e; mkdir ../d' e/m.data "$renamed"
moved "replaced by a link to it" 'mv m.data x; ln -s x m.data' d/x "$renamed"
moved "removed" 'rm m.data' d/m.data "$removed"
moved "removed, with another link" 'ln m.data x; rm m.data' d/m.data "$removed"
mkdir foreign
moved "removed from its renamed directory" 'mv ../d ../e; ln -s foreign ../d; rm ../e/m.data' e/m.data "$removed"
is "... nothing is written where the old name leads" "$(ls foreign)" ""
moved "replaced by a copy of itself" 'cp m.data x; mv x m.data' d/m.data "$replaced"
moved "replaced by an empty file" 'rm m.data; : >m.data' d/m.data "$replaced"
# shellcheck disable=SC2016     # the function expands it
for by in 'mkfifo m.data' 'mkdir m.data' 'ln -s nowhere m.data' 'cp ../other.data m.data' 'echo x >m.data'; do
    while_it_runs "rm m.data; $by; ls -ld m.data >../before" ./waits
    is_whole "replaced: $by" "d/m.data.$of" "$replaced"
    is "replaced: $by: that is not touched" "$(cd d && ls -ld m.data)" "$(cat before)"
done
moved "a copy beside it" 'cp m.data m.data.1' d/m.data ""
moved "a link beside it" 'ln m.data m.data.1' d/m.data ""
moved "odd names beside it" 'mkfifo m.data.2; mkdir m.data.3; ln -s nowhere m.data.4' d/m.data ""

# Without an observer, no process of mprof run has the file open.
while_it_runs 'mv m.data m.data.old' --timeline=off ./waits
is_whole "not observed, rotated" d/m.data.old "$renamed"
while_it_runs 'cp m.data x; mv x m.data' --timeline=off ./waits
has "not observed, replaced by a copy: it is lost" err \
    '^mprof: d/m\.data was truncated, overwritten or replaced while the program ran; its recording is lost$'
while_it_runs 'rm -r ../d' ./waits
has "its directory removed: it is lost" err '^mprof: d/m\.data was removed while the program ran; its recording is lost$'

# A recording that is complete may be removed.
while_it_runs '"$mprof" stop "$of" >/dev/null && rm m.data' ./waits
hasnt "stopped and removed: it is not written again" err 'written again'

# Children
ready=2
while_it_runs 'mv "$(echo m.data.*)" m.data.child' ./waits fork
has "a child's file rotated: it is said" err '^mprof: the data file of process [0-9]* was renamed while it ran, to d/m\.data\.child$'
is "a child's file rotated: all is recorded" "$(books self block d/m.data.child | cut -d' ' -f1)" 1000
while_it_runs 'mv ../d ../e' ./waits fork
is "the directory of both renamed: all is recorded" \
    "$(for file in e/m.data*; do head -c 8 "$file"; books self block "$file" | cut -d' ' -f1; done | tr '\n' ' ')" \
    "MPROFDAT1000 MPROFDAT1000 "
while_it_runs 'cp m.data.* x; mv x "$(echo m.data.*)"' ./waits fork
has "a child's file replaced by a copy: it is not judged" err \
    '^mprof: d/m\.data\.[0-9]* is a copy that was made while process [0-9]* ran; its recording is lost$'
is "... and not sealed" "$(head -c 8 d/m.data.*)" MPROFLIV
ready=

# Other commands
while_it_runs 'mv m.data x; "$mprof" snapshot -o ../snap.data "$of" >/dev/null; "$mprof" totals "$of" >../totals' ./waits
is "renamed: a snapshot" "$(books self block snap.data | cut -d' ' -f1)" 500
at_least "renamed: its figures" "$(awk '$1 == "allocs" { print $2 }' totals)" 500


# If an older copy is written over the contents of the file, the header says that the recording goes on.
while_it_runs 'cp m.data x; : >m.data; until_true 60 grep -q truncated ../err; cat x >m.data' ./waits
is "an older copy written over it: the program's status" "$status" 7
has "an older copy written over it: the summary" err \
    '^mprof:   recording stopped early: its data file was truncated or overwritten'
prints "an older copy written over it: the report" '^Ended +recording stopped early: its data file was truncated' \
    "$mprof" report d/m.data
plan
# SPDX-License-Identifier: MIT
