/*
 * sizes.c -- allocates a block of each size, large ones first, so that libgc changes its lists of sizes for smaller
 * ones. Prints the sum of the sizes that libgc states.
 */
#include <ecl/ecl.h>
#include <stdio.h>

#define LARGEST 5000
#define ROUNDS  3

static size_t __attribute__((noinline))
allocate_sizes(void)
{
    size_t bytes = 0;

    for (int round = 0; round < ROUNDS; round++)
        for (size_t size = LARGEST; size > 0; size--)
            bytes += GC_size(size % 2 ? ecl_alloc(size) : ecl_alloc_atomic(size));
    return bytes;
}

int
main(int argc, char **argv)
{
    cl_boot(argc, argv);
    printf("%zu\n", allocate_sizes());
    cl_shutdown();
    return 0;
}
/* SPDX-License-Identifier: MIT */
