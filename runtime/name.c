#include "name.h"

#include <string.h>

#include "frame.h"
#include "gate.h"
#include "store.h"
#include "sys.h"

#define FIRST_BITS 13u
#define MOST_BITS  22u
#define ARENA_SIZE ((size_t)1 << 18)
#define ROOM_SIZE  512u         /* of one name */

const struct mp_language *mp_language;

/* A function that has a name, or (text NULL) one that was met on a chain and still has none. */
struct entry {
    uintptr_t start;            /* 0: free */
    const char *text, *file;
    int64_t position;
    uintptr_t outer;
    uint32_t flags;
    uint32_t record;            /* in the present file, 0: not yet */
    bool met;                   /* on a chain of the present file */
};

static struct entry *entries;
static uint32_t n_entries, bits;

/* ------------------------------------------------------------------ private memory */

static char *arena;
static size_t arena_left;

static const char *
keep(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy;

    if (size == 0 || size > ARENA_SIZE)
        return NULL;
    if (size > arena_left) {
        if (!(arena = mp_sys_map(ARENA_SIZE)))
            return NULL;
        arena_left = ARENA_SIZE;
    }
    copy = arena;
    memcpy(copy, text, size);
    arena += size;
    arena_left -= size;
    return copy;
}

/* ------------------------------------------------------------------ the table */

static struct entry *
slot(struct entry *table, unsigned table_bits, uintptr_t start)
{
    size_t mask = ((size_t)1 << table_bits) - 1;
    size_t at = mp_code_hash(start, 64 - table_bits);

    while (table[at].start && table[at].start != start)
        at = (at + 1) & mask;
    return &table[at];
}

static bool
make_room(void)
{
    uint32_t size = entries ? 1u << bits : 0, new_bits = entries ? bits + 1 : FIRST_BITS;
    struct entry *table;

    if (n_entries * 2 < size)
        return true;
    if (new_bits > MOST_BITS || !(table = mp_sys_map(sizeof *table << new_bits)))
        return false;
    for (uint32_t i = 0; i < size; i++)
        if (entries[i].start)
            *slot(table, new_bits, entries[i].start) = entries[i];
    if (entries)
        mp_sys_unmap(entries, size * sizeof *entries);
    entries = table;
    bits = new_bits;
    return true;
}

/* The entry of START, made if need be; NULL: no memory. */
static struct entry *
entry_of(uintptr_t start)
{
    struct entry *entry;

    if (!make_room())
        return NULL;
    entry = slot(entries, bits, start);
    if (!entry->start) {
        entry->start = start;
        n_entries++;
    }
    return entry;
}

/* ------------------------------------------------------------------ records */

uint32_t
mp_name_record(const struct mp_function_name *name)
{
    uint32_t id = mp_store_take(MP_EXT_NAMES, 1);
    struct mp_live_name *record = &mp_store.names[id];

    if (!id)
        return 0;
    record->name = mp_store_string(name->name, strlen(name->name));
    record->file = name->file && name->file[0] ? mp_store_string(name->file, strlen(name->file)) : 0;
    record->position = name->position;
    __atomic_store_n(&record->flags,
                     MP_LIVE_NAME_VALID | (name->flags & ~(MP_NAME_WEAK | MP_NAME_OBJECT)),
                     __ATOMIC_RELEASE);
    return id;
}

/* "INNER in OUTER" in ROOM, if there is an outer function that has a name. */
static const char *
full_name(const struct entry *entry, char *room, size_t size)
{
    const char *outer = entry->outer ? slot(entries, bits, entry->outer)->text : NULL;
    size_t n = strlen(entry->text), m = outer ? strlen(outer) : 0;

    if (!outer || n + 4 + m >= size)
        return entry->text;
    memcpy(room, entry->text, n);
    memcpy(room + n, " in ", 4);
    memcpy(room + n + 4, outer, m + 1);
    return room;
}

static uint32_t
record_of(struct entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { NULL, entry->file, entry->position, entry->flags, 0 };

    if (entry->text && !entry->text[0]) {       /* a part of a function that was laid elsewhere */
        struct entry *whole = slot(entries, bits, entry->outer);

        return whole != entry && whole->start && whole->text && whole->text[0] ? record_of(whole)
                                                                               : 0;
    }
    if (!entry->record && entry->text) {
        name.name = full_name(entry, room, sizeof room);
        entry->record = mp_name_record(&name);
    }
    return entry->record;
}

