/*
 * signals.c -- prints what a program sees of SIGBUS and SIGSEGV, which the monitor also handles: actions, blocked
 * signals, and how the program ends. The output must be the same without the monitor.
 *
 *   signals CASE         runs one case; a signal may end the program
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int calls;
static char alternate[65536];
static char *volatile nowhere = (char *)16;

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
    else if (strcmp(what, "raise") == 0)
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
        execlp("grep", "grep", "-E", "^Sig(Blk|Ign|Cgt):", "/proc/self/status", NULL);
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
