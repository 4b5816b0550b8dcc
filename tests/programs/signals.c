/*
 * signals.c -- prints what a program sees of SIGBUS and SIGSEGV, which the monitor also handles: actions, blocked
 * signals, and how the program ends. The output must be the same without the monitor.
 *
 *   signals CASE         runs one case; a signal may end the program
 *   signals functions    calls each function that changes an action or the mask, in a process of its own
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int calls;
static char alternate[65536];
static char *volatile nowhere = (char *)16;

/* A program that prints what it inherits. It sets no action itself. */
static char *heir[] = { "sed", "-n", "/^Sig[BIC]/p", "/proc/self/status", NULL };

static void
say(const char *what, long number)
{
    printf("%s %ld\n", what, number);
    fflush(stdout);
}

static void
jump_back(int number, siginfo_t *info, void *context)
{
    char here;

    (void)context;
    calls++;
    say("handler: signal", number);
    say("handler: code", info->si_code);
    say("handler: on the alternate stack", &here >= alternate && &here < alternate + sizeof alternate);
    siglongjmp(back, 1);
}

static void
count(int number)
{
    calls++;
    say("plain handler: signal", number);
}

static void
set(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void
ask(int number)
{
    struct sigaction action;

    sigaction(number, NULL, &action);
    say("action: default", action.sa_handler == SIG_DFL);
    say("action: ignored", action.sa_handler == SIG_IGN);
    say("action: flags", action.sa_flags & ~0x04000000);        /* SA_RESTORER is libc's own */
    say("action: blocks both", sigismember(&action.sa_mask, SIGBUS) + 2 * sigismember(&action.sa_mask, SIGSEGV));
}

/* Returns a page of a file that was truncated, so that touching it raises SIGBUS. */
static volatile char *
gone(void)
{
    char name[] = "/tmp/mprof-signals.XXXXXX";
    int fd = mkstemp(name);
    char *page;

    unlink(name);
    if (ftruncate(fd, 4096) != 0)
        exit(99);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ftruncate(fd, 0) != 0)
        exit(99);
    return page;
}

static void
fault(int number)
{
    if (number == SIGBUS)
        *gone() = 1;
    else
        *(volatile char *)nowhere = 1;
}

static void
caught(int number, int flags)
{
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};

    sigaltstack(&stack, NULL);
    for (volatile int i = 0; i < 2; i++) {
        set(number, jump_back, flags);
        ask(number);
        if (sigsetjmp(back, 1) == 0)
            fault(number);
    }
    say("calls", calls);
    ask(number);
}

static void
masks(void)
{
    sigset_t set, old;

    sigfillset(&set);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    say("blocked before", sigismember(&old, SIGBUS) + 2 * sigismember(&old, SIGSEGV));
    sigprocmask(SIG_SETMASK, NULL, &old);
    say("blocked all", sigismember(&old, SIGBUS) + 2 * sigismember(&old, SIGSEGV) + 4 * sigismember(&old, SIGTERM));
    sigemptyset(&set);
    sigaddset(&set, SIGBUS);
    sigprocmask(SIG_UNBLOCK, &set, &old);
    pthread_sigmask(SIG_BLOCK, NULL, &old);
    say("unblocked one", sigismember(&old, SIGBUS) + 2 * sigismember(&old, SIGSEGV));
    sigfillset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);
    free(malloc(100));
}

/* The program sends itself the signal while the signal is blocked, so that it stays pending. */
static void
sent(int number)
{
    sigset_t set, pending;

    signal(number, count);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, NULL);
    kill(getpid(), number);
    raise(number);
    say("calls while blocked", calls);
    sigpending(&pending);
    say("pending", sigismember(&pending, number));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    say("calls when unblocked", calls > 0);
    signal(number, SIG_IGN);
    raise(number);
    say("ignored", signal(number, SIG_DFL) == SIG_IGN);
}

static int
overflow(int depth)
{
    volatile char page[4096];

    page[0] = (char)depth;
    return depth < 1 << 30 ? overflow(depth + 1) + page[0] : 0;
}

/* ------------------------------------------------------------------ all functions */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
__sighandler_t bsd_signal(int, __sighandler_t);         /* headers do not declare it any more */

