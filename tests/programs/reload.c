/*
 * reload.c -- two plug-ins that are loaded in turn at the same address.
 *
 *     reload PLUG-A PLUG-B [ROUNDS]      default 100
 *
 * In each round both are loaded in turn, allocate 10 blocks (of 40 and of 60 bytes) and are unloaded. If the monitor
 * kept a rule or a name for an address beyond dlclose(), it would be wrong. Prints in how many rounds B was loaded
 * where A had been, and the numbers.
 */
#include <dlfcn.h>

#include "program.h"

#define BLOCKS 10

static void *
use_plug(const char *path, size_t size)
{
    void *(*run)(size_t), *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *blocks[BLOCKS];

    if (handle == NULL) {
        say("dlopen: %s\n", dlerror());
        _exit(3);
    }
    *(void **)&run = dlsym(handle, "plug_run");
    if (run == NULL)
        _exit(4);
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = run(size);
    for (int i = 1; i < BLOCKS; i++)        /* one block is kept */
        free(blocks[i]);
    dlclose(handle);
    return *(void **)&run;
}

int
main(int argc, char **argv)
{
    long rounds = number_or(argc > 3 ? argv[3] : NULL, 100), same = 0;

    if (argc < 3)
        return 2;
    for (long i = 0; i < rounds; i++) {
        void *a = use_plug(argv[1], 40), *b = use_plug(argv[2], 60);
        same += a == b;
    }
    say("rounds %ld\nsame-address %ld\n", rounds, same);
    say("alpha %ld %ld\nbravo %ld %ld\n", rounds * BLOCKS, rounds * BLOCKS * 40, rounds * BLOCKS,
        rounds * BLOCKS * 60);
    return 0;
}
/* SPDX-License-Identifier: MIT */
