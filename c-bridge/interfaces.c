/*
 * interfaces.c -- the functions of jemalloc, tcmalloc and mimalloc beside the malloc family, and the operators new
 * and delete of an allocator that has its own.
 *
 * libmprof.so does not export them: a program that looks whether mallocx() is there would take any allocator for
 * jemalloc.  Instead, where the program has such an allocator, what it exports is led here: in its table of
 * symbols, for what is looked up from now on, and in the words of all objects that are bound to it already.
 *
 * An allocator may call one of its functions from another.  These calls are bound to the allocator itself: the
 * program's call is the one that is seen.
 */
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "exports.h"
#include "hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/sizeclass.h"
#include "runtime/system/imports.h"

#define FRAME __builtin_frame_address(0)

#define MAX_ALLOCATORS 4u       /* of one process */

/* All are called so: an argument that a function does not have is in a register that it does not read. */
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

static function *theirs[N_INTERFACES];

/* ------------------------------------------------------------------ hooks */

/* The allocator has resized block OLD, whose record was RECORD, to RESULT of SIZE bytes; or it has not. */
static void
resized(any old, uint64_t record, any result, any size, bool freed, const void *frame)
{
    if (result || freed)
        mp_realloc_done((void *)old, record, (void *)result, (size_t)size, mp_sizeclass((size_t)size), frame);
    else
        mp_realloc_failed((void *)old, record);
}

static void
allocated(any block, any size, const void *frame)
{
    if (block)
        mp_alloc((void *)block, (size_t)size, mp_sizeclass((size_t)size), frame);
}

#define HOOK(name) static MP_NOINLINE any our_##name(ARGUMENTS)

#define ALLOCATES(name, size)                                                   \
    HOOK(name)                                                                  \
    {                                                                           \
        const any RESULT = theirs[I_##name](VALUES);                            \
        if (RESULT)                                                             \
            allocated(RESULT, size, FRAME);                                     \
        return RESULT;                                                          \
    }
#define STORES(name, size)                                                      \
    HOOK(name)                                                                  \
    {                                                                           \
        const any RESULT = theirs[I_##name](VALUES);                            \
        if ((int)RESULT == 0)                                                   \
            allocated(*(any *)A, size, FRAME);                                  \
        return RESULT;                                                          \
    }
#define RESIZES_AND(name, old, size, freed)                                     \
    HOOK(name)                                                                  \
    {                                                                           \
        const uint64_t record = old ? mp_realloc_begin((void *)old) : 0;        \
        const any RESULT = theirs[I_##name](VALUES);                            \
        if (old)                                                                \
            resized(old, record, RESULT, size, freed, FRAME);                   \
        else                                                                    \
            allocated(RESULT, size, FRAME);                                     \
        return RESULT;                                                          \
    }
#define RESIZES(name, old, size)          RESIZES_AND(name, old, size, (size) == 0)
#define RESIZES_OR_FREES(name, old, size) RESIZES_AND(name, old, size, true)
/* BLOCK has B bytes from now on, or up to C more, as far as it can grow where it is: its real size is returned. */
#define GROWS(name, block)                                                      \
    HOOK(name)                                                                  \
    {                                                                           \
        const uint64_t record = mp_realloc_begin((void *)block);                \
        const any RESULT = theirs[I_##name](VALUES);                            \
        resized(block, record, (size_t)RESULT >= (size_t)B ? block : 0,         \
                (size_t)RESULT - (size_t)B < (size_t)C ? RESULT : B + C, false, FRAME); \
        return RESULT;                                                          \
    }
#define FREES(name, block)                                                      \
    HOOK(name)                                                                  \
    {                                                                           \
        if (block)                                                              \
            mp_free((void *)block, FRAME);                                      \
        return theirs[I_##name](VALUES);                                        \
    }
#define EACH(form, ...) form(__VA_ARGS__)
#include "interfaces.def"
#undef EACH

static const struct interface {
    const char *name;
    function *ours;
} interfaces[N_INTERFACES] = {
#define EACH(form, name, ...) [I_##name] = { #name, our_##name },
#include "interfaces.def"
};

/* ------------------------------------------------------------------ leading them here */

static void *
address_of(function *what)
{
    void *address;

    memcpy(&address, &what, sizeof address);
    return address;
}

/* What is to be found in the place of NAME, which an allocator defines at ADDRESS; NULL: itself. */
static void *
replaced_symbol(const char *name, void *address)
{
    for (unsigned i = 0; i < N_INTERFACES; i++)
        if (name[0] == interfaces[i].name[0] && strcmp(name, interfaces[i].name) == 0 && !theirs[i]) {
            memcpy(&theirs[i], &address, sizeof address);
            return address_of(interfaces[i].ours);
        }
    return NULL;
}

static void *
replaced_word(void *address)
{
    for (unsigned i = 0; i < N_INTERFACES; i++)
        if (theirs[i] && address == address_of(theirs[i]))
            return address_of(interfaces[i].ours);
    return NULL;
}

static bool
is_known(const char *name)
{
    for (unsigned i = 0; mp_hooks[i].name; i++)
        if (strcmp(name, mp_hooks[i].name) == 0)
            return true;
    for (unsigned i = 0; i < N_INTERFACES; i++)
        if (name[0] == interfaces[i].name[0] && strcmp(name, interfaces[i].name) == 0)
            return true;
    return false;
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

/* MAP is an allocator's. */
static void
lead(const struct link_map *map)
{
    if (n_led == MAX_ALLOCATORS)
        return;
    mp_imports_bind_own(map, is_known);
    mp_exports_replace(map, replaced_symbol);
    led[n_led++] = map;
}

/* Is MAP a library of one of the three allocators, and of nothing else?  Its file's name tells.  (A symbol that is
 * not there is not looked up: libc would allocate the text of an error.) */
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

bool
mp_interfaces_open(void)
{
    const struct link_map *first = mp_next_program();

    for (const struct link_map *map = first; map; map = map->l_next)
        if (is_allocator(map))
            lead(map);
    for (const struct link_map *map = n_led ? first : NULL; map; map = map->l_next)
        if (!is_led(map))
            mp_imports_replace(map, replaced_word);
    return theirs[I__Znwm] != NULL;
}
