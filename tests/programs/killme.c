/*
 * killme.c -- ends in a given way after a known number of allocations.
 *
 *     killme COUNT HOW      HOW: kill, term, segv, abort, _exit, quick_exit, exec, exit, sleep
 *
 * one_block() allocates COUNT blocks of 24 bytes; every second one is freed. Prints the numbers, then ends. `sleep`
 * waits until it is killed, `exec` executes /bin/true.
 */
#include <signal.h>

#include "program.h"

static FRAME void *
one_block(void)
{
    void *volatile block = malloc(24);

    return block;
}

static void
die(const char *how)
{
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    else if (strcmp(how, "term") == 0)
        kill(getpid(), SIGTERM);
    else if (strcmp(how, "segv") == 0)
        kill(getpid(), SIGSEGV);
    else if (strcmp(how, "abort") == 0)
        abort();
    else if (strcmp(how, "_exit") == 0)
        _exit(5);
    else if (strcmp(how, "quick_exit") == 0)
        quick_exit(6);
    else if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    else if (strcmp(how, "sleep") == 0)
        for (;;)
            pause();
}

int
main(int argc, char **argv)
{
    long count = number_or(argv[argc > 1 ? 1 : argc], 50001);
    long frees = 0;

    for (long i = 0; i < count; i++) {
        void *block = one_block();
        if (i % 2 == 1) {
            free(block);
            frees++;
        }
    }
    say("allocs %ld\nbytes %ld\nfrees %ld\nfreed %ld\n", count, count * 24, frees, frees * 24);
    die(argc > 2 ? argv[2] : "kill");
    return 7;
}
/* SPDX-License-Identifier: MIT */
