/*
 * checkpoints.c -- programs that call mprof_checkpoint(), with known figures between the checkpoints. "|" separates
 * what happens before and after checkpoints, which have the names in front of the colons.
 *
 *     phases      alpha: 1000 blocks of 100 bytes | beta: frees 400 of them, 300 of 50 | gamma: 7 of 9
 *     tiny        70,000 blocks of 16 bytes | full: frees all but 100 | empty
 *     threads     4 threads, 10 rounds; in round i each allocates 10 * i blocks and frees 10 * i - 1
 *     storm       4 threads pass blocks to each other and set checkpoints all the time; so does a signal handler
 *     apart       400 blocks of 50 sizes, each freed by one of 8 threads; then a checkpoint
 *     renew       2 threads with thousands of contexts; 20 times a checkpoint "old" and then a new recording
 *     million     a checkpoint after each of a million allocations
 *     kill        phases, and then SIGKILL
 *     fork        phases, and a child that allocates
 *     shut        phases with a seccomp filter between checkpoints, and 300 checkpoints more
 *     crowded     behind a filter: checkpoints, after each of which 1024 contexts allocate; finally one more
 *     restart     phases, then another recording, into second.data, with a checkpoint of its own
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/mprof.h"

#define NOINLINE __attribute__((noinline))
#define THREADS  4
#define ROUNDS   10

static void *kept[1000];

NOINLINE static void
alpha(void)
{
    for (int i = 0; i < 1000; i++)
        kept[i] = malloc(100);
}

NOINLINE static void
beta(void)
{
    for (int i = 0; i < 400; i++) {
        free(kept[i]);
        kept[i] = NULL;
    }
    for (int i = 0; i < 300; i++)
        kept[i] = malloc(50);
}

NOINLINE static void
gamma_(void)
{
    for (int i = 300; i < 307; i++)
        kept[i] = malloc(9);
}

static void
phases(void)
{
    MPROF(mprof_checkpoint("nothing"));
    alpha();
    MPROF(mprof_checkpoint("one"));
    beta();
    MPROF(mprof_checkpoint("two"));
    gamma_();
    MPROF(mprof_checkpoint("one"));
}

/* ---------------------------------------------------------------- tiny */

#define TINY 70000

static void *tiny_blocks[TINY];

NOINLINE static void
make_tiny(void)
{
    for (int i = 0; i < TINY; i++)
        tiny_blocks[i] = malloc(16);
}

static void
tiny(void)
{
    make_tiny();
    MPROF(mprof_checkpoint("full"));
    for (int i = 100; i < TINY; i++)
        free(tiny_blocks[i]);
    MPROF(mprof_checkpoint("empty"));
}

/* ---------------------------------------------------------------- threads */

static pthread_barrier_t barrier;

NOINLINE static void
work(int round)
{
    for (int i = 0; i < 10 * round; i++) {
        void *volatile block = malloc(64);

        if (i > 0)
            free(block);
    }
}

