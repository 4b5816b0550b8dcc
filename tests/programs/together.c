/*
 * together.c -- a process that uses the same data file as others, or observes it.
 *
 *     together restart FILE   prints what mprof_restart(FILE) returns
 *     together closed [N]     closes all descriptors except the first three. Then work() allocates N blocks (default
 *                             100), and N is printed. When the input has ended, work() allocates 200 more blocks, and
 *                             the program exits with status 3
 */
#include "program.h"
#include "runtime/mprof.h"

static FRAME void
work(long count)
{
    for (long i = 0; i < count; i++) {
        void *volatile block = malloc(40);

        KEEP(block);
    }
}

static int
closed(long count)
{
    char byte;

    for (int fd = 3; fd < 2000; fd++)
        close(fd);
    work(count);
    say("%ld\n", count);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    work(200);
    say("end\n");
    return 3;
}

int
main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "restart") == 0) {
        say("%d\n", MPROF_VALUE(mprof_restart(argv[2])));
        return 0;
    }
    return closed(number_or(argv[argc > 2 ? 2 : argc], 100));
}
/* SPDX-License-Identifier: MIT */
