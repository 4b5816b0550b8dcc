/* SPDX-License-Identifier: MIT */
#include "name.h"

#include <string.h>

#include "alternatives.h"
#include "name_copies.h"
#include "name_table.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"

#define ROOM_SIZE  512u         /* bytes of one name */

static bool has_objects;        /* whether a name with MP_NAME_OBJECT was ever given, which is rare */

/* ------------------------------------------------------------------ records */

/* Flags that are not written into the file. */
#define OWN_FLAGS (MP_NAME_WEAK | MP_NAME_OBJECT | MP_NAME_FORMS | MP_NAME_SETTLED)

uint32_t
mp_name_record(const struct mp_function_name *name)
{
    MP_LOCK_HELD();
    uint32_t id = mp_store_take(MP_EXT_NAMES, 1);
    struct mp_live_name *record = &mp_store.names[id];

    if (!id)
        return 0;
    record->name = mp_store_string(name->name, strlen(name->name));
    record->file = name->file && name->file[0] ? mp_store_string(name->file, strlen(name->file))
                                               : 0;
    record->position = name->position;
    __atomic_store_n(&record->flags, MP_LIVE_NAME_VALID | (name->flags & ~OWN_FLAGS),
                     __ATOMIC_RELEASE);
    return id;
}

/* Returns the entry with the name of the function at START. If this function only passes calls on to a body, this is
 * the entry of the body. */
static struct mp_name_entry *
named_at(uintptr_t start)
{
    struct mp_name_entry *entry = mp_name_entry_at(start);

    return entry->body ? mp_name_entry_at(entry->body) : entry;
}

/* Returns the name of ENTRY. If ENTRY has an outer function with a name, the result is "INNER in OUTER" and is
 * stored in ROOM. */
static const char *
own_name(const struct mp_name_entry *entry, char *room, size_t size)
{
    const char *outer = entry->outer ? named_at(entry->outer)->text : NULL;
    size_t n = strlen(entry->text), m = outer ? strlen(outer) : 0;

    if (!outer || n + 4 + m >= size)
        return entry->text;
    memcpy(room, entry->text, n);
    memcpy(room + n, " in ", 4);
    memcpy(room + n + 4, outer, m + 1);
    return room;
}

static void
add_alternative(struct mp_alternatives *alternatives, const struct mp_name_entry *entry)
{
    char room[MP_ALTERNATIVE_SIZE];

    mp_alternatives_add(alternatives, entry->text ? own_name(entry, room, sizeof room) : "");
}

/* Returns the names, joined by "or", of all functions to which a frame in ENTRY's code may belong. ROOM is memory
 * for the result. If COPIED, adds the functions to which only an inlined copy of the code may belong. Returns NULL
 * if no name is known, or if several names were to be joined and none of them fits into ROOM. */
static const char *
full_name(const struct mp_name_entry *entry, bool copied, char *room, size_t size)
{
    struct mp_alternatives alternatives = { .shown = 0 };

    if (!entry->twins)
        return entry->text ? own_name(entry, room, size) : NULL;
    add_alternative(&alternatives, entry);
    for (uintptr_t twin = entry->twins; twin; twin = mp_name_entry_at(twin)->next)
        if (copied || mp_name_entry_at(twin)->how != MP_TWIN_COPIED)
            add_alternative(&alternatives, mp_name_entry_at(twin));
    mp_alternatives_join(&alternatives, room, size);
    return room[0] ? room : NULL;
}

/* Returns the entry whose record is used for frames of ENTRY. If ENTRY is a separately placed part of a function (its
 * name is empty), this is the entry of that function, and otherwise ENTRY. If that function was merged with another one
 * and its frames may belong to either (MP_TWIN_BOTH), this is the entry of the other one. Returns NULL if ENTRY is a
 * part of a function that has no name yet. */
static struct mp_name_entry *
shown_as(struct mp_name_entry *entry)
{
    struct mp_name_entry *whole = entry;

    if (entry->text && !entry->text[0]) {
        whole = named_at(entry->outer);
        if (!whole->start || !whole->text || !whole->text[0])
            return NULL;
    }
    return whole->kept && whole->how == MP_TWIN_BOTH ? mp_name_entry_at(whole->kept) : whole;
}

/* Returns the record of a function that passes calls on and is not shown. */
static uint32_t
record_of_entry(struct mp_name_entry *entry)
{
    const char *text = named_at(entry->start)->text;
    const struct mp_function_name name = { text ? text : "", NULL, -1, MP_LIVE_NAME_DISPATCH, 0 };

    if (!entry->record)
        entry->record = mp_name_record(&name);
    return entry->record;
}

static uint32_t
record_of(struct mp_name_entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { NULL, NULL, -1, 0, 0 };

    if (entry->body)
        return record_of_entry(entry);
    entry = shown_as(entry);
    if (!entry || entry->record)
        return entry ? entry->record : 0;
    name.name = full_name(entry, false, room, sizeof room);
    if (!name.name)
        return 0;
    name.file = entry->file || !entry->outer ? entry->file : named_at(entry->outer)->file;
    name.position = entry->position;
    name.flags = entry->flags;
    return entry->record = mp_name_record(&name);
}