static void *
worker(void *unused)
{
    (void)unused;
    for (int round = 1; round <= ROUNDS; round++) {
        work(round);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void
threads(void)
{
    pthread_t ids[THREADS];
    char name[32];

    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, worker, NULL);
    for (int round = 1; round <= ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        sprintf(name, "round %d", round);
        MPROF(mprof_checkpoint(name));
        pthread_barrier_wait(&barrier);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
}

/* ---------------------------------------------------------------- storm */

static void *volatile slots[THREADS];   /* blocks that are passed to the next thread */
static volatile int stop;

NOINLINE static void *
make(void)
{
    return malloc(48);
}

static void *
whirl(void *number)
{
    int self = (int)(long)number;

    for (long i = 0; !stop; i++) {
        free(__atomic_exchange_n(&slots[(self + 1) % THREADS], make(), __ATOMIC_ACQ_REL));
        if (i % 256 == 0)
            MPROF(mprof_checkpoint("storm"));
    }
    return NULL;
}

static void
on_alarm(int signal)
{
    (void)signal;
    MPROF(mprof_checkpoint("signal"));
}

static void
storm(void)
{
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    pthread_t ids[THREADS];

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, whirl, (void *)i);
    for (int i = 0; i < 300; i++)
        usleep(1000);
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* ---------------------------------------------------------------- apart */

#define APART 8

static void *
free_some(void *first)
{
    for (int i = (int)(long)first; i < 50 * APART; i += APART)
        free(kept[i]);
    return NULL;
}

NOINLINE static void
apart(void)
{
    pthread_t ids[APART];

    for (int i = 0; i < 50 * APART; i++)
        kept[i] = malloc(1500 + (size_t)i / APART);
    for (long i = 0; i < APART; i++)
        pthread_create(&ids[i], NULL, free_some, (void *)i);
    for (int i = 0; i < APART; i++)
        pthread_join(ids[i], NULL);
    MPROF(mprof_checkpoint("freed"));
}

/* ---------------------------------------------------------------- thousands of contexts */

static void path(unsigned turns, int length);

NOINLINE static void
left(unsigned turns, int length)
{
    path(turns / 2, length - 1);
    __asm__ volatile("");               /* no tail call */
}

NOINLINE static void
right(unsigned turns, int length)
{
    path(turns / 2, length - 1);
    __asm__ volatile("");
}

NOINLINE static void
path(unsigned turns, int length)
{
    if (length == 0)
        free(make());
    else if (turns % 2 == 0)
        left(turns, length);
    else
        right(turns, length);
    __asm__ volatile("");
}

static void *
wander(void *unused)
{
    (void)unused;
    for (unsigned i = 0; !stop; i++)
        path(i % 4096, 12);
    return NULL;
}

static void
renew(void)
{
    pthread_t ids[2];
    char name[32];

    for (int i = 0; i < 2; i++)
        pthread_create(&ids[i], NULL, wander, NULL);
    for (int i = 0; i < 20; i++) {
        usleep(10000);
        MPROF(mprof_checkpoint("old"));
        sprintf(name, "renew.%d.data", i);
        MPROF(mprof_restart(name));
    }
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
}

/* ---------------------------------------------------------------- the rest */

static void
million(void)
{
    for (int i = 0; i < 1000000; i++) {
        free(make());
        MPROF(mprof_checkpoint("again"));
    }
}

static void
with_child(void)
{
    phases();
    if (fork() == 0) {
        alpha();
        exit(0);
    }
    wait(NULL);
}

/* Installs a seccomp filter that allows only write, brk and exit_group. */
static void
shut_off(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void
shut(void)
{
    alpha();
    MPROF(mprof_checkpoint("open"));
    shut_off();
    MPROF(mprof_checkpoint("shut"));
    beta();
    MPROF(mprof_checkpoint("shut 2"));
    for (int i = 0; i < 300; i++) {
        gamma_();
        MPROF(mprof_checkpoint("many"));
    }
    _exit(0);
}

static void
crowded(void)
{
    alpha();
    for (unsigned i = 0; i < 1024; i++)
        path(i, 10);
    shut_off();
    for (int round = 0; round < 20; round++) {
        MPROF(mprof_checkpoint("again"));
        for (unsigned i = 0; i < 1024; i++)
            path(i, 10);
    }
    beta();
    _exit(0);
}

static void
restart(void)
{
    phases();
    MPROF(mprof_restart("second.data"));
    beta();
    MPROF(mprof_checkpoint("late"));
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "phases";

    if (strcmp(what, "threads") == 0)
        threads();
    else if (strcmp(what, "tiny") == 0)
        tiny();
    else if (strcmp(what, "storm") == 0)
        storm();
    else if (strcmp(what, "apart") == 0)
        apart();
    else if (strcmp(what, "renew") == 0)
        renew();
    else if (strcmp(what, "crowded") == 0)
        crowded();
    else if (strcmp(what, "million") == 0)
        million();
    else if (strcmp(what, "fork") == 0)
        with_child();
    else if (strcmp(what, "shut") == 0)
        shut();
    else if (strcmp(what, "restart") == 0)
        restart();
    else
        phases();
    if (strcmp(what, "kill") == 0) {
        gamma_();
        raise(SIGKILL);
    }
    puts("done");
    return 0;
}
/* SPDX-License-Identifier: MIT */