static const int numbers[] = { SIGBUS, SIGSEGV, SIGUSR1 };
static sigset_t all, none;
enum { BUS = 1 << (SIGBUS - 1), SEGV = 1 << (SIGSEGV - 1), USR1 = 1 << (SIGUSR1 - 1) };
static ucontext_t here, there;

static void
show_mask(const char *what)
{
    sigset_t now;

    sigprocmask(SIG_BLOCK, NULL, &now);
    for (int i = 0; i < 3; i++)
        printf("%s: blocked %d\n", what, sigismember(&now, numbers[i]));
    fflush(stdout);
}

static void
wait_for(pid_t pid)
{
    int status;

    say("child: status", waitpid(pid, &status, 0) == pid ? status : -1);
}

/* Shows the state in this process and in children of all kinds. */
static void
show(void)
{
    posix_spawnattr_t attributes;
    sigset_t segv;
    pid_t pid;

    show_mask("after");
    say("sigblock", sigblock(0));
    for (int i = 0; i < 3; i++) {
        struct sigaction action;

        ask(numbers[i]);
        sigaction(numbers[i], NULL, &action);
        say("action: blocks itself", sigismember(&action.sa_mask, numbers[i]));
    }
    if ((pid = fork()) == 0) {
        show_mask("forked");
        execvp(heir[0], heir);
        _exit(9);
    }
    wait_for(pid);
    if ((pid = vfork()) == 0) {
        execvp(heir[0], heir);
        _exit(9);
    }
    wait_for(pid);
    if (posix_spawnp(&pid, heir[0], NULL, NULL, heir, environ) == 0)
        wait_for(pid);
    posix_spawnattr_init(&attributes);
    sigemptyset(&segv);
    sigaddset(&segv, SIGSEGV);
    posix_spawnattr_setsigmask(&attributes, &segv);
    posix_spawnattr_setsigdefault(&attributes, &segv);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (posix_spawnp(&pid, heir[0], NULL, &attributes, heir, environ) == 0)
        wait_for(pid);
    say("system", system("exec sed -n '/^Sig[BIC]/p' /proc/self/status"));
    show_mask("at the end");
}

static void
jump(void)
{
    if (sigsetjmp(back, 1) == 0) {
        sigprocmask(SIG_SETMASK, &all, NULL);
        siglongjmp(back, 1);
    }
}

static void
switch_back(void)
{
    sigprocmask(SIG_SETMASK, &all, NULL);
    setcontext(&here);
}

static void
switch_contexts(void)
{
    getcontext(&there);
    there.uc_stack = (stack_t) {.ss_sp = alternate, .ss_size = sizeof alternate};
    makecontext(&there, switch_back, 0);
    swapcontext(&here, &there);
}

static void
block_all(int number)
{
    (void)number;
    sigprocmask(SIG_SETMASK, &all, NULL);
}

/* A handler blocks all signals. Its return unblocks them. */
static void
return_from_handler(void)
{
    signal(SIGUSR1, block_all);
    raise(SIGUSR1);
}

