#include "name.h"

#include <string.h>

#include "alternatives.h"
#include "name_copies.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

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
    uint32_t copies;            /* frame that has the name for copies, see name_copies.h; 0: none */

    /* functions that have the same code; 0: none */
    uintptr_t kept;             /* the one whose code is also this one's */
    uintptr_t twins, next;      /* those whose code this is; and the next twin of `kept` */
    enum mp_twin how;           /* in what way it is a twin of `kept` */
};

/* One pointer leads to all of it: a child by another thread's fork finds the old table or the new one. */
struct table {
    uint32_t n, bits;
    struct entry entries[];
};

static struct table *names;             /* NULL: none yet */
static bool has_objects;        /* MP_NAME_OBJECT was told once: most programs have none */

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
slot(struct table *table, uintptr_t start)
{
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = mp_hash(start, 64 - table->bits);

    while (table->entries[at].start && table->entries[at].start != start)
        at = (at + 1) & mask;
    return &table->entries[at];
}

/* How many entries there is room for, one after the other. */
static uint32_t
room_of(const struct table *table)
{
    return table ? 1u << table->bits : 0;
}

static size_t
bytes_of(uint32_t bits)
{
    return sizeof(struct table) + (sizeof(struct entry) << bits);
}

static bool
make_room(void)
{
    uint32_t bits = names ? names->bits + 1 : FIRST_BITS;
    struct table *old = names, *table;

    if (old && old->n * 2 < room_of(old))
        return true;
    if (bits > MOST_BITS || !(table = mp_sys_map(bytes_of(bits))))
        return false;
    table->bits = bits;
    table->n = old ? old->n : 0;
    for (uint32_t i = 0; i < room_of(old); i++)
        if (old->entries[i].start)
            *slot(table, old->entries[i].start) = old->entries[i];
    __atomic_store_n(&names, table, __ATOMIC_RELEASE);
    if (old)
        mp_sys_unmap(old, bytes_of(old->bits));
    return true;
}

/* That of START, or a free one. */
static struct entry *
entry_at(uintptr_t start)
{
    return slot(names, start);
}

/* The entry of START, made if need be; NULL: no memory. */
static struct entry *
entry_of(uintptr_t start)
{
    struct entry *entry;

    if (!make_room())
        return NULL;
    entry = slot(names, start);
    if (!entry->start) {
        entry->start = start;
        names->n++;
    }
    return entry;
}

/* ------------------------------------------------------------------ records */

/* Those that are no file's. */
#define OWN_FLAGS (MP_NAME_WEAK | MP_NAME_OBJECT | MP_NAME_FORMS | MP_NAME_SETTLED)

