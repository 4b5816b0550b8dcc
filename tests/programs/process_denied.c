/*
 * process_denied.c -- a process that takes rights or descriptors away from itself, or starts others without the C
 * library, and then allocates along so many chains that the data file must grow.
 *
 *     process_denied EVENT [DIRECTORY]       see the table at the end
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "books_paths.h"

static const char *directory = ".";

static void
wait_for(pid_t pid)
{
    int status;

    if (pid < 0 || waitpid(pid, &status, __WALL) != pid)
        _exit(70);
    say("child %d\n", status);
}

/* ---------------------------------------------------------------- descriptors */

static void
all_closed(void)
{
    closefrom(3);
    work();
}

/* Descriptor numbers of the monitor become the program's own. The program's files must contain exactly what it
 * wrote. */
static void
all_used(void)
{
    int page = open(".", O_TMPFILE | O_RDWR, 0600);
    char got[6] = "";

    if (page < 0 || write(page, "mine\n", 5) != 5)
        _exit(71);
    closefrom(page + 1);
    for (int fd = page + 1; fd < 1000; fd++)
        if (dup2(page, fd) != fd)
            _exit(72);
    work();
    if (lseek(page, 0, SEEK_END) != 5 || pread(page, got, 5, 0) != 5 || strcmp(got, "mine\n") != 0)
        say("the program's file was written to\n");
}

/* Descriptor 2 becomes a log file of the program. */
static void
log_is_2(void)
{
    char got[80] = "";

    close(2);
    if (open("own.log", O_RDWR | O_CREAT | O_TRUNC, 0600) != 2 || write(2, "mine\n", 5) != 5)
        _exit(71);
    work();
    if (pread(2, got, sizeof got - 1, 0) != 5 || strcmp(got, "mine\n") != 0)
        say("the program's log was written to: %s\n", got);
}

static void
standard_closed(void)
{
    int out = dup(1);

    close(0), close(1), close(2);
    work();
    if (write(0, "", 1) >= 0 || write(2, "", 1) >= 0)
        _exit(73);
    if (dup2(out, 1) != 1)
        _exit(74);
}

static void
in_chroot(void)
{
    if (chroot(directory) != 0 || chdir("/") != 0) {
        say("chroot: %s\n", strerror(errno));
        return;
    }
    work();
}

static void
closed_in_chroot(void)
{
    left(&books[0], 8);
    if (chroot(directory) != 0 || chdir("/") != 0)
        _exit(75);
    syscall(SYS_close_range, 3, ~0u, 0);        /* not a function that could be hooked */
    work();
}

/* Closes all descriptors and becomes another user, as servers do, in a directory that this user cannot write to. */
static void
as_other_user(void (*close_all)(void))
{
    left(&books[0], 8);
    if (chmod(directory, 0700) != 0 || chdir(directory) != 0 || setgid(65534) != 0 ||
        setuid(65534) != 0)
        _exit(76);
    close_all();
    work();
}

/* Prints a line if more than one descriptor is open. The monitor may have one, with a high number that programs do not
 * use. */
static void
none_is_open(void)
{
    int n = 0;

    for (int fd = 3; fd < 1500; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    if (n > 1)
        say("%d are open\n", n);
}

static void
close_from(void)
{
    closefrom(3);
    none_is_open();
}

static void
close_range_of_all(void)
{
    if (close_range(3, ~0u, 0) != 0)
        say("close_range: %s\n", strerror(errno));
    none_is_open();
}

static void
close_each(void)
{
    for (int fd = 3; fd < 1500; fd++)
        close(fd);
    none_is_open();
}

/* Uses each descriptor number, also those of the monitor. */
static void
use_each(void)
{
    close_from();
    for (int fd = 3; fd < 1010; fd++)
        if ((fd % 2 ? dup2(1, fd) : dup3(1, fd, 0)) != fd || close(fd) != 0)
            say("%d: %s\n", fd, strerror(errno));
}

static void
user_closes_from(void)
{
    as_other_user(close_from);
}

static void
user_closes_range(void)
{
    as_other_user(close_range_of_all);
}

static void
user_closes_each(void)
{
    as_other_user(close_each);
}

static void
user_uses_each(void)
{
    as_other_user(use_each);
}

static void
other_user(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        _exit(76);
    work();
}

/* The child has no permission to create a file where its parent did. */
static void
child_of_other_user(void)
{
    pid_t pid;

    left(&books[0], 8);
    if (setgid(65534) != 0 || setuid(65534) != 0)
        _exit(76);
    pid = fork();
    if (pid == 0) {
        work();
        _exit(0);
    }
    wait_for(pid);
}

/* Starts a program in a directory where it has no permission to create a file. */
static void
start_as_other_user(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0)
        _exit(76);
    execl("/bin/echo", "echo", "started", (char *)NULL);
}

