/* SPDX-License-Identifier: MIT */
/*
 * interfaces.c -- hooks of the functions that jemalloc, tcmalloc and mimalloc export beside the malloc family, and
 * of operator new and delete of an allocator that has its own.
 *
 * libmprof.so does not export these functions. Otherwise a program that tests whether mallocx() exists would take
 * any allocator for jemalloc. If the program has such an allocator, its exported functions are redirected to the
 * hooks. This is done in its symbol table for later lookups, and in the words of all objects that are already bound
 * to it.
 *
 * An allocator may call one of its functions from another. These calls are bound to the allocator itself, so only
 * the program's call is recorded.
 */
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "exports.h"
#include "malloc_hooks.h"
#include "next.h"
#include "runtime/allocations.h"
#include "runtime/compiler.h"
#include "runtime/record/sentinel.h"
#include "runtime/system/imports.h"

#define FRAME __builtin_frame_address(0)

#define MAX_ALLOCATORS 4u       /* maximum in one process */

/* All functions are called with six arguments. An argument that a function does not have is in a register that it
 * does not read. */
typedef intptr_t any;
typedef any function(any, any, any, any, any, any);

#define ARGUMENTS any A, any B, any C, any D, any E, any F
#define VALUES    A, B, C, D, E, F

enum {
#define EACH(form, name, ...) I_##name,
#include "interfaces.def"
#undef EACH
    N_INTERFACES
};

static struct mp_replaced interfaces[N_INTERFACES];

#define THEIRS(name) ((function *)interfaces[I_##name].theirs)

/* ------------------------------------------------------------------ hooks */

/* Records that the allocator has resized block OLD to RESULT of SIZE bytes, or has failed to resize it (RESULT is 0).
 * RECORD is the previous record of OLD. FREED means that OLD is freed even if RESULT is 0. */
static void
resized(any old, uint64_t record, any result, any size, bool freed, const void *frame)
{
    if (result || freed)
        mp_realloc_done((void *)old, record, (void *)result, (size_t)size, frame);
    else
        mp_realloc_failed((void *)old, record);
}

static void
allocated(any block, any size, const void *frame)
{
    if (block)
        mp_alloc((void *)block, (size_t)size, frame);
}

#define HOOK(name) static MP_NOINLINE any our_##name(ARGUMENTS)

#define ALLOCATES(name, size)                                                   \
    HOOK(name)                                                                  \
    {                                                                           \
        const any RESULT = THEIRS(name)(VALUES);                                \
        if (RESULT)                                                             \
            allocated(RESULT, size, FRAME);                                     \
        return RESULT;                                                          \
    }
#define STORES(name, size)                                                      \
    HOOK(name)                                                                  \
    {                                                                           \
        const any RESULT = THEIRS(name)(VALUES);                                \
        if ((int)RESULT == 0)                                                   \
            allocated(*(any *)A, size, FRAME);                                  \
        return RESULT;                                                          \
    }
#define RESIZES_AND(name, old, size, freed)                                     \
    HOOK(name)                                                                  \
    {                                                                           \
        const uint64_t record = old ? mp_realloc_begin((void *)old) : 0;        \
        const any RESULT = THEIRS(name)(VALUES);                                \
        if (old)                                                                \
            resized(old, record, RESULT, size, freed, FRAME);                   \
        else                                                                    \
            allocated(RESULT, size, FRAME);                                     \
        return RESULT;                                                          \
    }
#define RESIZES(name, old, size)          RESIZES_AND(name, old, size, (size) == 0)
#define RESIZES_OR_FREES(name, old, size) RESIZES_AND(name, old, size, true)
/* xallocx() resizes BLOCK in place to B bytes, or to up to C more if possible. It returns the real size. */
#define GROWS(name, block)                                                      \
    HOOK(name)                                                                  \
    {                                                                           \
        const uint64_t record = mp_realloc_begin((void *)block);                \
        const any RESULT = THEIRS(name)(VALUES);                                \
        resized(block, record, (size_t)RESULT >= (size_t)B ? block : 0,         \
                (size_t)RESULT - (size_t)B < (size_t)C ? RESULT : B + C, false, FRAME); \
        return RESULT;                                                          \
    }
#define FREES(name, block)                                                      \
    HOOK(name)                                                                  \
    {                                                                           \
        if (block)                                                              \
            mp_free(NULL, (void *)block, FRAME);                                \
        return THEIRS(name)(VALUES);                                            \
    }
#define EACH(form, ...) form(__VA_ARGS__)
#include "interfaces.def"
#undef EACH

static struct mp_replaced interfaces[N_INTERFACES] = {
#define EACH(form, name, ...) [I_##name] = { #name, (void (*)(void))our_##name, NULL },
#include "interfaces.def"
};

/* ------------------------------------------------------------------ redirection */

static void *
replaced_word(void *address)
{
    return mp_replaced_word(interfaces, N_INTERFACES, address);
}

static bool
is_known(const char *name)
{
    for (unsigned i = 0; mp_hooks[i].name; i++)
        if (strcmp(name, mp_hooks[i].name) == 0)
            return true;
    return mp_replaced_find(interfaces, N_INTERFACES, name) != NULL;
}

static const struct link_map *led[MAX_ALLOCATORS];
static unsigned n_led;

static bool
is_led(const struct link_map *map)
{
    for (unsigned i = 0; i < n_led; i++)
        if (led[i] == map)
            return true;
    return false;
}

/* Redirects the functions that the allocator MAP exports to our hooks. */
static void
lead(const struct link_map *map)
{
    if (n_led == MAX_ALLOCATORS)
        return;
    mp_imports_bind_own(map, is_known);
    mp_exports_replace(map, interfaces, N_INTERFACES);
    led[n_led++] = map;
}

/* Returns whether MAP is a library of one of the three allocators, according to the name of its file. (A search for a
 * symbol with dlsym() would make libc allocate the text of an error when the symbol is missing.) */
static bool
is_allocator(const struct link_map *map)
{
    static const char *const names[] = { "jemalloc", "tcmalloc", "mimalloc" };
    const char *slash = strrchr(map->l_name, '/');

    for (unsigned i = 0; slash && i < sizeof names / sizeof *names; i++)
        if (strstr(slash, names[i]))
            return true;
    return false;
}

/* True if the functions of an allocator were not redirected. If sentinels are used, the program's malloc is
 * glibc's, and blocks of another allocator would have records but no paint. */
static bool left_out;

bool
mp_interfaces_left_out(void)
{
    return left_out;
}

bool
mp_interfaces_open(void)
{
    const struct link_map *first = mp_next_program();

    for (const struct link_map *map = first; map; map = map->l_next)
        if (is_allocator(map) && mp_sentinel_on)
            left_out = true;
        else if (is_allocator(map))
            lead(map);
    for (const struct link_map *map = n_led ? first : NULL; map; map = map->l_next)
        if (!is_led(map))
            mp_imports_replace(map, replaced_word);
    return interfaces[I__Znwm].theirs != NULL;
}
