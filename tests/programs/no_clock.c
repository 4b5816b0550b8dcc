/*
 * no_clock.c -- a process that is killed if it reads the processor's time stamp counter.
 *
 *     no_clock prctl | syscall | strict | seccomp [early]
 *
 * The first argument selects how the program forbids itself to read the counter: by prctl(2), called as a function
 * (prctl) or by syscall(2) (syscall), or by a strict seccomp filter, installed by prctl(2) (strict) or seccomp(2)
 * (seccomp). The program allocates at the end of deep recursions along two chains, `left` and `right`, before and
 * after it forbids this; with "early", only after. Prints the number of allocations of each chain: "left N", "right
 * N".
 */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "program.h"

#define ROUNDS 10
#define DEPTH  2000

static int rounds;

static FRAME void
descend(int level)
{
    if (level > 1)
        descend(level - 1);
    else
        free(malloc(40));
    KEEP(&level);
}

static FRAME void
left(void)
{
    descend(DEPTH);
    KEEP(&rounds);
}

static FRAME void
right(void)
{
    descend(DEPTH);
    KEEP(&rounds);
}

static void
work(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        left();
        right();
    }
    rounds += ROUNDS;
}

static int
forbid(const char *how)
{
    if (strcmp(how, "prctl") == 0)
        return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    if (strcmp(how, "syscall") == 0)
        return (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    if (strcmp(how, "strict") == 0)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
    if (strcmp(how, "seccomp") == 0)
        return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0);
    return -1;
}

int
main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (argc < 3)
        work();
    else
        free(malloc(100000));           /* makes sure that the heap is large enough */
    if (forbid(argv[1]) != 0)
        _exit(50);
    work();
    say("left %d\nright %d\n", rounds, rounds);
    syscall(SYS_exit, 0);               /* the only way to exit that a strict filter allows */
}
/* SPDX-License-Identifier: MIT */
