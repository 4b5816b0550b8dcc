#!/bin/sh
# Children: by default only forked ones are profiled, each in a file of its own; with -f, started programs are
# profiled too.
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
has "follow: the summary counts them" err '^mprof: 12 more processes profiled:$'
is "follow: and lists ten" "$(grep -c '^mprof:   [a-z]* *follow\.data\.[0-9.]* .* allocations* (' err)" 10
has "follow: and says how many more" err '^mprof:   and 2 more$'

returns "alone: status" 0 "$mprof" run -o alone.data "$programs/forker"
has "alone: the summary says what was not profiled, and the way to it" err \
    '^mprof: 6 programs were started and not profiled; mprof run -f profiles them$'

# run_ids FILE...: prints the ids of the runs to which the sealed files belong, each once.
run_ids()
{
    "$python" -B -c '
import sys
sys.path.insert(0, sys.argv[1])
from tables_data import sections
for path in sys.argv[2:]:
    print(sections(path)[17].data.hex())' "$src/tests/e2e" "$@" | sort -u
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

# exec in the first process, with and without -f
returns "exec: status" 7 "$mprof" run -f -o exec.data sh -c "exec '$programs/killme' 100 exit"
is "exec: the new program is profiled" "$(allocations one_block exec.data*)" 100
has "exec: the summary lists it" err '^mprof:   killme  exec\.data\.[0-9]+  .*, [0-9]+ allocations '
returns "exec, not followed: status" 7 "$mprof" run -o exec.data sh -c "exec '$programs/killme' 100 exit"
has "exec, not followed: the summary names both, and the way to it" err \
    '^mprof: sh replaced itself by killme, which was not profiled; mprof run -f profiles it$'
hasnt "exec, not followed: and says it once" err 'started and not profiled'
printf '#!/bin/sh\nexec "$@"\n' >wrapper
chmod +x wrapper
run "$mprof" run ./wrapper "$programs/killme" 10 exit
has "exec by a script: it is named as it was typed" err '^mprof: wrapper replaced itself by killme,'

# More variables than mprof run sets today: each is copied into the cleared environment, LD_PRELOAD too.
run env $(seq -f 'MPROF_UNUSED%g=1' 32) "$mprof" run -f -o many.data -- env -i /bin/sh -c ':; /bin/true'
is "many variables, and an empty environment: status" "$status" 0
has "all programs are profiled" err '^mprof: 2 more processes profiled:$'

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
    has "not followed: it is as the program gave it" out '^LD_PRELOAD=/does/not/exist\.so$'
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
plan
