/*
 * generations.c -- a child that forks a child that forks a child, and so on.
 *
 *     generations [COUNT]        default 200
 *
 * Each process allocates and frees some blocks, and waits for its child. The second and the last process print how
 * many mappings they have.
 */
#include <fcntl.h>
#include <sys/wait.h>

#include "program.h"

static long
mappings(void)
{
    int fd = open("/proc/self/maps", O_RDONLY);
    long lines = 0, n;
    char text[4096];

    while ((n = read(fd, text, sizeof text)) > 0)
        for (long i = 0; i < n; i++)
            lines += text[i] == '\n';
    close(fd);
    return lines;
}

static FRAME void
work(void)
{
    void *volatile blocks[10];

    for (int i = 0; i < 10; i++)
        blocks[i] = malloc(100);
    for (int i = 1; i < 10; i++)
        free(blocks[i]);
}

int
main(int argc, char **argv)
{
    long count = number_or(argc > 1 ? argv[1] : NULL, 200);
    int status;

    for (long depth = 1; depth <= count; depth++) {
        pid_t child = fork();

        if (child < 0)
            return 3;
        if (child > 0)
            return wait(&status) == child && status == 0 ? 0 : 4;
        work();
        if (depth == 2 || depth == count)
            say("mappings at %s %ld\n", depth == 2 ? "first" : "last", mappings());
    }
    return 0;
}
/* SPDX-License-Identifier: MIT */
