/*
 * late.c -- loads libmprof.so (argv[1]) at run time, as the Lisp module does.
 *
 * argv[2] is "local" or "global", the way of loading; or "start": loads it as with "local", and begins a recording
 * into argv[3] by mprof.h.
 */
#include <dlfcn.h>

#include "program.h"

static void
allocate(void)
{
    for (int i = 0; i < 1000; i++) {
        void *block = malloc(100);

        KEEP(block);
        free(block);
    }
}

/* Returns the function NAME of mprof.h in LIBRARY. */
static void *
find(void *library, const char *name)
{
    void *function = dlsym(library, name);

    if (!function) {
        fprintf(stderr, "late: no %s\n", name);
        exit(1);
    }
    return function;
}

int
main(int argc, char **argv)
{
    const char *how = argc > 2 ? argv[2] : "local";
    void *library = dlopen(argv[1], RTLD_NOW | (strcmp(how, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    int (*is_active)(void), (*restart)(const char *);

    if (!library) {
        fprintf(stderr, "late: %s\n", dlerror());
        return 1;
    }
    *(void **)&is_active = find(library, "mprof_is_active");
    *(void **)&restart = find(library, "mprof_restart");
    allocate();
    say("active %d\n", is_active());
    if (strcmp(how, "start") == 0) {
        say("restart %d\n", restart(argv[3]));
        allocate();
        say("active %d\n", is_active());
        return 0;
    }
    return system("env | grep -E '^(LD_PRELOAD|MPROF_)' | sort");
}
/* SPDX-License-Identifier: MIT */
