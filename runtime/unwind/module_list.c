/* SPDX-License-Identifier: MIT */
#include "module_list.h"

#include <string.h>

#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

#define FIRST_ROOM 64u          /* first capacity in modules; a power of two */

/* The list. Modules refer to each other by their indices in `modules`; index 0 means none. */
static struct {
    struct mp_loaded_module *modules;
    uint32_t *buckets;          /* array of `room` indices */
    uint32_t room, used;
    uint32_t unused;            /* first forgotten module, linked by `next` */
    uint32_t loaded;            /* first loaded module, linked by `loaded_next` */
} list;

static uint32_t
index_of(const struct mp_loaded_module *module)
{
    return (uint32_t)(module - list.modules);
}

static struct mp_loaded_module *
at(uint32_t index)
{
    return index ? &list.modules[index] : NULL;
}

static uint32_t
hash(uintptr_t start, const uint8_t *build_id)
{
    uint64_t begin;

    memcpy(&begin, build_id, sizeof begin);
    return (uint32_t)mp_hash(start ^ begin, 32);
}

static uint32_t *
bucket(uint32_t key)
{
    return &list.buckets[key & (list.room - 1)];
}

static size_t
size_for(uint32_t room)
{
    return room * (sizeof *list.modules + sizeof *list.buckets);
}

static void
put(struct mp_loaded_module *module)
{
    uint32_t *first = bucket(module->hash);

    module->next = *first;
    *first = index_of(module);
}

/* Doubles the capacity. Called only if all modules are used and none is forgotten, so that each is in a bucket.
 * Returns false if memory is exhausted. */
static bool
grow(void)
{
    uint32_t old_room = list.room, room = old_room ? 2 * old_room : FIRST_ROOM;
    struct mp_loaded_module *old = list.modules, *new = mp_sys_map(size_for(room));

    if (!new)
        return false;
    if (old)
        memcpy(new, old, list.used * sizeof *new);
    else
        list.used = 1;
    list.modules = new;
    list.buckets = (uint32_t *)(new + room);
    list.room = room;
    for (uint32_t i = 1; i < list.used; i++)
        put(&new[i]);
    if (old)
        mp_sys_unmap(old, size_for(old_room));
    return true;
}

struct mp_loaded_module *
mp_module_list_new(void)
{
    MP_LOCK_HELD();
    struct mp_loaded_module *module = at(list.unused);
    uint32_t next = module ? module->next : 0;

    if (!module) {
        if (list.used == list.room && !grow())
            return NULL;
        module = &list.modules[list.used];
    }
    *module = (struct mp_loaded_module){ .next = next };
    return module;
}

static void
put_loaded(struct mp_loaded_module *module)
{
    struct mp_loaded_module *next = at(list.loaded);

    module->gone = false;
    module->loaded_before = 0;
    module->loaded_next = list.loaded;
    list.loaded = index_of(module);
    if (next)
        next->loaded_before = list.loaded;
}

void
mp_module_list_add(struct mp_loaded_module *module, const uint8_t *build_id)
{
    MP_LOCK_HELD();
    if (index_of(module) == list.used)
        list.used++;
    else
        list.unused = module->next;
    module->hash = hash(module->start, build_id);
    put(module);
    put_loaded(module);
}

struct mp_loaded_module *
mp_module_list_first(uintptr_t start, const uint8_t *build_id)
{
    MP_LOCK_HELD();
    return list.room ? at(*bucket(hash(start, build_id))) : NULL;
}

struct mp_loaded_module *
mp_module_list_next(const struct mp_loaded_module *module)
{
    return at(module->next);
}

struct mp_loaded_module *
mp_module_list_loaded(const struct mp_loaded_module *module)
{
    return at(module ? module->loaded_next : list.loaded);
}

/* Takes MODULE out of its bucket and makes its place free. */
static void
forget(struct mp_loaded_module *module)
{
    uint32_t index = index_of(module), *link = bucket(module->hash);

    while (*link != index)
        link = &list.modules[*link].next;
    *link = module->next;
    module->next = list.unused;
    list.unused = index;
}

void
mp_module_list_gone(struct mp_loaded_module *module, bool keep)
{
    MP_LOCK_HELD();
    struct mp_loaded_module *before = at(module->loaded_before), *next = at(module->loaded_next);

    module->gone = true;
    if (next)
        next->loaded_before = module->loaded_before;
    if (before)
        before->loaded_next = module->loaded_next;
    else
        list.loaded = module->loaded_next;
    if (!keep)
        forget(module);
}

void
mp_module_list_back(struct mp_loaded_module *module)
{
    MP_LOCK_HELD();
    put_loaded(module);
}

void
mp_module_list_reset(void)
{
    MP_LOCK_HELD();
    if (list.room)
        memset(list.buckets, 0, list.room * sizeof *list.buckets);
    list.used = list.room ? 1 : 0;
    list.unused = list.loaded = 0;
}
