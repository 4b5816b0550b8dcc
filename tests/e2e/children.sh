#!/bin/sh
# Children: by default only forked ones are profiled; with -f, started programs are profiled too. mprof run collects
# the recordings of all but the first process in FILE.children. Without mprof run, each process writes its own file.
. "${srcdir:-.}/tests/e2e/lib.sh"

"$programs/forker" >bare.out 2>&1

# allocations FUNCTION FILE...: prints FUNCTION's allocations, summed over the files.
allocations()
{
    function=$1
    shift
    sum=0
    for file; do
        n=$(books self "$function" "$file" | cut -d' ' -f1)
        sum=$((sum + ${n:-0}))
    done
    echo $sum
}

profile plain.data "$programs/forker"
is "status" "$status" 0
ok "output" diff bare.out out
is "the parent's file holds the parent's" "$(allocations parent_block plain.data)" 1000
is "and nothing of the children" "$(allocations child_block plain.data)" 0
is "forked children have files" "$(allocations child_block plain.data.*)" 203
is "programs that they start have not" "$(allocations leaf_block plain.data*)" 0

returns "follow: status" 0 "$mprof" run -f -o follow.data "$programs/forker"
ok "follow: output" diff bare.out out
is "follow: the parent's" "$(allocations parent_block follow.data)" 1000
is "follow: the children's" "$(allocations child_block follow.data.*)" 203
# exec, vfork, spawn, system, popen, and a program with an empty environment
at_least "follow: all the programs" "$(allocations leaf_block follow.data.*)" 600
has "follow: the summary counts them" err '^mprof: 12 more processes profiled, in follow\.data\.children:$'
is "follow: and lists ten" "$(grep -c '^mprof:   [a-z]*\[[0-9]*\]  .* allocations* (' err)" 10
has "follow: and says how many more" err '^mprof:   and 2 more: [0-9,]* allocations \([0-9.]+ .?B\)$'

returns "alone: status" 0 "$mprof" run -o alone.data "$programs/forker"
is "alone: the forked children are collected" "$(allocations child_block alone.data.children)" 203
is "alone: and have no other files" "$(echo alone.data*)" "alone.data alone.data.children"
has "alone: the summary says what was not profiled, and the way to it" err \
    '^mprof: 6 programs were started and not profiled; mprof run -f profiles them$'

# The file of a process that has ended is sealed while the program runs, but not before its forked children have ended,
# which write to it, too.
mkfifo hold
cat >early.sh <<'end'
sh -c '(read -r line <hold) & echo $$' >parent
"$1" 1000 exit &                # allocates more than most of the others, so that the summary lists it
wait $!
until [ ! -e "early.data.$!" ] || [ "$((tries = tries + 1))" -gt 600 ]; do
    sleep .5
done
head -c 8 early.data.children >ended.magic
head -c 8 "early.data.$(cat parent)" >parent.magic
echo >hold
end
returns "early: status" 0 "$mprof" run -f -o early.data sh early.sh "$programs/killme"
is "early: a recording is sealed before the end" "$(cat ended.magic)" MPROFDAT
is "early: unless it may still change" "$(cat parent.magic)" MPROFLIV
is "early: in the end all are sealed" "$(for file in early.data*; do head -c 8 "$file"; echo; done | sort -u)" MPROFDAT
is "early: nothing is missing" "$(allocations one_block early.data.*)" 1000
has "early: the summary lists the process" err '^mprof:   killme\[[0-9]+\] +[0-9.]+ .* 1,000 allocations .* 1000 exit$'

# run_ids FILE...: prints the ids of the runs to which the sealed files belong, each once.
run_ids()
{
    "$python" -B -c '
import sys
sys.path.insert(0, sys.argv[1])
from tables_data import recordings
for path in sys.argv[2:]:
    for sections in recordings(path):
        print(sections[17].data.hex())' "$src/tests/e2e" "$@" | sort -u
}
if [ -x "$python" ]; then
    run_ids follow.data* >runs
    is "follow: all files have the number of the run" "$(wc -l <runs)" 1
    has "follow: of 128 bits" runs '^[0-9a-f]{32}$'
    run_ids follow.data* alone.data >runs
    is "another run has another number" "$(wc -l <runs)" 2
else
    skip "numbers of runs" "there is no $python"
fi

# If the first process calls exec, the file of mprof run -o is the recording of the last program, with and without -f.
returns "exec: status" 7 "$mprof" run -f -o exec.data sh -c "exec '$programs/killme' 100 exit"
is "exec: the file has the last program" "$(allocations one_block exec.data)" 100
has "exec: the summary lists the first" err '^mprof:   sh\[[0-9]+\]  .*, [0-9]+ allocations '
rm -f exec.data.*
returns "exec, without -f: status" 7 "$mprof" run -o exec.data sh -c "exec '$programs/killme' 100 exit"
is "exec, without -f: the file has the last program" "$(allocations one_block exec.data)" 100
has "exec, without -f: the summary begins with that" err '^mprof: killme: exit status 7'
has "exec, without -f: and says what is left out" err \
    '^mprof: sh \([0-9]+ allocations, [0-9.]+ k?B\) became killme and is left out; mprof run -f keeps everything$'