/* ---------------------------------------------------------------- seccomp */

static void
forbid(unsigned action, unsigned number, int only_shared)
{
    /* forbids only mmap of files, because the program's malloc maps memory */
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, only_shared ? 3u : 1u),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {6, filter};

    if (!only_shared) {
        filter[2] = filter[4];
        filter[3] = filter[5];
        program.len = 4;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        say("seccomp: %s\n", strerror(errno));
        _exit(77);
    }
}

#define DENY (SECCOMP_RET_ERRNO | EPERM)

static void
no_mmap(void)
{
    left(&books[0], 8);
    forbid(DENY, SYS_mmap, 1);
    work();
}

static void
no_open(void)
{
    forbid(DENY, SYS_openat, 0);
    work();
}

static void
no_fallocate(void)
{
    left(&books[0], 8);
    forbid(DENY, SYS_fallocate, 0);
    work();
}

static void
no_prlimit(void)
{
    forbid(DENY, SYS_prlimit64, 0);
    work();
}

static void
open_kills(void)
{
    forbid(SECCOMP_RET_KILL_PROCESS, SYS_openat, 0);
    work();
}

/* ---------------------------------------------------------------- processes */

static int
in_clone(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++)
        KEEP(block(&books[0], 50));
    return 0;
}

static char stack[256 * 1024] __attribute__((aligned(64)));

/* The child shares memory, including thread-local variables, while its parent waits. */
static void
clone_shared(void)
{
    work();
    wait_for(clone(in_clone, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL));
    wait_for(clone(in_clone, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
    in_clone(NULL);
}

static void
clone_copied(void)
{
    pid_t pid;

    work();
    wait_for(clone(in_clone, stack + sizeof stack, SIGCHLD, NULL));
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        in_clone(NULL);
        _exit(0);
    }
    wait_for(pid);
    in_clone(NULL);
}

static void
in_vfork(void)
{
    pid_t pid;

    work();
    pid = vfork();
    if (pid == 0) {
        in_clone(NULL);
        _exit(3);
    }
    wait_for(pid);
    in_clone(NULL);
}

static void
as_daemon(void)
{
    int out = dup(1);

    if (daemon(0, 0) != 0)
        _exit(78);
    work();
    dup2(out, 1);
}

static const struct {
    const char *name;
    void (*run)(void);
} events[] = {
    {"closed", all_closed}, {"used", all_used}, {"standard", standard_closed}, {"log", log_is_2},
    {"chroot", in_chroot}, {"chroot_closed", closed_in_chroot}, {"user", other_user},
    {"user_closes_from", user_closes_from}, {"user_closes_range", user_closes_range},
    {"user_forks", child_of_other_user}, {"user_starts", start_as_other_user},
    {"user_closes_each", user_closes_each}, {"user_uses_each", user_uses_each},
    {"no_mmap", no_mmap}, {"no_open", no_open}, {"no_fallocate", no_fallocate},
    {"no_prlimit", no_prlimit}, {"open_kills", open_kills},
    {"clone_shared", clone_shared}, {"clone_copied", clone_copied}, {"vfork", in_vfork},
    {"daemon", as_daemon}, {"work", work},
};

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argc > 2)
        directory = argv[2];
    books_open();
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(events[i].name, argv[1]) == 0) {
            events[i].run();
            books_say();
            return 0;
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
