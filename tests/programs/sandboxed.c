/*
 * sandboxed.c -- a process that installs a seccomp filter and then allocates along so many chains that the data file
 * must grow.
 *
 *     sandboxed calls                          prints the system calls that can be forbidden, one a line
 *     sandboxed EVENT ACTION [CALL...]         see the table of events at the end
 *     sandboxed before ACTION CALL... -- PROGRAM ARGUMENT...
 *
 * The filter takes the ACTION kill, errno or trap for the CALLs, or, if none are named, for all calls except write,
 * exit_group, exit and those that the event needs.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "books_paths.h"

/* All system calls that runtime/ makes, itself or through libc. tests/e2e/seccomp.sh compares the list with
 * the code. */
static const struct {
    const char *name;
    long number;
} calls[] = {
#define CALL(name) {#name, SYS_##name}
    CALL(clock_gettime), CALL(clone), CALL(close), CALL(close_range), CALL(dup), CALL(exit_group),
    CALL(fallocate), CALL(fcntl), CALL(fdatasync), CALL(flock), CALL(fstat), CALL(futex), CALL(statfs),
    CALL(get_robust_list), CALL(getcwd), CALL(getdents64), CALL(getpid), CALL(getppid),
    CALL(getrandom), CALL(gettid), CALL(madvise), CALL(memfd_create), CALL(mincore), CALL(mmap), CALL(mprotect),
    CALL(pkey_mprotect), CALL(mremap), CALL(munlock), CALL(munmap), CALL(nanosleep), CALL(newfstatat), CALL(openat),
    CALL(pipe2), CALL(ppoll), CALL(prctl), CALL(pread64), CALL(prlimit64), CALL(process_vm_readv), CALL(pwrite64),
    CALL(read), CALL(readlinkat), CALL(recvmsg), CALL(rt_sigaction), CALL(rt_sigpending), CALL(rt_sigprocmask),
    CALL(rt_sigqueueinfo), CALL(rt_sigtimedwait), CALL(rt_tgsigqueueinfo),
    CALL(sched_getscheduler), CALL(sched_setscheduler), CALL(sched_yield), CALL(sendmsg), CALL(sigaltstack),
    CALL(renameat2), CALL(statx), CALL(symlinkat), CALL(tgkill), CALL(uname), CALL(unlinkat), CALL(wait4),
#undef CALL
};

static uint32_t forbidden[64], n_forbidden;     /* if empty, all calls that are not allowed are forbidden */
static uint32_t allowed[64], n_allowed;
static uint32_t action;
static long flags;              /* flags of seccomp(2) */
static bool by_prctl = true;

/* Makes the heap large enough for later allocations, so that the allocator makes no system call. */
static void
enough_memory(void)
{
    void *volatile page;

    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 64 << 20);
    page = malloc(1 << 20);
    free(page);
}

/* ---------------------------------------------------------------- the filter */

#define STATEMENT(code, k) ((struct sock_filter)BPF_STMT(code, k))
#define JUMP(code, k, yes, no) ((struct sock_filter)BPF_JUMP(code, k, yes, no))

static void
allow(long number)
{
    allowed[n_allowed++] = (uint32_t)number;
}

static void
close_door(void)
{
    static struct sock_filter filter[140];
    struct sock_fprog program = {0, filter};
    const uint32_t *list = n_forbidden ? forbidden : allowed;
    uint32_t n = n_forbidden ? n_forbidden : n_allowed;
    uint32_t listed = n_forbidden ? action : SECCOMP_RET_ALLOW;
    uint32_t others = n_forbidden ? SECCOMP_RET_ALLOW : action;
    unsigned short used = 0;

    filter[used++] = STATEMENT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (uint32_t i = 0; i < n; i++) {
        filter[used++] = JUMP(BPF_JMP | BPF_JEQ | BPF_K, list[i], 0, 1);
        filter[used++] = STATEMENT(BPF_RET | BPF_K, listed);
    }
    filter[used++] = STATEMENT(BPF_RET | BPF_K, others);
    program.len = used;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        (by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                  : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program)) != 0) {
        say("seccomp: %s\n", strerror(errno));
        _exit(77);
    }
}

/* ---------------------------------------------------------------- events */

static void
alone(void)
{
    left(&books[0], 6);
    close_door();
    work();
}

static void
alone_by_syscall(void)
{
    by_prctl = false;
    alone();
}

/* Installs the filter before the first allocation. */
static void
at_once(void)
{
    close_door();
    work();
}

/* Allocates in frames so large that the unwinder checks memory before it reads it. */
static FRAME void
wide(void)
{
    volatile char pad[200000];

    pad[0] = 1;
    left(&books[0], 3);
    KEEP(pad);
}

static void
wide_frames(void)
{
    close_door();
    wide();
    work();
}