static void
suspend(void)
{
    sigset_t before;

    signal(SIGUSR1, count);
    sigprocmask(SIG_SETMASK, &all, &before);
    raise(SIGUSR1);
    sigsuspend(&none);
    show_mask("suspended");
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The signal is sent while it is blocked, and arrives when it is unblocked. */
static void
release(void)
{
    signal(SIGSEGV, count);
    sighold(SIGSEGV);
    raise(SIGSEGV);
    say("calls while held", calls);
    say("sigrelse", sigrelse(SIGSEGV));
    say("calls when released", calls);
}

#define SAY(call)      say(#call, (long)(call))
#define CALLS(EACH)                                                                                             \
    EACH(SAY(sigsetmask(0)))                                                                                    \
    EACH(SAY(sigsetmask(SEGV | USR1)))                                                                          \
    EACH(SAY(sigsetmask(~0)))                                                                                   \
    EACH(SAY(sigblock(BUS)))                                                                                    \
    EACH(SAY(sighold(SIGSEGV)))                                                                                 \
    EACH(SAY(sighold(999)))                                                                                     \
    EACH(SAY(sigrelse(SIGSEGV)))                                                                                \
    EACH(SAY(sigrelse(SIGUSR1)))                                                                                \
    EACH(SAY(sigrelse(0)))                                                                                      \
    EACH(SAY(sigset(SIGSEGV, SIG_HOLD)); SAY(sigset(SIGSEGV, SIG_IGN)); SAY(sigset(SIGSEGV, SIG_HOLD)))         \
    EACH(SAY(sigset(SIGBUS, SIG_IGN)); SAY(sigset(SIGBUS, SIG_DFL)); SAY(sigset(SIGBUS, SIG_ERR)))              \
    EACH(SAY(sigset(SIGUSR1, SIG_IGN)); SAY(sigset(0, SIG_IGN)))                                                \
    EACH(SAY(sigignore(SIGSEGV)); SAY(sigignore(SIGUSR1)); SAY(sigignore(SIGKILL)))                             \
    EACH(SAY(bsd_signal(SIGSEGV, SIG_IGN)); bsd_signal(SIGBUS, count); raise(SIGBUS))                           \
    EACH(SAY(ssignal(SIGSEGV, SIG_IGN)); ssignal(SIGBUS, count); raise(SIGBUS))                                 \
    EACH(SAY(sysv_signal(SIGSEGV, SIG_IGN)); sysv_signal(SIGBUS, count); raise(SIGBUS))                         \
    EACH(SAY(__sysv_signal(SIGBUS, SIG_IGN)); sysv_signal(SIGSEGV, count); raise(SIGSEGV))                      \
    EACH(signal(SIGBUS, count); SAY(siginterrupt(SIGBUS, 1)); SAY(siginterrupt(SIGUSR1, 1)))                    \
    EACH(SAY(siginterrupt(SIGSEGV, 1)); signal(SIGSEGV, count); SAY(siginterrupt(SIGUSR1, 0)))                  \
    EACH(set(SIGUSR1, jump_back, 0); SAY(signal(SIGUSR1, SIG_DFL) == SIG_DFL))                                  \
    EACH(jump())                                                                                                \
    EACH(switch_contexts())                                                                                     \
    EACH(return_from_handler())                                                                                 \
    EACH(suspend())                                                                                             \
    EACH(release())

/* Makes each call in a new process, in which the signals of BLOCKED are blocked. */
static void
functions(const sigset_t *blocked)
{
    sigprocmask(SIG_SETMASK, blocked, NULL);
#define IN_CHILD(call)                                                                                          \
    do {                                                                                                        \
        pid_t pid = fork();                                                                                     \
        if (pid == 0) {                                                                                         \
            puts(#call);                                                                                        \
            call;                                                                                               \
            show();                                                                                             \
            _exit(0);                                                                                           \
        }                                                                                                       \
        wait_for(pid);                                                                                          \
    } while (0);
    CALLS(IN_CHILD)
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int number = argc > 2 && strcmp(argv[2], "bus") == 0 ? SIGBUS : SIGSEGV;

    if (strcmp(what, "caught") == 0)
        caught(number, 0);
    else if (strcmp(what, "onstack") == 0)
        caught(number, SA_ONSTACK);
    else if (strcmp(what, "once") == 0)
        caught(number, (int)SA_RESETHAND | SA_NODEFER);
    else if (strcmp(what, "masks") == 0)
        masks();
    else if (strcmp(what, "sent") == 0)
        sent(number);
    else if (strcmp(what, "fault") == 0)
        fault(number);
    else if (strcmp(what, "functions") == 0) {
        sigfillset(&all);
        functions(&none);
        functions(&all);
    } else if (strcmp(what, "raise") == 0)
        raise(number);
    else if (strcmp(what, "ignored") == 0) {
        signal(number, SIG_IGN);
        ask(number);
        fault(number);
    } else if (strcmp(what, "blocked") == 0) {
        masks();
        fault(number);
    } else if (strcmp(what, "exec") == 0) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, number);
        sigprocmask(SIG_BLOCK, &set, NULL);
        signal(number == SIGBUS ? SIGSEGV : SIGBUS, SIG_IGN);
        execvp(heir[0], heir);
    } else if (strcmp(what, "overflow") == 0) {
        stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};

        sigaltstack(&stack, NULL);
        set(SIGSEGV, jump_back, SA_ONSTACK);
        if (sigsetjmp(back, 1) == 0)
            overflow(0);
        say("calls", calls);
    } else {
        return 2;
    }
    say("end", 0);
    return 0;
}
/* SPDX-License-Identifier: MIT */
