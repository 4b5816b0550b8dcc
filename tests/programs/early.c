/*
 * early.c -- allocations when the C library is hardly initialised or almost finished: before all constructors, in
 * constructors, destructors and exit handlers, at the end of threads, by dlsym.
 *
 * Blocks outlive these phases: a later phase frees what an earlier one allocated.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "program.h"

static void *from_preinit, *from_constructor, *from_main, *from_exit;
static pthread_key_t key;

static void
phase(const char *name, void **block, void **previous)
{
    if (previous != NULL && (*previous == NULL || *(char *)*previous != 'x'))
        say("%s: lost block\n", name);
    if (block != NULL) {
        *block = calloc(1, 77);
        memset(*block, 'x', 77);
    }
    if (previous != NULL)
        free(*previous);
    say("%s\n", name);
}

static void
preinit(void)
{
    phase("preinit", &from_preinit, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit_entry)(void) = preinit;

__attribute__((constructor(101))) static void
constructor(void)
{
    phase("constructor", &from_constructor, &from_preinit);
}

__attribute__((destructor(101))) static void
destructor(void)
{
    phase("destructor", NULL, &from_exit);
}

static void
at_exit(void)
{
    phase("atexit", &from_exit, &from_main);
}

/* If a destructor sets its key again, it is called again. */
static void
end_of_thread(void *block)
{
    void *again = *(char *)block == 'x' ? realloc(NULL, 50) : NULL;

    if (again != NULL)
        memset(again, 'y', 50);
    free(block);
    pthread_setspecific(key, again);
    say("end of thread%s\n", again != NULL ? "" : ", again");
}

static void *
thread(void *unused)
{
    void *block = malloc(50);

    memset(block, 'x', 50);
    pthread_setspecific(key, block);
    return unused;
}

int
main(void)
{
    pthread_t id;

    phase("main", &from_main, &from_constructor);
    atexit(at_exit);
    say("dlsym %d\n", dlsym(RTLD_DEFAULT, "no_such_symbol") == NULL && dlerror() != NULL);
    say("dlopen %d\n", dlopen("no_such_library.so", RTLD_NOW) == NULL && dlerror() != NULL);
    if (pthread_key_create(&key, end_of_thread) != 0 ||
        pthread_create(&id, NULL, thread, NULL) != 0 || pthread_join(id, NULL) != 0)
        return 3;
    return 0;
}
/* SPDX-License-Identifier: MIT */
