/*
 * books_read.c -- prints the books in a file (books.h): what was begun and what was done.
 *
 *     books_read FILE
 */
#include "books.h"

int
main(int argc, char **argv)
{
    struct books one, sum = {0};
    int fd = open(argv[argc > 1 ? 1 : argc], O_RDONLY);

    if (fd < 0)
        return 1;
    while (read(fd, &one, sizeof one) == sizeof one) {
        sum.allocs_begun += one.allocs_begun;
        sum.allocs_done += one.allocs_done;
        sum.frees_begun += one.frees_begun;
        sum.frees_done += one.frees_done;
    }
    say("allocs-begun %lu\nallocs-done %lu\nfrees-begun %lu\nfrees-done %lu\n",
        (unsigned long)sum.allocs_begun, (unsigned long)sum.allocs_done,
        (unsigned long)sum.frees_begun, (unsigned long)sum.frees_done);
    return 0;
}
/* SPDX-License-Identifier: MIT */