static void tell(struct mp_name_entry *entry, const struct mp_function_name *name);
static void show_copies(struct mp_name_entry *entry);

/* Asks the language for a better name of ENTRY, because a symbol may have been exported since the present name was
 * given. */
static void
resolve(struct mp_name_entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { room, entry->file, entry->position, entry->flags, 0 };

    if (entry->text && !(entry->flags & MP_NAME_WEAK) && !entry->record &&
        mp_language->resolve(entry->text, room, sizeof room))
        tell(entry, &name);
}

/* Asks the language for better names of ENTRY and of its outer function, whose name is a part of ENTRY's name. */
static void
resolve_whole(struct mp_name_entry *entry)
{
    resolve(entry);
    if (entry->outer)
        resolve(named_at(entry->outer));
}

/* Returns a record of the name of inlined copies of ENTRY's code, or 0 if no name fits. Uses the record of the code
 * itself if there is one and the copies have the same name as the code. Does not create a record for the code itself,
 * because the bridge may give a better name before a frame of the code is met. */
static uint32_t
record_of_copies(struct mp_name_entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { NULL, entry->file, entry->position, entry->flags, 0 };
    bool other = false;

    for (uintptr_t twin = entry->twins; twin; twin = mp_name_entry_at(twin)->next)
        other |= mp_name_entry_at(twin)->how == MP_TWIN_COPIED;
    if (entry->record && !other)
        return entry->record;
    name.name = full_name(entry, true, room, sizeof room);
    return name.name ? mp_name_record(&name) : 0;
}

/* Gives inlined copies of ENTRY's code their name if they need one. The reporter names copies of local functions by the
 * functions that contain these, so such copies need no name. */
static void
show_copies(struct mp_name_entry *entry)
{
    uint32_t name = entry->text && !(entry->flags & MP_NAME_WEAK) && !entry->outer &&
                            mp_copies_wanted(entry->start)
                        ? record_of_copies(entry) : 0;

    if (name)
        entry->copies = mp_copies_name(entry->copies, entry->start, name);
}

/* Notes that the code of MET, in MODULE, is on a chain. If this is the first code of its file on any chain, gives
 * names to the frames for inlined copies (name_copies.h) of all functions of the file. A top-level form does not
 * count, because it runs before all functions of the file are created. */
static void
meet_file(const struct mp_name_entry *met, uint32_t module)
{
    const struct mp_copies_file *file =
        module && !(met->text && met->flags & MP_NAME_FORMS) ? mp_copies_meet(met->start, module)
                                                             : NULL;
    struct mp_name_entry *at, *end;

    if (!file)
        return;
    for (at = mp_name_entries(&end); at < end; at++)
        if (at->start - file->start < file->end - file->start) {
            resolve(at);
            show_copies(at);
        }
}

uint32_t
mp_name_for_frame(uintptr_t start, uint32_t frame, uint32_t module)
{
    MP_LOCK_HELD();
    struct mp_name_entry *entry;

    mp_language->settle();
    entry = start ? mp_name_entry_of(start) : NULL;
    if (!entry)
        return 0;
    mp_store.frame_starts[frame] = start;
    meet_file(entry, module);
    resolve_whole(entry);
    if (entry->kept && entry->how == MP_TWIN_BOTH)
        entry = mp_name_entry_at(entry->kept);
    for (uintptr_t twin = entry->twins; twin; twin = mp_name_entry_at(twin)->next)
        resolve_whole(mp_name_entry_at(twin));
    entry = mp_name_entry_at(start);
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

/* Gives ENTRY's present name to those frames of its function that have the name record OLD. OLD is 0 for frames
 * that were met before a name was known. */
static void
name_frames(struct mp_name_entry *entry, uint32_t old)
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

/* Gives ENTRY's present name to its code, including frames that are in the file already. */
static void
rename_frames(struct mp_name_entry *entry)
{
    uint32_t old = entry->record;

    entry->record = 0;
    if (entry->met)
        name_frames(entry, old);
    for (uintptr_t twin = entry->twins; twin; twin = mp_name_entry_at(twin)->next)
        if (mp_name_entry_at(twin)->how == MP_TWIN_BOTH && mp_name_entry_at(twin)->met)
            name_frames(mp_name_entry_at(twin), old);
    show_copies(entry);
}

static void
tell(struct mp_name_entry *entry, const struct mp_function_name *name)
{
    bool was_weak = entry->text && entry->flags & MP_NAME_WEAK, was_named = entry->text != NULL;

    if (was_named && (name->flags & MP_NAME_WEAK || strcmp(entry->text, name->name) == 0))
        return;
    entry->text = mp_name_keep(name->name);
    if (name->file)
        entry->file = mp_name_keep(name->file);
    entry->position = name->position;
    entry->outer = name->outer;
    entry->flags = name->flags | (entry->flags & MP_LIVE_NAME_DISPATCH);
    if (was_weak || !was_named) {
        rename_frames(entry);
    } else {
        entry->record = 0;
        show_copies(entry);
    }
    if (entry->kept)
        rename_frames(mp_name_entry_at(entry->kept));
}

void
mp_name_passes_on(uintptr_t start, uintptr_t body)
{
    struct mp_gate_hold hold;
    struct mp_name_entry *entry = mp_gate_lock(&hold) ? mp_name_entry_of(start) : NULL;

    if (entry)
        entry->body = body;
    mp_gate_unlock(&hold);
}

void
mp_name_tell_held(uintptr_t start, const struct mp_function_name *name)
{
    MP_LOCK_HELD();
    const uintptr_t body = mp_name_entry_at(start)->body;
    struct mp_name_entry *entry = mp_name_entry_of(body ? body : start);

    has_objects |= (name->flags & MP_NAME_OBJECT) != 0;
    if (entry)
        tell(entry, name);
}

void
mp_name_tell(uintptr_t start, const struct mp_function_name *name)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold))
        mp_name_tell_held(start, name);
    mp_gate_unlock(&hold);
}

