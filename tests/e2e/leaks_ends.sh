#!/bin/sh
# mprof run --leaks for all ways in which a program can end: which blocks are lost, or the one reason why that is not known.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >ends.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static void
lose(size_t size)
{
    memset(malloc(size), 1, size);
}

__attribute__((noinline)) static void
clear(void)
{
    volatile char bytes[4096];

    memset((void *)bytes, 0, sizeof bytes);
}

/* Does what WHAT means before the second block is allocated. */
static int
before(const char *what, char **to)
{
    if (strcmp(what, "user") == 0 || strcmp(what, "closed") == 0)
        return setregid(65534, 65534) || setreuid(65534, 65534);
    if (strcmp(what, "root") == 0)
        return chroot(to[0]) || chdir("/");
    if (strcmp(what, "rename") == 0)
        return rename(to[0], to[1]);
    if (strcmp(what, "denied") == 0)
        return chmod(to[0], 0500);
    if (strcmp(what, "daemon") == 0)
        return daemon(1, 1);
    if (strcmp(what, "no daemon") == 0) {
        const struct rlimit none = {0, 0};

        return setrlimit(RLIMIT_NPROC, &none) || daemon(1, 1) != -1;
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const char *what = argv[1];

    lose(1011);
    if (argc < 2 || before(what, argv + 2) != 0)
        return 3;
    lose(1022);
    clear();
    if (strcmp(what, "closed") == 0)
        for (int fd = 3; fd < 1024; fd++)
            syscall(SYS_close, fd);
    if (strcmp(what, "_exit") == 0)
        _exit(0);
    if (strcmp(what, "quick_exit") == 0)
        quick_exit(0);
    if (strcmp(what, "call") == 0)
        syscall(SYS_exit_group, 0);
    if (strcmp(what, "signal") == 0)
        raise(SIGTERM);
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "exec") == 0)
        execl(argv[2], argv[2], (char *)NULL);
    if (strcmp(what, "filter") == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0)
        syscall(SYS_exit, 0);
    return 0;
}
END
gcc -g -O0 -o ends ends.c || exit 99

# ends NAME ARGUMENT...: runs ends with the ARGUMENTs and --leaks in a new directory d.
ends()
{
    chmod -f 700 d
    rm -rf d
    mkdir d
    run "$mprof" run --leaks -o d/m.data ./ends "$@"
}

found()
{
    name=$1
    shift
    ends "$@"
    is "$name: what is lost" "$(sed -n 's/^mprof:   definitely lost *//p' err)" "2,033 bytes in 2 blocks"
    hasnt "$name: nothing else is said" err 'not known|cannot|denied'
    prints "$name: mprof leaks" '^definitely lost  2,033 bytes in 2 blocks$' "$mprof" leaks "$(echo d/m.[do]*[ad])"
}

# unknown NAME REASON ARGUMENT...: tests that mprof run and mprof leaks say only that the leaks of `ends ARGUMENT...`
# are not known, because of REASON.
unknown()
{
    name=$1 why=$2
    shift 2
    ends "$@"
    is "$name: the one reason" "$(grep -c 'Permission\|/proc\|known\|leaks:' err) $(sed -n 's/^mprof: what is lost is not known: //p' err)" \
        "1 $why"
    is "$name: mprof leaks says the same" "$("$mprof" leaks d/m.data 2>&1)" \
        "mprof: d/m.data: no snapshot shows which blocks are lost: $why: not known"
}

for how in exit _exit quick_exit; do
    found "$how" $how
done
found "the data file renamed" rename d/m.data d/m.data.old
call='the program ended by a system call of its own, without exit(), _exit() or quick_exit()'
unknown "by a system call" "$call" call
unknown "by a signal" 'killed by SIGTERM (Terminated)' signal
unknown "by abort()" 'killed by SIGABRT (Aborted)' abort
unknown "by exec" 'replaced itself by another program (exec)' exec "$programs/static_prog"
unknown "in daemon()" 'the process ended in daemon(3), and its child went on' daemon
if [ "$(id -u)" -eq 0 ]; then
    found "another user" user
    unknown "another user, all files closed" 'the snapshot could not be written: Permission denied' closed
    mkdir root
    unknown "no /proc" '/proc could not be read: No such file or directory' root "$tmp/root"
    mkdir -p proc/proc
    if unshare -m true 2>/dev/null; then
        unshare -m sh -c 'mount --bind /proc proc/proc && exec "$0" run --leaks -o "$1" ./ends root "$2"' \
            "$mprof" "$tmp/jail.data" "$tmp/proc" 2>err
        is "another root directory" "$(sed -n 's/^mprof:   definitely lost *//p' err)" "2,033 bytes in 2 blocks"
    else
        skip "another root directory" "nothing can be mounted here"
    fi
else
    found "its directory is read-only" denied d
    found "daemon() fails" "no daemon"
    skip "another user" "only root can change its user"
fi

# The monitor stores the snapshot in the data file; mprof seal writes it to a file in the same folder.
chmod -f 700 d
rm -rf d
mkdir d
LD_PRELOAD=$library MPROF_FILE=$tmp/d/m.data MPROF_LEAKS=1 ./ends rename d/m.data d/m.data.old
refuses "not sealed: what to do" 2 'd/m\.data\.old contains its snapshot, which mprof seal writes beside it' \
    "$mprof" leaks d/m.data.old
returns "mprof seal" 0 "$mprof" seal d/m.data.old
prints "sealed: what is lost" '^definitely lost  2,033 bytes in 2 blocks$' "$mprof" leaks d/m.data.old

# Without mprof run, the monitor says the reason.
LD_PRELOAD=$library MPROF_FILE=$tmp/d/m.data MPROF_LEAKS=1 ./ends call 2>err
empty "without mprof run, by a system call" err
refuses "... and mprof leaks" 2 'no snapshot shows which blocks are lost: the program was killed, crashed, or ended by' "$mprof" leaks d/m.data

# Several processes
run "$mprof" run -f --leaks -o f.data sh -c './ends call; ./ends call; ./ends exit; ./ends exec '"$programs/static_prog"'; :'
has "several: one line for each reason" err \
    '^mprof: what is lost is not known of 2 more processes: the program was killed, crashed, or ended by a system call'
has "... and the other" err '^mprof: what is lost is not known of 1 more process: replaced itself by another program'
has "... what is lost of the others" err '^mprof:   definitely lost  2,033 bytes in 2 blocks$'
plan
# SPDX-License-Identifier: MIT
