/* SPDX-License-Identifier: MIT */
/*
 * operator_hooks.c -- hooks of operator new and delete of the shared C++ library, with sentinels only
 * (runtime/record/operators.h).
 *
 * The operators are redirected like the functions of interfaces.c. A hook notes the call and jumps to the operator. If
 * any other object defines one of them, the program or a library has replaced it, and nothing is redirected.
 */
#include <dlfcn.h>
#include <string.h>

#include "exports.h"
#include "malloc_hooks.h"
#include "next.h"
#include "runtime/compiler.h"
#include "runtime/record/operators.h"
#include "runtime/system/dynamic.h"
#include "runtime/system/imports.h"

#define OPERATORS(NEW, DELETE)                                                                     \
    NEW(_Znwm, MP_MADE_BY_NEW) NEW(_ZnwmRKSt9nothrow_t, MP_MADE_BY_NEW)                            \
    NEW(_ZnwmSt11align_val_t, MP_MADE_BY_NEW) NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, MP_MADE_BY_NEW) \
    NEW(_Znam, MP_MADE_BY_ARRAY) NEW(_ZnamRKSt9nothrow_t, MP_MADE_BY_ARRAY)                        \
    NEW(_ZnamSt11align_val_t, MP_MADE_BY_ARRAY) NEW(_ZnamSt11align_val_tRKSt9nothrow_t, MP_MADE_BY_ARRAY) \
    DELETE(_ZdlPv, MP_MADE_BY_NEW) DELETE(_ZdlPvRKSt9nothrow_t, MP_MADE_BY_NEW)                    \
    DELETE(_ZdlPvSt11align_val_t, MP_MADE_BY_NEW)                                                  \
    DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, MP_MADE_BY_NEW)                                    \
    DELETE(_ZdlPvm, MP_MADE_BY_NEW) DELETE(_ZdlPvmSt11align_val_t, MP_MADE_BY_NEW)                 \
    DELETE(_ZdaPv, MP_MADE_BY_ARRAY) DELETE(_ZdaPvRKSt9nothrow_t, MP_MADE_BY_ARRAY)                \
    DELETE(_ZdaPvSt11align_val_t, MP_MADE_BY_ARRAY)                                                \
    DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, MP_MADE_BY_ARRAY)                                  \
    DELETE(_ZdaPvm, MP_MADE_BY_ARRAY) DELETE(_ZdaPvmSt11align_val_t, MP_MADE_BY_ARRAY)

#define NUMBER(name, of) I_##name,
enum { OPERATORS(NUMBER, NUMBER) N_OPERATORS };

/* An operator has at most three arguments. */
typedef void *function(void *, void *, void *);
static struct mp_replaced operators[N_OPERATORS];

#define THEIRS(name) ((function *)operators[I_##name].theirs)

#define NEW(name, of)                                                           \
    static WITH_JUMPS void *our_##name(void *a, void *b, void *c)               \
    {                                                                           \
        mp_operator_called(of, false, __builtin_frame_address(0));              \
        JUMP THEIRS(name)(a, b, c);                                             \
    }
#define DELETE(name, of)                                                        \
    static WITH_JUMPS void *our_##name(void *a, void *b, void *c)               \
    {                                                                           \
        if (a)                                                                  \
            mp_operator_called(of, true, __builtin_frame_address(0));           \
        JUMP THEIRS(name)(a, b, c);                                             \
    }
OPERATORS(NEW, DELETE)

#define ENTRY(name, of) [I_##name] = { #name, (void (*)(void))our_##name, NULL },
static struct mp_replaced operators[N_OPERATORS] = { OPERATORS(ENTRY, ENTRY) };

static void *
replaced_word(void *address)
{
    return mp_replaced_word(operators, N_OPERATORS, address);
}

/* Returns the shared C++ library if it alone has the operators, or NULL. */
static const struct link_map *
find_library(const struct link_map *first)
{
    const struct link_map *found = NULL;

    for (const struct link_map *map = first; map; map = map->l_next) {
        if (mp_exports_any(map, operators, N_OPERATORS)) {
            if (found || !(strstr(map->l_name, "/libstdc++.so") || strstr(map->l_name, "/libc++abi.so")))
                return NULL;
            found = map;
        }
    }
    return found;
}

/* Returns the address of its own return address. */
static MP_NOINLINE void *
place_after(void *a, void *b, void *c)
{
    (void)a, (void)b, (void)c;
    return (char *)__builtin_frame_address(0) + sizeof(void *);
}

/* Returns the address of place_after()'s return address. It is that of this function's return address (*PLACE) if the
 * compiler has made the call a jump. Without optimisation it may remain a call, and then the frame of a hook would be
 * part of chains. */
static MP_NOINLINE WITH_JUMPS void *
jumps(void *place, void *b, void *c)
{
    *(void **)place = (char *)__builtin_frame_address(0) + sizeof(void *);
    JUMP place_after(place, b, c);
}

void
mp_operators_open(void)
{
    const struct link_map *first = mp_next_program(), *library = find_library(first);
    struct mp_dynamic dynamic;
    struct dl_find_object found;
    void *place = NULL;

#ifndef __x86_64__
    library = NULL;             /* on other machines the return address is not where the caller stored it */
#endif
    if (jumps(&place, NULL, NULL) != place || !library || _dl_find_object(library->l_ld, &found) != 0)
        return;
    dynamic = mp_dynamic_read(library);
    for (uint32_t i = 0; i < dynamic.n_symbols; i++)
        if (dynamic.symbols[i].st_shndx != SHN_UNDEF &&
            mp_replaced_find(operators, I__ZdlPv, dynamic.strings + dynamic.symbols[i].st_name))
            mp_operators_add(library->l_addr + dynamic.symbols[i].st_value, dynamic.symbols[i].st_size);
    mp_exports_replace(library, operators, N_OPERATORS);
    for (const struct link_map *map = first; map; map = map->l_next)
        mp_imports_replace(map, replaced_word);
    mp_operators_watch((uintptr_t)found.dlfo_map_start, (uintptr_t)found.dlfo_map_end);
}
