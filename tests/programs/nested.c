/*
 * nested.c -- a signal handler interrupts malloc and allocates. Its own malloc is interrupted by another handler,
 * which jumps back into the first handler. Then the first handler returns, and the first malloc continues.
 *
 *     nested ROUNDS
 *
 * In each round three handlers jump, only out of the monitor's code, because libc's lock would never be released.
 * Prints what main_block() and handler_block() allocated. Blocks of lost_block(), which handlers jump out of, are not
 * counted.
 */
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "library.h"

#define JUMPS 3                 /* in each round */
#define BLOCKS 10               /* blocks that the handler then allocates in each round */

static sigjmp_buf home;
static volatile int rounds, wanted, jumps, armed;
static volatile long main_blocks, handler_blocks;

FRAME static void
main_block(void)
{
    void *volatile block = malloc(48);

    free(block);
    main_blocks++;
}

FRAME static void
handler_block(void)
{
    void *volatile block = malloc(56);

    free(block);
    handler_blocks++;
}

FRAME static void
lost_block(void)
{
    void *volatile block = malloc(24);

    free(block);
}

static void
jump_back(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (!armed || !in_library(context))
        return;
    jumps++;
    siglongjmp(home, 1);
}

/* Handles at most one signal for each of main's blocks, because a timer that is faster than the handler would leave no
 * time to main. */
static void
interrupt(int number, siginfo_t *info, void *context)
{
    static long seen = -1;

    (void)number;
    (void)info;
    if (rounds >= wanted || main_blocks == seen || !in_library(context))
        return;
    seen = main_blocks;
    jumps = 0;
    sigsetjmp(home, 1);
    armed = 1;
    while (jumps < JUMPS)
        lost_block();
    armed = 0;
    for (int i = 0; i < BLOCKS; i++)
        handler_block();
    rounds++;
}

static timer_t
start_timer(int number, void (*handler)(int, siginfo_t *, void *), long nanoseconds)
{
    const struct itimerspec often = {{0, nanoseconds}, {0, nanoseconds}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    timer_t timer;

    sigaction(number, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &often, NULL) != 0)
        _exit(4);
    return timer;
}

int
main(int argc, char **argv)
{
    wanted = argc > 1 ? atoi(argv[1]) : 0;
    if (find_library()) {
        timer_t first = start_timer(SIGUSR1, interrupt, 900000);
        timer_t second = start_timer(SIGUSR2, jump_back, 70000);

        while (rounds < wanted)
            main_block();
        timer_delete(first);
        timer_delete(second);
    }
    say("main %ld %ld\nhandler %ld %ld\n", main_blocks, 48 * main_blocks, handler_blocks,
        56 * handler_blocks);
    return 0;
}
/* SPDX-License-Identifier: MIT */
