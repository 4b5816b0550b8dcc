/* SPDX-License-Identifier: MIT */
#include "operators.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "runtime/system/thread.h"

#define NEAR 1024u              /* maximum bytes of the stack between an operator and the hook that it calls */

static uintptr_t library, library_size;         /* the library with the operators; the size is 0 if it is not watched */
static struct { uintptr_t start, size; } news[MP_NEWS];         /* the code of operators new and new[] */
static unsigned n_news;

void
mp_operators_add(uintptr_t start, uintptr_t size)
{
    if (n_news == MP_NEWS)
        return;
    news[n_news].start = start;
    news[n_news++].size = size;
}

void
mp_operators_watch(uintptr_t start, uintptr_t end)
{
    library = start;
    library_size = end - start;
}

bool
mp_operators_are_watched(void)
{
    return library_size > 0;
}

/* Returns whether the hook with FRAME was called by the library itself. */
static bool
is_from_library(const void *frame)
{
    return ((const uintptr_t *)frame)[1] - library < library_size;
}

/* Returns whether the hook with FRAME was called by operator new or new[] itself. */
static bool
is_from_new(const void *frame)
{
    for (unsigned i = 0; i < n_news; i++)
        if (((const uintptr_t *)frame)[1] - news[i].start < news[i].size)
            return true;
    return false;
}

/* Returns the place of the return address of a hook. A jump to another function leaves it there. */
static const uintptr_t *
place_of(const void *frame)
{
    return (const uintptr_t *)frame + 1;
}

/* An operator may jump to another one, new[] to new. The first one counts. One that threw an exception has another
 * return address, unless it was called by the same instruction. */
void
mp_operator_called(enum mp_made of, bool is_delete, const void *frame)
{
    struct mp_thread *self = &mp_thread;
    const bool goes_on = self->operator.of == MP_MADE_BY_ARRAY && self->operator.is_delete == is_delete &&
                         self->operator.place == place_of(frame) && self->operator.address == *place_of(frame);

    if (is_from_library(frame) || goes_on)
        return;
    self->operator.of = MP_MADE_UNKNOWN;
    self->operator.place = place_of(frame);
    self->operator.address = *place_of(frame);
    self->operator.is_delete = is_delete;
    self->operator.of = (uint8_t)of;
}

/* Returns the operator that called the hook with FRAME, and forgets it. Operator delete jumps to free(), operator new
 * calls malloc(). */
static enum mp_made
take(bool is_delete, const void *frame)
{
    struct mp_thread *self = &mp_thread;
    const uintptr_t distance = (uintptr_t)self->operator.place - (uintptr_t)place_of(frame);
    const enum mp_made of = (enum mp_made)self->operator.of;
    const bool is_near = (is_delete ? is_from_library(frame) : is_from_new(frame)) ? distance < NEAR
                                                                                    : is_delete && distance == 0;

    if (of == MP_MADE_UNKNOWN || self->operator.is_delete != is_delete || !is_near ||
        *self->operator.place != self->operator.address)
        return is_from_library(frame) ? MP_MADE_UNKNOWN : MP_MADE_BY_MALLOC;
    self->operator.of = MP_MADE_UNKNOWN;
    return of;
}

enum mp_made
mp_operator_making(const void *hook_frame)
{
    return take(false, hook_frame);
}

/* ------------------------------------------------------------------ operators that are linked in */

/* Returns whether a segment of MAP that is not writable contains TEXT of SIZE bytes. This library, which has TEXT
 * itself, does not count. */
static bool
contains(const struct link_map *map, const char *text, size_t size)
{
    struct dl_find_object found;
    const ElfW(Ehdr) *header;
    const ElfW(Phdr) *segments;

    if (_dl_find_object(map->l_ld, &found) != 0)
        return false;
    header = found.dlfo_map_start;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        (text >= (const char *)found.dlfo_map_start && text < (const char *)found.dlfo_map_end))
        return false;
    segments = (const void *)((const char *)header + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & (PF_R | PF_W)) == PF_R &&
            memmem((const void *)(map->l_addr + segments[i].p_vaddr), segments[i].p_filesz, text, size))
            return true;
    return false;
}

/* Returns whether a program or library contains operators of its own, from libstdc++.a. These have the name of a class
 * of exceptions in them. Their blocks seem to be malloc's, and may be freed by the shared library's operators. Called
 * when a block seems to be freed wrongly. */
static MP_COLD bool
are_linked_in(void)
{
    static const char name[] = "\0St9bad_alloc";
    static uint32_t n_examined;
    static bool result;
    uint32_t n = 0;

    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        n++;
    if (n == n_examined)
        return result;
    for (const struct link_map *map = _r_debug.r_map; map && !result; map = map->l_next)
        result = (uintptr_t)map->l_ld - library >= library_size && contains(map, name, sizeof name);
    n_examined = n;
    return result;
}

bool
mp_operator_mismatches(enum mp_made made, const void *hook_frame)
{
    const enum mp_made freed = hook_frame ? take(true, hook_frame) : MP_MADE_BY_MALLOC;

    return made != MP_MADE_UNKNOWN && freed != MP_MADE_UNKNOWN && made != freed && !are_linked_in();
}