static void tell(struct entry *entry, const struct mp_function_name *name);

/* The language may know better now: a symbol may have been exported since. */
static void
resolve(struct entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { room, entry->file, entry->position, entry->flags, 0 };

    if (entry->text && !(entry->flags & MP_NAME_WEAK) && !entry->record &&
        mp_language->resolve(entry->start, entry->text, room, sizeof room))
        tell(entry, &name);
}

uint32_t
mp_name_for_frame(uintptr_t start, uint32_t frame)
{
    struct entry *entry;

    mp_language->settle();
    entry = start ? entry_of(start) : NULL;
    if (!entry)
        return 0;
    mp_store.frame_starts[frame] = start;
    resolve(entry);
    if (entry->outer)
        resolve(slot(entries, bits, entry->outer));
    entry->met = true;
    return record_of(entry);
}

bool
mp_name_is_runtime(uintptr_t code)
{
    for (unsigned i = 0; mp_language && i < MP_LANGUAGE_PARTS; i++)
        if (code - mp_language->runtime[i].start < mp_language->runtime[i].size)
            return true;
    return false;
}

/* Frames of the function that were met before its name was known, or that have name OLD. */
static void
name_frames(struct entry *entry, uint32_t old)
{
    const uint32_t low = (1u << MP_LIVE_FRAME_NAME_SHIFT) - 1;
    uint32_t end = mp_store_next(MP_EXT_FRAMES), id = record_of(entry);

    for (uint32_t i = mp_store.first_frame; id && i < end; i++) {
        uint32_t *flags = &mp_store.frames[i].flags;

        if (mp_store.frame_starts[i] == entry->start && *flags >> MP_LIVE_FRAME_NAME_SHIFT == old)
            __atomic_store_n(flags, (*flags & low) | id << MP_LIVE_FRAME_NAME_SHIFT,
                             __ATOMIC_RELEASE);
    }
}

static void
tell(struct entry *entry, const struct mp_function_name *name)
{
    bool was_weak = entry->text && entry->flags & MP_NAME_WEAK, was_named = entry->text != NULL;
    uint32_t old = entry->record;

    if (was_named && (name->flags & MP_NAME_WEAK || strcmp(entry->text, name->name) == 0))
        return;
    entry->text = keep(name->name);
    entry->file = keep(name->file);
    entry->position = name->position;
    entry->outer = name->outer;
    entry->flags = name->flags | (entry->flags & MP_LIVE_NAME_DISPATCH);
    entry->record = 0;
    if (entry->text && entry->met && (was_weak || !was_named))
        name_frames(entry, old);
}

void
mp_name_tell_held(uintptr_t start, const struct mp_function_name *name)
{
    struct entry *entry = entry_of(start);

    if (entry)
        tell(entry, name);
}

void
mp_name_tell(uintptr_t start, const struct mp_function_name *name)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    mp_name_tell_held(start, name);
    mp_gate_unlock(&hold);
}

const char *
mp_name_told_held(uintptr_t start)
{
    return entries ? slot(entries, bits, start)->text : NULL;
}

bool
mp_name_known(uintptr_t start)
{
    struct mp_gate_hold hold;
    bool known;

    mp_gate_lock(&hold);
    known = mp_name_told_held(start) != NULL;
    mp_gate_unlock(&hold);
    return known;
}

static void
forget(struct entry *entry)
{
    entry->text = NULL;
    entry->record = 0;
}

void
mp_name_forget(uintptr_t start, uintptr_t end)
{
    for (uint32_t i = 0; entries && i < 1u << bits; i++)
        if (entries[i].start - start < end - start)
            forget(&entries[i]);
}

void
mp_name_forget_dead(bool (*alive)(const void *object))
{
    for (uint32_t i = 0; entries && i < 1u << bits; i++)
        if (entries[i].text && entries[i].flags & MP_NAME_OBJECT &&
            !alive((const void *)entries[i].start))
            forget(&entries[i]);
}

void
mp_name_reset(void)
{
    for (uint32_t i = 0; entries && i < 1u << bits; i++)
        entries[i].record = 0, entries[i].met = false;
}