const char *
mp_name_told_held(uintptr_t start)
{
    MP_LOCK_HELD();
    return named_at(start)->text;
}

const char *
mp_name_outer_held(uintptr_t start)
{
    MP_LOCK_HELD();
    const uintptr_t outer = named_at(start)->outer;

    return outer ? named_at(outer)->text : NULL;
}

static void
add_twin(struct mp_name_entry *kept, struct mp_name_entry *twin)
{
    twin->kept = kept->start;
    twin->next = kept->twins;
    kept->twins = twin->start;
}

static void
unite(struct mp_name_entry *kept, struct mp_name_entry *twin, enum mp_twin how)
{
    uintptr_t theirs = twin->twins;

    if (kept->kept)
        kept = mp_name_entry_at(kept->kept);
    if (twin == kept || twin->kept)
        return;
    twin->twins = 0;
    twin->how = how;
    add_twin(kept, twin);
    while (theirs) {
        struct mp_name_entry *next = mp_name_entry_at(theirs);

        theirs = next->next;
        add_twin(kept, next);
    }
    rename_frames(kept);
}

void
mp_name_twin(uintptr_t start, uintptr_t twin, enum mp_twin how)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_name_entry_of(start) && mp_name_entry_of(twin))
        unite(mp_name_entry_at(start), mp_name_entry_at(twin), how);
    mp_gate_unlock(&hold);
}

void
mp_name_place(uintptr_t start, const char *file)
{
    struct mp_gate_hold hold;
    struct mp_name_entry *entry;

    entry = mp_gate_lock(&hold) ? named_at(start) : NULL;
    if (entry && entry->text) {
        uint32_t old = entry->record;

        entry->flags |= MP_NAME_SETTLED;
        if (file && (!entry->file || strcmp(entry->file, file) != 0)) {
            entry->file = mp_name_keep(file);
            entry->record = 0;
            if (old)
                name_frames(entry, old);
        }
    }
    mp_gate_unlock(&hold);
}

bool
mp_name_settled(uintptr_t start)
{
    struct mp_gate_hold hold;
    const struct mp_name_entry *entry;
    bool settled;

    entry = mp_gate_lock(&hold) ? named_at(start) : NULL;
    settled = entry && entry->text &&
              (!(entry->flags & MP_NAME_WEAK) || entry->flags & MP_NAME_SETTLED);
    mp_gate_unlock(&hold);
    return settled;
}

bool
mp_name_known(uintptr_t start)
{
    struct mp_gate_hold hold;
    bool known;

    known = mp_gate_lock(&hold) && mp_name_told_held(start) != NULL;
    mp_gate_unlock(&hold);
    return known;
}

static void
forget(struct mp_name_entry *entry)
{
    *entry = (struct mp_name_entry){ .start = entry->start };
}

void
mp_name_copies(uintptr_t start, uintptr_t end)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold))
        mp_copies_add(start, end);
    mp_gate_unlock(&hold);
}

void
mp_name_forget(uintptr_t start, uintptr_t end)
{
    MP_LOCK_HELD();
    struct mp_name_entry *at, *last;

    mp_copies_forget(start, end);
    for (at = mp_name_entries(&last); at < last; at++)
        if (at->start - start < end - start)
            forget(at);
}

void
mp_name_forget_dead(bool (*alive)(const void *object))
{
    MP_LOCK_HELD();
    struct mp_name_entry *at, *end;

    for (at = mp_name_entries(&end); has_objects && at < end; at++)
        if (at->text && at->flags & MP_NAME_OBJECT && !alive((const void *)at->start))
            forget(at);
}

void
mp_name_reset(void)
{
    MP_LOCK_HELD();
    struct mp_name_entry *at, *end;

    mp_copies_reset();
    for (at = mp_name_entries(&end); at < end; at++)
        at->record = 0, at->met = false, at->copies = 0;
}