is "exec, without -f: there is no other file" "$(ls exec.data*)" exec.data
hasnt "exec, without -f: nothing was started" err 'started and not profiled'
printf '#!/bin/sh\nexec "$@"\n' >wrapper
chmod +x wrapper
for line in "env A=1" "env -i" "nice" "stdbuf -o0" "./wrapper nice ./wrapper env -i" "setsid -w"; do
    need "${line%% *}" || { skip "exec by $line" "$missing"; continue; }
    # shellcheck disable=SC2086
    run "$mprof" run -o exec.data $line "$programs/killme" 100 exit
    is "exec by $line" "$status $(allocations one_block exec.data) $(ls exec.data*)" "7 100 exec.data"
done

# Without -f, programs that a child executes are not recorded, whether fork, vfork or spawn made it. If exec fails
# in the first process, its recording goes on.
run "$mprof" run -o exec.data sh -c "'$programs/killme' 10 exit; (exec '$programs/killme' 20 exit); exec /no/program"
is "a shell that starts others: only the shell is recorded" "$status $(ls exec.data*)" "127 exec.data"
is "and it is the shell" "$("$mprof" report --no-pager exec.data | sed -n 's/^Program *.*\///p')" \
    sh
has "and the summary says that -f is needed" err '^mprof: 2 programs were started and not profiled; mprof run -f '
run "$mprof" run -o exec.data timeout 60 "$programs/killme" 10 exit
has "timeout forks" err '^mprof: 1 program was started and not profiled; mprof run -f profiles it$'
run "$mprof" run -f -o exec.data sh -c "'$programs/killme' 5000 exit; '$programs/killme' 10 exit; true"
has "-f: the recording with the most is recommended" err '^mprof: killme has the most, [0-9.]+ .B'
is "-f: by the last line" "$(tail -1 err | sed 's/[0-9][0-9]*/N/')" "mprof report --process='killme[N]' exec.data.children"
tail -1 err | sed "s,^mprof,$mprof," >shown.command
run sh shown.command
has "-f: it is that of the largest program" out 'one_block'
has "-f: and has what only a single recording has" out '^Ended +exit status 7'
rm -f exec.data*

# A program that cannot load the library, and its children, get the environment that they would have without mprof.
cat >outer.c <<'END'
#include <stdlib.h>
int
main(int argc, char **argv)
{
    return system(argv[argc - 1]);
}
END
if need gcc && gcc -static -o outer outer.c; then
    run "$mprof" run -o exec.data sh -c "exec ./outer 'env; $programs/killme 10 exit'"
    is "exec of a static program: nothing of ours in its children" "$(grep -c 'MPROF_\|libmprof' out)" 0
    is "exec of a static program: only the shell is recorded" "$(ls exec.data*) $(allocations one_block exec.data)" \
        "exec.data 0"
    has "exec of a static program: why" err '^mprof:   outer: is statically linked'
    cp outer setid
    if chmod u+s setid && gcc -o setid outer.c && chmod 4755 setid; then
        run "$mprof" run -o exec.data sh -c "exec ./setid env"
        is "exec of a set-user-id program: nothing of ours in its children" "$(grep -c 'MPROF_\|libmprof' out)" 0
    fi
else
    skip "exec of a static program" "$missing"
fi
rm -f exec.data*

# If a process allocates more before exec than after it, that recording is kept, too. Any thread may call exec, and a
# process may call exec several times.
cat >again.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static char **arguments;
static void *
become(void *unused)
{
    execv(arguments[1], arguments + 1);
    return unused;
}
int
main(int argc, char **argv)
{
    pthread_t thread;

    arguments = argv;
    for (int i = 0; i < atoi(argv[argc - 1]); i++)
        if (!malloc(1 << 20))
            return 1;
    execl("/no/program", "no", (char *)NULL);
    return pthread_create(&thread, NULL, become, NULL) || pthread_join(thread, NULL);
}
END
if need gcc && gcc -pthread -o again again.c; then
    run "$mprof" run -o exec.data ./again ./again "$programs/killme" 100 exit 0
    is "exec by threads, twice, after a failure" "$status $(allocations one_block exec.data) $(ls exec.data*)" \
        "7 100 exec.data"
    run "$mprof" run -o exec.data ./again "$programs/killme" 100 exit 5
    is "a program that allocated more before exec: status" "$status $(allocations one_block exec.data)" "7 100"
    is "a program that allocated more before exec keeps its recording" \
        "$(allocations main exec.data.*) $(ls exec.data.* | wc -l)" "5 1"
else
    skip "exec by threads" "$missing"
fi

# More variables than mprof run sets today: each is copied into the cleared environment, LD_PRELOAD too.
run env $(seq -f 'MPROF_UNUSED%g=1' 32) "$mprof" run -f -o many.data -- env -i /bin/sh -c ':; /bin/true'
is "many variables, and an empty environment: status" "$status" 0
has "all programs are profiled" err '^mprof: 2 more recordings, in many\.data\.children:$'

