/*
 * held.c -- ends in a way that is selected by name. Before that, it prints malloc's own figures.
 */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { N = 40000, SIZE = 1000, EVERY = 50, LARGE = 3000000 };

static char *blocks[N];

static FRAME void
fill(void)
{
    for (int i = 0; i < N; i++)
        blocks[i] = malloc(SIZE);
}

/* Frees blocks, except for one at regular distances, so that malloc cannot return the memory between them. */
static FRAME void
thin(void)
{
    for (int i = 0; i < N; i++)
        if (i % EVERY != 0)
            free(blocks[i]);
}

static void
say_held(void)
{
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();

    say("held %zu\nmapped %zu\nfree %zu\n", info.arena + info.hblkhd, info.hblkhd, info.fordblks);
#else
    say("held none\n");
#endif
}

static void
end(int number)
{
    (void)number;
    exit(0);
}

static void
in_child(pid_t pid)
{
    if (pid > 0) {
        waitpid(pid, NULL, 0);
        _exit(0);
    }
    free(malloc(10));
    say_held();
    exit(0);
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    void *volatile large;

    fill();
    large = malloc(LARGE);
    if (strcmp(how, "whole") != 0)
        thin();
    say_held();
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "quick") == 0)
        quick_exit(0);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "handler") == 0) {
        signal(SIGALRM, end);
        for (alarm(1);;)
            free(malloc(2000000));
    }
    if (strcmp(how, "fork") == 0)
        in_child(fork());
#if __GLIBC_PREREQ(2, 34)
    if (strcmp(how, "_Fork") == 0)
        in_child(_Fork());
#endif
    return large == NULL;
}
/* SPDX-License-Identifier: MIT */
