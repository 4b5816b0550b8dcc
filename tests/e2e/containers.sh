#!/bin/sh
# A program that runs in a container: in mount and pid namespaces of its own, with a folder for data that only it sees.
# doc/containers.md shows these commands.
. "${srcdir:-.}/tests/e2e/lib.sh"

inside="unshare -m -p -f --kill-child --mount-proc --propagation private"
[ "$(id -u)" -eq 0 ] || inside="unshare -r -m -p -f --kill-child --mount-proc --propagation private"
needs "containers" gcc unshare
$inside true 2>/dev/null || skip_all "containers" "namespaces are not allowed"

cat >server.c <<'END'
#include <stdlib.h>
#include <unistd.h>
static void *volatile kept[100];
static __attribute__((noinline)) void *make_entry(void) { return malloc(1000); }
int
main(void)
{
    for (int i = 0; i < 100; i++)
        kept[i] = make_entry();
    if (write(1, "ready\n", 6) == 6)
        while (access("go", F_OK) != 0)
            free(malloc((size_t)usleep(1000) + 1));
    return 0;
}
END
gcc -g -O1 -fno-builtin -o server server.c
mkdir data

# innermost PID: prints the process id, in the host's namespace, of the innermost process below PID.
innermost()
{
    at=$1
    while child=$(program_of "$at" 2>/dev/null) && [ -n "$child" ]; do at=$child; done
    echo "$at"
}

# started COMMAND...: runs COMMAND in a container until the program is ready; sets $container and $server.
started()
{
    rm -f go ready
    # shellcheck disable=SC2016
    $inside sh -c 'mount -t tmpfs none data && "$@"; status=$?; cp data/* . 2>/dev/null; exit $status' sh "$@" >ready 2>err &
    container=$!
    until_true 30 grep -q ready ready
    server=$(innermost $container)
}

ended()
{
    touch go
    wait $container
    status=$?
}

# ------------------------------------------------------------------------------- from inside
started "$mprof" run -o data/inside.data ./server
server=$(innermost "$server")
ended
is "from inside: as anywhere" "$status $("$mprof" totals inside.data | sed -n 's/^kept //p')" "0 100000"
has "... with names" err '^mprof: server: exit status 0'

# ------------------------------------------------------------------------------- from outside
started env LD_PRELOAD="$library" MPROF_FILE=data/outside.data ./server
is "the host does not see the data file" "$(ls data)" ""
is "from outside: mprof totals PID" "$("$mprof" totals "$server" | sed -n 's/^kept //p')" "100000"
"$mprof" report --no-pager "$server" >report
has "mprof report PID: with names" report 'make_entry'
"$mprof" top -b -n 1 "$server" >top
has "mprof top -b -n 1 PID" top 'make_entry'
run "$mprof" snapshot -o copy.data "$server"
is "mprof snapshot -o FILE PID: a file of the host" "$status $("$mprof" totals copy.data | sed -n 's/^kept //p')" "0 100000"
ended
is "the program ends as ever, and its file stays in the container" "$status $(head -c 8 outside.data)" "0 MPROFLIV"
plan
# SPDX-License-Identifier: MIT