# The program's own LD_PRELOAD for its children is kept.
cat >preload.c <<'END'
#include <unistd.h>
int
main(int argc, char **argv)
{
    char *environment[] = {"LD_PRELOAD=/does/not/exist.so", "A=b", 0};

    return execve(argv[1], argv + 1, environment) + argc;
}
END
if need gcc && gcc -o preload preload.c; then
    run "$mprof" run -f -o preload.data ./preload /bin/sh -c 'env; exit 4'
    is "a LD_PRELOAD of the program's: status" "$status" 4
    has "it stays, behind ours" out '^LD_PRELOAD=[^:]*libmprof\.so:/does/not/exist\.so$'
    has "all else stays" out '^A=b$'
    run "$mprof" run -o preload.data ./preload /bin/sh -c 'env'
    has "without -f: a program that is executed gets it as the program gave it" out '^LD_PRELOAD=/does/not/exist\.so$'
    is "without -f: and nothing of ours" "$(grep -c MPROF_ out)" 0
else
    skip "a LD_PRELOAD of the program's" "$missing"
fi

# Preloaded sanitizers must come first.
for name in asan tsan; do
    sanitizer=$(gcc -print-file-name=lib$name.so 2>/dev/null)
    if [ "${sanitizer#/}" = "$sanitizer" ]; then
        skip "a preloaded lib$name" "gcc has none"
        continue
    fi
    ASAN_OPTIONS=detect_leaks=0
    export ASAN_OPTIONS
    run sh -c "LD_PRELOAD=$sanitizer '$programs/killme' 10 exit"
    mv out bare.out
    bare_status=$status
    run "$mprof" run -f -o preload.data sh -c "LD_PRELOAD=$sanitizer '$programs/killme' 10 exit"
    is "a preloaded lib$name: status $bare_status" "$status" "$bare_status"
    ok "a preloaded lib$name: output" diff bare.out out
    has "a preloaded lib$name: the summary counts it" err \
        '^mprof:   killme: needs a sanitizer as its first library$'
    run env LD_PRELOAD="$sanitizer" "$mprof" run -o preload.data "$programs/killme" 10 exit
    if [ "$name" = tsan ] && [ "$bare_status" -gt 7 ]; then
        skip "mprof run with lib$name" "it runs nothing here"
        continue
    fi
    is "mprof run with lib$name: status" "$status" 126
    is "mprof run with lib$name: one line" \
        "$(grep -c '^mprof: LD_PRELOAD: .* must be the first library' err) $(wc -l <err)" "1 1"
done

# File names from a pattern.
MPROF_FILE=%e-%p.data LD_PRELOAD=$library "$programs/killme" 10 exit >/dev/null
is "%e-%p: one file" "$(find . -name 'killme-*.data' | wc -l)" 1

# A program has the name by which it was started: through a link, as a script, or by a descriptor, which has no name.
ln -s "$programs/killme" linked
returns "a link: status" 7 "$mprof" run -o %e.name ./linked 10 exit
is "a link: its name is the program's" "$("$mprof" report --no-pager linked.name | sed -n 's/^Program *//p')" \
    "$tmp/linked"
is "a link: its functions have names" "$(books self one_block linked.name | cut -d' ' -f1)" 10
has "a link: the summary" err '^mprof: linked: exit status 7'
run "$mprof" run -o %e.name ./wrapper "$programs/killme" 10 exit
ok "a program that a script executes" sh -c 'test -s killme.name && ! test -e wrapper.name'
printf '#!/bin/sh\n"$@"\n' >wrapper
run "$mprof" run -o %e.name ./wrapper "$programs/killme" 10 exit
ok "a script" test -s wrapper.name
if need awk && [ -L "$(command -v awk)" ]; then
    run "$mprof" run -o %e.name awk 'BEGIN { print 1 }'
    ok "awk, whichever it is" test -s awk.name
else
    skip "awk" "awk is no link here"
fi
run "$mprof" run -f -o %e.%p.name "$python" -c '
import os, sys
os.execve(os.open(sys.argv[1], os.O_RDONLY), ["none", "10", "exit"], {})' "$programs/killme"
is "by a descriptor: status" "$status" 7
ok "by a descriptor: its file" sh -c 'test -s killme.*.name*'

# The system calls of the monitor in a process that does nothing, and the pieces of memory that it maps, each of which
# needs page tables.
if need strace && strace -o bare true 2>err; then
    strace -ff -o calls "$mprof" run -q -o short.data true
    sed -n '/^execve(".*\/true", .* = 0$/,$p' "$(grep -l '^execve(".*/true", .* = 0$' calls.*)" >short
    at_most "system calls that recording adds to a short process" $(($(wc -l <short) - $(wc -l <bare))) 118
    at_most "pieces of memory that the monitor maps" "$(grep -c 'MAP_ANONYMOUS|MAP_NORESERVE' short)" 28
else
    skip "the calls of a short process" "strace is not there, or may not trace"
fi
plan
# SPDX-License-Identifier: MIT