/* Makes the calls with which libseccomp tests what the kernel supports. They do not install a filter. */
static void
questions(void)
{
    struct sock_filter bad = STATEMENT(BPF_LD | BPF_W | BPF_ABS, 1);
    struct sock_fprog program = {1, &bad};
    int status;
    pid_t pid;

    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) == 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) == 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ||
        prctl(PR_GET_SECCOMP) != 0)
        _exit(70);
    pid = fork();
    if (pid == 0) {
        work();
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid)
        _exit(71);
    work();
}

/* read, write, _exit and sigreturn are allowed, not exit_group(). */
static void
strict(void)
{
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(77);
    work();
    books_say();
    syscall(SYS_exit, 0);
}

/* Needs more memory than the monitor can reserve. */
static void
too_much(void)
{
    close_door();
    left(&books[0], 21);
}

#define THREADS 4

static uint32_t gone_by;                /* 1 = the filter is installed */
static uint32_t at_work;

static void *
worker(void *mine)
{
    left(mine, 9);
    __atomic_add_fetch(&at_work, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&gone_by, __ATOMIC_SEQ_CST))
        left(mine, 10);
    left(mine, 13);
    return NULL;
}

/* Threads allocate when the filter is installed for all of them at once. */
static void
threads_at_work(void)
{
    pthread_t threads[THREADS];

    by_prctl = false;
    flags = SECCOMP_FILTER_FLAG_TSYNC;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, worker, &books[i + 1]) != 0)
            _exit(72);
    while (__atomic_load_n(&at_work, __ATOMIC_SEQ_CST) < THREADS)
        sched_yield();
    close_door();
    __atomic_store_n(&gone_by, 1, __ATOMIC_SEQ_CST);
    work();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Threads begin and end after the filter was installed. */
static void
threads_later(void)
{
    pthread_t threads[THREADS];

    gone_by = 1;
    close_door();
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, worker, &books[i + 1]) != 0)
                _exit(72);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
}

/* Each thread has a filter of its own. */
static void *
own_door(void *mine)
{
    left(mine, 9);
    close_door();
    left(mine, 12);
    return NULL;
}

static void
threads_alone(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, own_door, &books[i + 1]) != 0)
            _exit(72);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    work();
}

static int
child_of(pid_t pid)
{
    int status = -1;

    if (waitpid(pid, &status, 0) != pid)
        _exit(73);
    return status;
}

/* A child that is forked after the filter was installed is not recorded. */
static void
fork_later(void)
{
    pid_t pid;

    close_door();
    work();
    pid = fork();
    if (pid == 0) {
        left(&books[BOOKS_THREADS - 1], 10);
        _exit(3);
    }
    if (child_of(pid) != 3 << 8)
        _exit(74);
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        left(&books[BOOKS_THREADS - 1], 10);
        _exit(4);
    }
    if (child_of(pid) != 4 << 8)
        _exit(75);
    memset(&books[BOOKS_THREADS - 1], 0, sizeof *books);
    left(&books[0], 4);
}

/* The child installs the filter; the parent has none. */
static void
fork_first(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        close_door();
        work();
        _exit(5);
    }
    if (child_of(pid) != 5 << 8)
        _exit(76);
    left(&books[0], 12);
}

/* The child executes another program, as man's children do. */
static void
exec_later(void)
{
    static char *const program[] = {"/bin/true", NULL};
    pid_t pid = fork();

    if (pid == 0) {
        close_door();
        left(&books[BOOKS_THREADS - 1], 10);
        execv("/nosuch", program);
        left(&books[BOOKS_THREADS - 1], 4);
        execv(program[0], program);
        _exit(9);
    }
    if (child_of(pid) != 0)
        _exit(79);
    if (system("exit 6") != 6 << 8)
        _exit(80);
    memset(&books[BOOKS_THREADS - 1], 0, sizeof *books);
    work();
}

static void
system_later(void)
{
    close_door();
    work();
    if (system("exit 6") != 6 << 8)
        _exit(80);
}

static jmp_buf back;
static volatile uint32_t handled;
static volatile bool enough;
static bool jumps;

/* Requests one signal. A periodic timer could be faster than the handler, which would then interrupt itself without
 * end. */
static void
arm(void)
{
    const struct itimerval soon = {{0, 0}, {0, 300}};

    setitimer(ITIMER_REAL, &soon, NULL);
}

static void
on_alarm(int number)
{
    (void)number;
    handled++;
    if (!jumps)
        unblock(&books[1], block(&books[1], 60 + handled % 2000), 60 + handled % 2000);
    if (!enough)
        arm();
    if (jumps)
        _longjmp(back, 1);
}

static void
with_alarms(void)
{
    struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_NODEFER};

    sigaction(SIGALRM, &act, NULL);
    arm();
    close_door();
}

static void
signals(void)
{
    with_alarms();
    work();
    for (uint32_t i = 0; handled < 200 && i < 1u << 30; i++)
        if (i % 4096 == 0)
            left(&books[0], 5);
    enough = true;
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);      /* nothing is allocated after the count */
}

