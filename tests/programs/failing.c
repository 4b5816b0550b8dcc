/*
 * failing.c -- runs mprof run again and again and lets another system call or allocation of it fail each time.
 *
 *     failing calls STATUS RUNS COMMAND...     system calls fail with ENOSPC
 *     failing memory STATUS RUNS COMMAND...    allocations fail; no_memory.so must be in LD_PRELOAD
 *     failing kill STATUS 0 COMMAND...         the worker is killed when it reads from a pipe how the program ended
 *
 * COMMAND must end with STATUS, as the shell counts it. Only what mprof and its workers do after mprof has started the
 * program counts. Neither the program nor the end of a process fails. The first run counts. RUNS more runs let one
 * call fail each, evenly spread. In every second run, later calls of the same kind fail, too. With "kill", the first
 * run is the one with the failure. Prints
 *
 *     calls COUNT runs RUNS reached REACHED wrong WRONG
 *
 * where REACHED is the number of runs in which something failed, and a line for each run that ended with another
 * status or took more than TIMEOUT seconds. COMMAND's output is discarded.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "no_memory.h"
#include "program.h"

#define TIMEOUT 20000           /* ms */

/* Calls that always pass: those that do not return to their caller, and brk, which returns no error number. */
static const int passing[] = {SYS_exit, SYS_exit_group, SYS_execve, SYS_rt_sigreturn, SYS_restart_syscall, SYS_brk};

static struct no_memory *page;  /* number of the call that fails, shared with no_memory.so */
static pid_t mprof, program;    /* program is 0 until mprof has forked it */
static bool kills;              /* the worker is killed */
static pid_t reading;           /* the worker, when it reads from a pipe, or 0 */
static int reader = -1;         /* that pipe */
static int failed;              /* number of the system call that failed first, or -1 */
static volatile int *listener_of_child;
static int out;                 /* standard output of this program */

/* ---------------------------------------------------------------- a run */

/* Installs a filter that asks the holder of the returned descriptor about all calls, except passing ones. */
static int
ask_about_calls(void)
{
    enum { N = sizeof passing / sizeof *passing };
    struct sock_filter filter[N + 3] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    struct sock_fprog all = {N + 3, filter};

    for (size_t i = 0; i < N; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)passing[i],
                                                     (uint8_t)(N - i), 0);
    filter[N + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    filter[N + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &all);
}

_Noreturn static void
become(char **command, bool calls)
{
    if (calls) {
        int listener = ask_about_calls();

        *listener_of_child = listener < 0 ? -errno : listener;
        if (listener < 0)
            syscall(SYS_exit_group, 99);
    }
    execvp(command[0], command);
    syscall(SYS_exit_group, 98);
    __builtin_unreachable();
}

/* Starts COMMAND. If CALLS, shares the descriptors with it until it executes, which gives this process the listener of
 * the filter. Stores the listener or -errno in *LISTENER. */
static pid_t
start(char **command, bool calls, int *listener)
{
    pid_t pid;

    *listener_of_child = 0;
    pid = calls ? (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL) : fork();
    if (pid == 0)
        become(command, calls);
    while (calls && *listener_of_child == 0)
        usleep(20);
    *listener = *listener_of_child;
    return pid;
}

/* Returns the first number in the file /proc/PID/NAME, or if FIELD is not 0, the FIELDth after its last parenthesis.
 * Returns 0 if there is none. */
static pid_t
read_pid(pid_t pid, const char *name, int field)
{
    char path[64], text[512];
    char *at = text;
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    if (field > 0)
        at = strrchr(text, ')');
    while (at && field-- > 0)
        at = strchr(at + 1, ' ');
    return at ? (pid_t)strtol(at, NULL, 10) : 0;
}

static pid_t
parent_of(pid_t pid)
{
    return read_pid(pid, "stat", 2);
}

/* Returns whether the call of process PID counts. */
static bool
counts(pid_t pid)
{
    char children[64];

    if (pid == mprof && program == 0) {
        snprintf(children, sizeof children, "task/%d/children", (int)mprof);
        program = read_pid(mprof, children, 0);
    }
    return program != 0 && pid != program && (pid == mprof || parent_of(pid) == mprof);
}