uint32_t
mp_name_record(const struct mp_function_name *name)
{
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

/* "INNER in OUTER" in ROOM, if there is an outer function that has a name. */
static const char *
own_name(const struct entry *entry, char *room, size_t size)
{
    const char *outer = entry->outer ? entry_at(entry->outer)->text : NULL;
    size_t n = strlen(entry->text), m = outer ? strlen(outer) : 0;

    if (!outer || n + 4 + m >= size)
        return entry->text;
    memcpy(room, entry->text, n);
    memcpy(room + n, " in ", 4);
    memcpy(room + n + 4, outer, m + 1);
    return room;
}

static void
add_alternative(struct mp_alternatives *alternatives, const struct entry *entry)
{
    char room[MP_ALTERNATIVE_SIZE];

    mp_alternatives_add(alternatives, entry->text ? own_name(entry, room, sizeof room) : "");
}

/* The name of all functions that the code of ENTRY may be, or, COPIED, that copies of it may be, in
 * ROOM; NULL: none is known. */
static const char *
full_name(const struct entry *entry, bool copied, char *room, size_t size)
{
    struct mp_alternatives alternatives = { .shown = 0 };

    if (!entry->twins)
        return entry->text ? own_name(entry, room, size) : NULL;
    add_alternative(&alternatives, entry);
    for (uintptr_t twin = entry->twins; twin; twin = entry_at(twin)->next)
        if (copied || entry_at(twin)->how != MP_TWIN_COPIED)
            add_alternative(&alternatives, entry_at(twin));
    mp_alternatives_join(&alternatives, room, size);
    return room[0] ? room : NULL;
}

/* Whose record ENTRY has: its own, or that of the function whose code it is, too; or it is a part,
 * laid elsewhere, of another function. */
static struct entry *
shown_as(struct entry *entry)
{
    struct entry *whole = entry;

    if (entry->text && !entry->text[0]) {
        whole = entry_at(entry->outer);
        if (!whole->start || !whole->text || !whole->text[0])
            return NULL;
    }
    return whole->kept && whole->how == MP_TWIN_BOTH ? entry_at(whole->kept) : whole;
}

static uint32_t
record_of(struct entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { NULL, NULL, -1, 0, 0 };

    entry = shown_as(entry);
    if (!entry || entry->record)
        return entry ? entry->record : 0;
    name.name = full_name(entry, false, room, sizeof room);
    if (!name.name)
        return 0;
    name.file = entry->file || !entry->outer ? entry->file : entry_at(entry->outer)->file;
    name.position = entry->position;
    name.flags = entry->flags;
    return entry->record = mp_name_record(&name);
}

static void tell(struct entry *entry, const struct mp_function_name *name);
static void show_copies(struct entry *entry);

/* The language may know better now: a symbol may have been exported since. */
static void
resolve(struct entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { room, entry->file, entry->position, entry->flags, 0 };

    if (entry->text && !(entry->flags & MP_NAME_WEAK) && !entry->record &&
        mp_language->resolve(entry->text, room, sizeof room))
        tell(entry, &name);
}

static void
resolve_whole(struct entry *entry)
{
    resolve(entry);
    if (entry->outer)
        resolve(entry_at(entry->outer));
}

/* Copies of ENTRY's code may have another name than the code itself; and a record of that one is made
 * no earlier than it is met, as a better name may come. */
static uint32_t
record_of_copies(struct entry *entry)
{
    char room[ROOM_SIZE];
    struct mp_function_name name = { NULL, entry->file, entry->position, entry->flags, 0 };
    bool other = false;

    for (uintptr_t twin = entry->twins; twin; twin = entry_at(twin)->next)
        other |= entry_at(twin)->how == MP_TWIN_COPIED;
    if (entry->record && !other)
        return entry->record;
    name.name = full_name(entry, true, room, sizeof room);
    return mp_name_record(&name);
}

/* Local functions are named by those that they lie in, which the reporter sees. */
static void
show_copies(struct entry *entry)
{
    uint32_t name = entry->text && !(entry->flags & MP_NAME_WEAK) && !entry->outer &&
                            mp_copies_wanted(entry->start)
                        ? record_of_copies(entry) : 0;

    if (name)
        entry->copies = mp_copies_name(entry->copies, entry->start, name);
}

/* Forms at top level run while the functions are made. */
static void
meet_file(const struct entry *met, uint32_t module)
{
    const struct mp_copies_file *file =
        module && !(met->text && met->flags & MP_NAME_FORMS) ? mp_copies_meet(met->start, module)
                                                             : NULL;

    for (uint32_t i = 0; file && i < room_of(names); i++) {
        if (names->entries[i].start - file->start >= file->end - file->start)
            continue;
        resolve(&names->entries[i]);
        show_copies(&names->entries[i]);
    }
}

uint32_t
mp_name_for_frame(uintptr_t start, uint32_t frame, uint32_t module)
{
    struct entry *entry;

    mp_language->settle();
    entry = start ? entry_of(start) : NULL;
    if (!entry)
        return 0;
    mp_store.frame_starts[frame] = start;
    meet_file(entry, module);
    resolve_whole(entry);
    if (entry->kept && entry->how == MP_TWIN_BOTH)
        entry = entry_at(entry->kept);
    for (uintptr_t twin = entry->twins; twin; twin = entry_at(twin)->next)
        resolve_whole(entry_at(twin));
    entry = entry_at(start);
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

/* The name of ENTRY's code is another now. */
static void
rename_frames(struct entry *entry)
{
    uint32_t old = entry->record;

    entry->record = 0;
    if (entry->met)
        name_frames(entry, old);
    for (uintptr_t twin = entry->twins; twin; twin = entry_at(twin)->next)
        if (entry_at(twin)->how == MP_TWIN_BOTH && entry_at(twin)->met)
            name_frames(entry_at(twin), old);
    show_copies(entry);
}

static void
tell(struct entry *entry, const struct mp_function_name *name)
{
    bool was_weak = entry->text && entry->flags & MP_NAME_WEAK, was_named = entry->text != NULL;

    if (was_named && (name->flags & MP_NAME_WEAK || strcmp(entry->text, name->name) == 0))
        return;
    entry->text = keep(name->name);
    if (name->file)
        entry->file = keep(name->file);
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
        rename_frames(entry_at(entry->kept));
}

void
mp_name_tell_held(uintptr_t start, const struct mp_function_name *name)
{
    struct entry *entry = entry_of(start);

    has_objects |= (name->flags & MP_NAME_OBJECT) != 0;
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
    return names ? entry_at(start)->text : NULL;
}

static void
add_twin(struct entry *kept, struct entry *twin)
{
    twin->kept = kept->start;
    twin->next = kept->twins;
    kept->twins = twin->start;
}

static void
unite(struct entry *kept, struct entry *twin, enum mp_twin how)
{
    uintptr_t theirs = twin->twins;

    if (kept->kept)
        kept = entry_at(kept->kept);
    if (twin == kept || twin->kept)
        return;
    twin->twins = 0;
    twin->how = how;
    add_twin(kept, twin);
    while (theirs) {
        struct entry *next = entry_at(theirs);

        theirs = next->next;
        add_twin(kept, next);
    }
    rename_frames(kept);
}

void
mp_name_twin(uintptr_t start, uintptr_t twin, enum mp_twin how)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    if (entry_of(start) && entry_of(twin))
        unite(entry_at(start), entry_at(twin), how);
    mp_gate_unlock(&hold);
}

void
mp_name_place(uintptr_t start, const char *file)
{
    struct mp_gate_hold hold;
    struct entry *entry;

    mp_gate_lock(&hold);
    entry = names ? entry_at(start) : NULL;
    if (entry && entry->text) {
        uint32_t old = entry->record;

        entry->flags |= MP_NAME_SETTLED;
        if (file && (!entry->file || strcmp(entry->file, file) != 0)) {
            entry->file = keep(file);
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
    const struct entry *entry;
    bool settled;

    mp_gate_lock(&hold);
    entry = names ? entry_at(start) : NULL;
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

    mp_gate_lock(&hold);
    known = mp_name_told_held(start) != NULL;
    mp_gate_unlock(&hold);
    return known;
}

static void
forget(struct entry *entry)
{
    *entry = (struct entry){ .start = entry->start };
}

void
mp_name_copies(uintptr_t start, uintptr_t end)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    mp_copies_add(start, end);
    mp_gate_unlock(&hold);
}

void
mp_name_forget(uintptr_t start, uintptr_t end)
{
    mp_copies_forget(start, end);
    for (uint32_t i = 0; i < room_of(names); i++)
        if (names->entries[i].start - start < end - start)
            forget(&names->entries[i]);
}

void
mp_name_forget_dead(bool (*alive)(const void *object))
{
    for (uint32_t i = 0; has_objects && i < room_of(names); i++) {
        struct entry *entry = &names->entries[i];

        if (entry->text && entry->flags & MP_NAME_OBJECT && !alive((const void *)entry->start))
            forget(entry);
    }
}

void
mp_name_reset(void)
{
    mp_copies_reset();
    for (uint32_t i = 0; i < room_of(names); i++) {
        struct entry *entry = &names->entries[i];

        entry->record = 0, entry->met = false, entry->copies = 0;
    }
}