/* Signal handlers jump out of whatever they interrupt. The exact figures lie between those in the books (books.h). */
static void
signals_that_jump(void)
{
    static volatile int depth = 4;

    jumps = true;
    if (_setjmp(back) == 0)
        with_alarms();
    while (handled < 100)
        left(&books[0], depth = depth < 15 ? depth + 1 : 4);
    jumps = false;
}

static void
plugins(void)
{
    const char *plug = getenv("PLUG");

    close_door();
    for (int i = 0; i < 5; i++) {
        void *handle = dlopen(plug, RTLD_NOW), *symbol = handle ? dlsym(handle, "plug_run") : NULL;

        if (!symbol)
            _exit(81);
        left(&books[0], 6);
        dlclose(handle);
    }
    work();
}

/* For a library loaded with RTLD_DEEPBIND, the monitor would call mprotect(2). */
static void
deep(void)
{
    close_door();
    if (dlopen("libnotthere.so.7", RTLD_NOW | RTLD_DEEPBIND))
        _exit(82);
    work();
}

/* The child of a vfork installs the filter for itself, in its parent's memory. */
static void
vfork_first(void)
{
    static char *const program[] = {"/bin/true", NULL};
    pid_t pid = vfork();

    if (pid == 0) {
        close_door();
        execv("/nosuch", program);
        execv(program[0], program);
        _exit(9);
    }
    if (child_of(pid) != 0)
        _exit(83);
    pid = fork();
    if (pid == 0) {
        left(&books[BOOKS_THREADS - 1], 10);
        _exit(5);
    }
    if (child_of(pid) != 5 << 8)
        _exit(84);
    left(&books[0], 18);
}

static void
restart(void)
{
    int (*begin)(const char *);

    *(void **)&begin = dlsym(RTLD_DEFAULT, "mprof_restart");
    close_door();
    if (begin && begin("event.data.other") == 0)
        _exit(85);
    work();
}

static const struct event {
    const char *name;
    void (*run)(void);
    long also[16];              /* further allowed calls; 0, read(2), ends the list, because nothing needs it */
} events[] = {
    {"alone", alone, {0}},
    {"syscall", alone_by_syscall, {0}},
    {"at_once", at_once, {0}},
    {"questions", questions, {0}},
    {"strict", strict, {0}},
    {"wide", wide_frames, {0}},
    {"too_much", too_much, {SYS_brk}},
    {"threads", threads_at_work, {SYS_futex, SYS_madvise, SYS_munmap, SYS_rt_sigprocmask}},
    {"threads_later", threads_later,
     {SYS_futex, SYS_madvise, SYS_munmap, SYS_mmap, SYS_mprotect, SYS_clone3, SYS_clone,
      SYS_rt_sigprocmask, SYS_set_robust_list, SYS_rseq, SYS_rt_sigaction, SYS_getrandom}},
    {"threads_alone", threads_alone, {SYS_futex, SYS_madvise, SYS_munmap, SYS_rt_sigprocmask}},
    {"fork_later", fork_later,
     {SYS_clone, SYS_wait4, SYS_set_robust_list, SYS_rt_sigprocmask, SYS_rseq}},
    {"fork_first", fork_first, {0}},
    {"exec_later", exec_later, {0}},
    {"system_later", system_later, {0}},
    {"signals", signals, {SYS_rt_sigreturn, SYS_setitimer}},
    {"jumps", signals_that_jump, {SYS_rt_sigreturn, SYS_setitimer}},
    {"plugins", plugins, {0}},
    {"deep", deep, {0}},
    {"vfork_first", vfork_first, {0}},
    {"restart", restart, {0}},
};

/* ---------------------------------------------------------------- main */

static bool
take_call(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0) {
            forbidden[n_forbidden++] = (uint32_t)calls[i].number;
            return true;
        }
    return false;
}

static bool
take_action(const char *name)
{
    if (strcmp(name, "kill") == 0)
        action = SECCOMP_RET_KILL_PROCESS;
    else if (strcmp(name, "errno") == 0)
        action = SECCOMP_RET_ERRNO | EPERM;
    else if (strcmp(name, "trap") == 0)
        action = SECCOMP_RET_TRAP;
    return action != 0;
}

static void
list_calls(void)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        say("%s\n", calls[i].name);
}

int
main(int argc, char **argv)
{
    int at = 3;

    if (argc == 2 && strcmp(argv[1], "calls") == 0) {
        list_calls();
        return 0;
    }
    if (argc < 3 || !take_action(argv[2]))
        return 2;
    for (; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (!take_call(argv[at]))
            return 2;
    allow(SYS_write), allow(SYS_exit_group), allow(SYS_exit);
    if (strcmp(argv[1], "before") == 0 && at + 1 < argc) {
        close_door();
        execvp(argv[at + 1], argv + at + 1);
        return 127;
    }
    books_open();
    enough_memory();
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(events[i].name, argv[1]) == 0) {
            for (int j = 0; events[i].also[j] != 0; j++)
                allow(events[i].also[j]);
            events[i].run();
            books_say();
            _exit(0);
        }
    return 2;
}
/* SPDX-License-Identifier: MIT */
