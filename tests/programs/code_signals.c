/*
 * code_signals.c -- signal handlers that run while the thread is in malloc or free, and allocate themselves. Must be
 * run with bump.c's allocator, which may be interrupted anywhere.
 *
 *     code_signals steps WHAT [STACK]    interrupts single instructions of a malloc and a free, in turn: each
 *                                        STRIDEth one (environment variable, default 29)
 *     code_signals storm WHAT [STACK]    interrupts by a timer, STORM times (environment variable)
 *
 * WHAT the handler does: alloc; jump (allocates and jumps out of malloc); realloc; thread (another thread allocates
 * meanwhile); fork (the child allocates). If STACK is "alternate", handlers have an alternate stack.
 *
 * Prints the sums of block() and handler_block(), and how many calls of the interrupted function began and how many
 * returned; see books.h.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "books.h"

static long storm_size;

static sigjmp_buf home;
static void (*what)(void);
static volatile long handled, steps, wanted;
static volatile int stepping, armed;
static struct books mine, its;

static FRAME void *
handler_block(size_t size)
{
    void *volatile made;

    BOOKS_MALLOC(made, &its, size);
    return made;
}

/* ---------------------------------------------------------------- in the handler */

static FRAME void
deeper(int depth)
{
    if (depth > 0) {
        deeper(depth - 1);
    } else {
        free(handler_block(70));
        its.frees_done++;
        its.freed_done += 70;
    }
    KEEP(&depth);
}

static void
alloc(void)
{
    deeper((int)(handled % 5));
}

static void
jump(void)
{
    deeper((int)(handled % 5));
    siglongjmp(home, 1);
}

static void
resize(void)
{
    void *volatile made = handler_block(50);

    made = realloc(made, 90);
    free(made);                 /* this block is realloc's, not handler_block()'s */
}

static void *
in_thread(void *unused)
{
    (void)unused;
    deeper(3);
    return NULL;
}

static void
thread(void)
{
    pthread_t other;

    if (pthread_create(&other, NULL, in_thread, NULL) != 0)
        _exit(60);
    pthread_join(other, NULL);
}

/* Set in the child, which finishes the interrupted call and then ends. */
static volatile int child;

static void
fork_once(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        child = 1;
        deeper(2);
        return;
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        _exit(61);
}

/* ---------------------------------------------------------------- single steps */

static void
on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    if (stepping && ++steps < wanted)
        return;
#ifdef __x86_64__
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100ll;
#else
    (void)context;
#endif
    if (!stepping)
        return;
    stepping = 0;
    handled++;
    what();
}

#ifdef __x86_64__
#define SET_TRAP()                                                                                 \
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orl $0x100, (%%rsp); popfq; "                \
                     "lea 128(%%rsp), %%rsp" ::: "cc", "memory")
#else
#define SET_TRAP() _exit(62)
#endif

static FRAME void
one_pair(int trapped)
{
    void *made;

    stepping = trapped != 0;
    if (trapped == 1)
        SET_TRAP();
    made = block(&mine, 30);
    unblock(&mine, made, 30);
    stepping = 0;
    KEEP(&made);
}

/* The first pair of calls makes the chain known again, so that the second one takes the hot path. The cold path takes
 * a lock with signals blocked, where a trap would end the process. */
static void
single_steps(long stride)
{
    for (wanted = 1;; wanted += stride) {
        volatile long before = handled;

        one_pair(0);
        one_pair(0);
        steps = 0;
        if (sigsetjmp(home, 1) == 0)
            one_pair(1);
        if (child)
            _exit(0);
        if (handled == before)
            break;
    }
    if (handled < 200 / stride)
        say("only %ld\n", handled);
}

/* ---------------------------------------------------------------- a storm */

static void
on_timer(int number)
{
    (void)number;
    armed = 0;
    if (!stepping)
        return;
    handled++;
    what();
}

/* Starts the timer for one signal. A periodic timer could be faster than the handler and leave no time to the
 * program. */
static void
arm(void)
{
    static long n;
    struct itimerval soon = {{0, 0}, {0, 5 + n++ % 60}};

    armed = 1;
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void
storm(void)
{
    struct itimerval never = {{0, 0}, {0, 0}};
    static long most;

    most = what == fork_once || what == thread ? storm_size / 30 : storm_size;
    while (handled < most && !child) {
        sigsetjmp(home, 1);
        while (handled < most && !child) {
            if (!armed)
                arm();
            one_pair(2);
        }
    }
    stepping = 0;
    setitimer(ITIMER_REAL, &never, NULL);
    if (child)
        _exit(0);
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {{"alloc", alloc}, {"jump", jump}, {"realloc", resize}, {"thread", thread},
             {"fork", fork_once}};

int
main(int argc, char **argv)
{
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};

    if (argc < 3)
        return 2;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[2], kinds[i].name) == 0)
            what = kinds[i].run;
    if (what == NULL)
        return 2;
    storm_size = number_or(getenv("STORM"), 3000);
    if (argc > 3) {
        sigaltstack(&alternate, NULL);
        action.sa_flags |= SA_ONSTACK;
    }
    if (strcmp(argv[1], "steps") == 0) {
        sigaction(SIGTRAP, &action, NULL);
        single_steps(number_or(getenv("STRIDE"), 29));
    } else {
        action.sa_flags &= ~SA_SIGINFO;
        action.sa_handler = on_timer;
        sigaction(SIGALRM, &action, NULL);
        storm();
    }
    books_say_of(&its);
    say("begun-allocs %lu\ndone-allocs %lu\nbegun-frees %lu\ndone-frees %lu\n", mine.allocs_begun,
        mine.allocs_done, mine.frees_begun, mine.frees_done);
    say("handled %ld\n", handled);
    return 0;
}
/* SPDX-License-Identifier: MIT */
