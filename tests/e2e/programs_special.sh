#!/bin/sh
# Programs that are linked, loaded or started in a special way: other allocators, valgrind, their own
# LD_PRELOAD, set-user-id, static, daemons.
. "${srcdir:-.}/tests/e2e/same_lib.sh"

widgets=$src/examples/widgets.c

needs "programs that are built here" gcc

# Linked with another allocator.
for allocator in jemalloc tcmalloc_minimal tcmalloc; do
    if gcc -O1 -o "with-$allocator" "$widgets" -Wl,--no-as-needed -l$allocator 2>link.err; then
        same -r "linked with $allocator" "$tmp/with-$allocator"
        is "linked with $allocator: allocations" \
            "$(books inclusive main data | cut -d' ' -f1,2)" "10000 2040000"
    else
        skip "linked with $allocator" "$(grep -m 1 'cannot find' link.err)"
    fi
done

# The user's own LD_PRELOAD is kept, behind mprof's, and works.
cat >mine.c <<'ENDC'
#include <string.h>
#include <sys/utsname.h>
int uname(struct utsname *name)
{
    memset(name, 0, sizeof *name);
    strcpy(name->nodename, "preloaded");
    return 0;
}
ENDC
gcc -shared -fPIC -o mine.so mine.c
case $tmp in
*[\ :]*) skip "LD_PRELOAD is set already" "a blank or colon would end it, and $tmp has one" ;;
*)
    LD_PRELOAD=$tmp/mine.so
    export LD_PRELOAD
    same "LD_PRELOAD is set already" sh -c 'uname -n'
    same -f -n 2 "LD_PRELOAD is set already, -f" sh -c 'uname -n; exit 3'
    unset LD_PRELOAD
    is "LD_PRELOAD is set already: it works" "$(cat out)" preloaded
    ;;
esac

# ways PROGRAM TEXT: tests that PROGRAM, which fails or prints errors if mprof is preloaded, runs without mprof when a
# recorded program starts it by execve, execvp, posix_spawn, posix_spawnp or fexecve, or as the interpreter of a script.
# PROGRAM is relative to $work, because the first line of a script cannot contain the blanks that may be in $tmp.
ways()
{
    program=$1
    printf '#!%s\n' "$program" >script
    chmod +x script
    same -f "$2, by execve" sh -c "$program; echo \$?"
    in_work "$mprof" run -f -o ../data sh -c "$program; echo \$?"
    has "$2, by execve: the summary says so" err \
        '^mprof: 1 process was not recorded:$'
    same -f "$2, by execve at once" sh -c "exec $program"
    same -f "$2, by execvp" env PATH="${program%/*}" "${program##*/}"
    same -f "$2, as an interpreter" sh -c "../script; echo \$?"
    if ! optional "$python"; then
        return
    fi
    same -f "$2, by posix_spawn" "$python" -c "import os
os.waitpid(os.posix_spawn('$program', ['a'], os.environ), 0)"
    same -f "$2, by posix_spawnp" "$python" -c "import os
os.waitpid(os.posix_spawnp('$program', ['a'], os.environ), 0)"
    same -f "$2, by fexecve" "$python" -c "import os
os.execve(os.open('$program', os.O_RDONLY), ['a'], os.environ)"
}
if gcc -O1 -fsanitize=address -o with-address "$widgets" 2>link.err; then
    ways ../with-address "AddressSanitizer, started"
fi
if need musl-gcc && musl-gcc -o with-musl "$widgets"; then
    not_started "for musl" "$tmp/with-musl"
    ways ../with-musl "for musl, started"
else
    skip "for musl" "$missing"
fi

# Programs into which nothing can be preloaded.
not_started "a static program" "$programs/static_prog"
if [ "$(id -u)" -ne 0 ]; then
    skip "a set-user-id program" "only root can make one"
elif ! cp /bin/true setuid || ! chown nobody setuid || ! chmod 4755 setuid ||
    findmnt -n -o OPTIONS -T "$tmp" | grep -q nosuid; then
    skip "a set-user-id program" "set-user-id bits do not count in $tmp"
else
    not_started "a set-user-id program" "$tmp/setuid"
fi
# A set-user-id or static program that a profiled program starts runs as usual, with at most one line from the loader.
if [ -u setuid ]; then
    same -f "a set-user-id program that is started" sh -c "../setuid; echo \$?"
fi
same -f "a static program that is started" sh -c "$programs/static_prog; echo \$?"

# valgrind runs its program as a guest. mprof records the command that starts valgrind, not the guest.
if optional valgrind; then
    gcc -g -O1 -o plain "$widgets"
    same -o "sed 's/==[0-9]*==//'" "valgrind" valgrind -q --error-exitcode=9 "$tmp/plain"
fi

# A daemon: two forks, a new session, closed descriptors; it goes on after the first process has ended.
cat >daemon.c <<'ENDC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

static void *volatile kept;

int
main(int argc, char **argv)
{
    FILE *out;

    if (argc != 2)
        return 2;
    kept = malloc(10);
    if (fork() > 0)
        _exit(5);
    setsid();
    if (fork() > 0)
        _exit(0);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
    open("/dev/null", O_RDWR);
    if (dup(0) < 0 || dup(0) < 0 || chdir("/") < 0)
        return 3;
    for (int i = 0; i < 1000; i++) {
        kept = malloc((size_t)i);
        memset(kept, 1, (size_t)i);
        usleep(100);
    }
    out = fopen(argv[1], "w");
    if (!out)
        return 4;
    fprintf(out, "%d\n", (int)getpid());
    fclose(out);
    return 0;
}
ENDC
gcc -O1 -o daemon daemon.c
ended()
{
    ! kill -0 "$(cat "$work/pid")"
}
daemon_work()
{
    $under "$tmp/daemon" "$work/pid"
    echo "status $?"
    until_true 30 test -s "$work/pid" && until_true 30 ended && echo "it ended"
}
same -s -n 2 "a daemon" daemon_work
is "a daemon: its allocations" "$(for file in data*; do books self main "$file"; done |
    awk '{ sum += $1 } END { print sum }')" 1001
plan
# SPDX-License-Identifier: MIT