/* Returns whether process PID is about to read from a pipe, its descriptor FD. Then opens it, too, as READER. */
static bool
opens_pipe(pid_t pid, int fd)
{
    char path[64];
    struct stat status;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode))
        return false;
    reader = open(path, O_RDONLY | O_CLOEXEC);
    reading = pid;
    return reader >= 0;
}

/* Answers one call. */
static void
answer(int listener, bool onwards)
{
    struct seccomp_notif call = {0};
    struct seccomp_notif_resp reply = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return;
    reply.id = call.id;
    if (counts((pid_t)call.pid)) {
        page->count++;
        if (kills && reading == 0 && call.data.nr == SYS_read && opens_pipe((pid_t)call.pid, (int)call.data.args[0]))
            return;             /* without an answer, until there is something to read */
        if (page->count == page->at)
            failed = call.data.nr;
        if (page->count == page->at || (onwards && failed == call.data.nr)) {
            reply.flags = 0;
            reply.error = -ENOSPC;
        }
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

/* Answers the calls of COMMAND until it has ended. Returns false if it makes none for too long. */
static bool
answer_all(int listener, bool onwards)
{
    struct pollfd calls[] = {{.fd = listener, .events = POLLIN}, {.fd = -1, .events = POLLIN}};

    while (poll(calls, 2, TIMEOUT) > 0) {
        if (calls[1].revents) {
            kill(reading, SIGKILL);
            close(reader);
            reader = -1;
        } else if (!(calls[0].revents & POLLIN)) {
            return true;
        } else {
            answer(listener, onwards);
        }
        calls[1].fd = reader;
    }
    return false;
}

/* Waits for the end of COMMAND. Returns false if it takes too long. */
static bool
ends(void)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, mprof, 0), .events = POLLIN};
    bool ended = poll(&end, 1, TIMEOUT) > 0;

    close(end.fd);
    return ended;
}

/* Runs COMMAND and lets call number AT fail, none if that is 0, and later ones if ONWARDS. Returns its status, or -1 if
 * it took too long. */
static int
run(char **command, bool calls, unsigned at, bool onwards)
{
    int listener, status;
    bool ended;

    *page = (struct no_memory){.at = at, .onwards = onwards};
    program = 0;
    failed = -1;
    mprof = start(command, calls, &listener);
    if (calls && listener < 0) {
        dprintf(out, "seccomp: %s\n", strerror(-listener));
        exit(77);
    }
    ended = (!calls || answer_all(listener, onwards)) && ends();
    if (!ended)
        kill(mprof, SIGKILL);
    if (calls)
        close(listener);
    waitpid(mprof, &status, 0);
    return !ended ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---------------------------------------------------------------- all runs */

int
main(int argc, char **argv)
{
    const bool calls = argc > 1 && strcmp(argv[1], "memory") != 0;
    const int expected = (int)number_or(argc > 2 ? argv[2] : NULL, 0);
    const unsigned runs = (unsigned)number_or(argc > 3 ? argv[3] : NULL, 1);
    unsigned n, reached = 0, wrong = 0, done = 0;
    int status, fd = open("failing.page", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (argc < 5 || out < 0 || !freopen("/dev/null", "w", stdout) || fd < 0 || ftruncate(fd, sizeof *page) != 0)
        return 2;
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    listener_of_child = mmap(NULL, sizeof *listener_of_child, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                             0);
    if (page == MAP_FAILED || listener_of_child == MAP_FAILED)
        return 2;
    kills = strcmp(argv[1], "kill") == 0;
    status = run(argv + 4, calls, 0, false);
    n = page->count;
    if (status != expected)
        dprintf(out, "without a failure: status %d\n", status);
    for (unsigned i = 0; i < runs && i < n; i++, done++) {
        const unsigned at = 1 + (unsigned)((uint64_t)i * n / (runs < n ? runs : n));

        status = run(argv + 4, calls, at, i % 2 == 1);
        reached += page->count >= at;
        if (status == expected)
            continue;
        wrong++;
        dprintf(out, "call %u, %d%s: status %d\n", at, failed, i % 2 == 1 ? " and later ones" : "", status);
    }
    dprintf(out, "calls %u runs %u reached %u wrong %u\n", n, done, reached, wrong);
    return 0;
}
/* SPDX-License-Identifier: MIT */
