/* SPDX-License-Identifier: MIT */
#include "next.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdint.h>
#include <string.h>

#include "exports.h"
#include "malloc_hooks.h"
#include "paint.h"
#include "runtime/allocations.h"
#include "runtime/compiler.h"
#include "runtime/monitor.h"
#include "runtime/record/block_filter.h"
#include "runtime/session/hook_mode.h"
#include "runtime/session/session.h"
#include "runtime/unwind/module.h"

static void *first_malloc(size_t size);
static void *first_calloc(size_t count, size_t size);

/* Makes process_events.c a part of each program that is linked with libmprof.a and uses a hook. A linker takes only the
 * referenced members of an archive. Each member with a hook refers to next.c, and with_process refers to
 * process_events.c, which starts the recording and refers to all other members. */
static __attribute__((used)) void (*const with_process)(void) = mp_process_start;

struct mp_next mp_next = { .malloc = first_malloc, .calloc = first_calloc, .excluded = 1 };

/* ------------------------------------------------------------------ bootstrap heap */

#define BOOTSTRAP_SIZE 65536u

static MP_LARGE _Alignas(16) char bootstrap[BOOTSTRAP_SIZE];
static size_t bootstrap_used;

/* Allocates a block. Its size is stored in the 16 bytes before it. Returns NULL if the heap is full. */
void *
mp_bootstrap_alloc(size_t size)
{
    size_t rounded = (size + 15) & ~(size_t)15;
    size_t at;

    if (rounded < size || rounded > BOOTSTRAP_SIZE)
        return NULL;
    at = __atomic_fetch_add(&bootstrap_used, rounded + 16, __ATOMIC_RELAXED);
    if (at + rounded + 16 > BOOTSTRAP_SIZE)
        return NULL;
    memcpy(bootstrap + at, &size, sizeof size);
    mp_filter_keep(bootstrap + at + 16);
    return bootstrap + at + 16;
}

bool
mp_bootstrap_owns(const void *block)
{
    return (uintptr_t)block - (uintptr_t)bootstrap < BOOTSTRAP_SIZE;
}

size_t
mp_bootstrap_size(const void *block)
{
    size_t size;

    memcpy(&size, (const char *)block - 16, sizeof size);
    return size;
}

/* ------------------------------------------------------------------ the next allocator */

static bool finding;

static bool
same_object(const void *a, const void *b)
{
    return mp_module_same((uintptr_t)a, (uintptr_t)b);
}

bool
mp_next_is_glibc(void)
{
    return mp_next_defines((const void *)(uintptr_t)&gnu_get_libc_version);
}

bool
mp_next_defines(const void *symbol)
{
    return same_object(symbol, mp_next.allocator);
}

/* Returns the minimum distance of two blocks in bytes. glibc's chunks are at least 32 bytes apart where pointers have
 * 64 bits. Other allocators may pack blocks of 8 bytes. */
static unsigned
block_distance(void)
{
    return mp_next_is_glibc() && sizeof(void *) == 8 ? 32 : 8;
}

bool
mp_next_bypasses_malloc(void)
{
    const void *operator_new = mp_session_block_distance == 32 ? NULL : mp_next_symbol("_Znwm");

    return operator_new && mp_next_defines(operator_new);
}

void *
mp_next_symbol(const char *name)
{
    uint32_t saved = mp_monitor_pause();
    void *symbol;

    symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        dlerror();              /* so that the program does not find our error there */
        dlerror();              /* so that glibc frees the message now, while nothing is recorded */
    }
    mp_monitor_resume(saved);
    return symbol;
}

/* Returns a handle of the program and the libraries that were loaded with it. Does not call dlopen() directly,
 * because that is a hook of ours (libraries.c). */
static void *
whole_program(void)
{
    void *(*open)(const char *, int);

    MP_NEXT_FUNCTION(open, "dlopen");
    return open(NULL, RTLD_LAZY | RTLD_NOLOAD);
}

const struct link_map *
mp_next_program(void)
{
    const struct link_map *map = NULL;

    dlinfo(whole_program(), RTLD_DI_LINKMAP, &map);
    return map;
}

bool
mp_next_is_passed_by(void)
{
    const struct link_map *map = mp_next_program();

    while (map && !mp_exports_defines(map, "malloc"))
        map = map->l_next;
    return !map || !same_object(map->l_ld, &mp_next);
}

bool
mp_next_precedes_us(void)
{
    /* RTLD_DEFAULT would also find symbols in objects that only the caller sees, such as this library. */
    const void *found = dlsym(whole_program(), "mprof_is_active");

    return !found || !same_object(found, &mp_next);
}

#define FIND(name) MP_NEXT_FUNCTION(next.name, #name);

MP_COLD bool
mp_next_find(void)
{
    struct mp_next next = { .found = true, .small = MP_BIN_LARGE - 1, .counted_first = MP_COUNTED_FIRST - 1 };

    if (finding)
        return false;
    finding = true;
    MP_FAMILY(FIND)
    FIND(malloc_trim)
    mp_next.allocator = next.allocator = (const void *)(uintptr_t)next.malloc;
    if (mp_next_is_glibc())
        mp_paint_open(&next);
    if (next.malloc)
        mp_next = next;
    if (mp_hook_mode == MP_HOOKS_SAMPLE && mp_sample_period == 0)
        mp_hooks_turn(MP_HOOKS_RECORD);
    mp_session_block_distance = next.malloc ? block_distance() : 8;
    finding = false;
    return mp_next.found;
}

static void *
first_malloc(size_t size)
{
    return mp_next_find() ? mp_next.malloc(size) : mp_bootstrap_alloc(size);
}

static void *
first_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (mp_next_find())
        return mp_next.calloc(count, size);
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : mp_bootstrap_alloc(bytes);
}
