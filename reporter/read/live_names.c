/* live_names.c -- reads names of functions and kinds of objects that the language's runtime provides. */
#include "live_parts.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/sorted.h"
#include "reporter/base/text.h"

/* ---------------------------------------------------------------- functions */

static const struct mp_live_name *
name_records(const struct mp_live_reading *reading)
{
    return (const void *)reading->image.tables[MP_EXT_NAMES].records;
}

/* Sets *TO to string ID, which record INDEX of KIND contains at FIELD_OFFSET. */
static bool
record_string(struct mp_live_reading *reading, enum mp_extent_kind kind, size_t index,
              size_t field_offset, uint32_t id, const char **to, struct mp_error *error)
{
    size_t length;
    const char *text = mp_image_string(&reading->image, id, &length);

    if (!text)
        return mp_live_damaged(reading, kind, index, field_offset, "a name is no string", error);
    *to = mp_text_clean(reading->profile->arena, text, length);
    return true;
}

static bool
fill_name(struct mp_live_reading *reading, size_t index, struct mp_name *name,
          struct mp_error *error)
{
    const struct mp_live_name *from = &name_records(reading)[index];

    if (!(from->flags & MP_LIVE_NAME_VALID))
        return mp_live_damaged(reading, MP_EXT_NAMES, index, offsetof(struct mp_live_name, flags),
                               "a frame uses an empty name", error);
    name->position = from->position < 0 ? -1 : from->position;
    name->dispatch = (from->flags & MP_LIVE_NAME_DISPATCH) != 0;
    name->builtin = (from->flags & MP_LIVE_NAME_BUILTIN) != 0;
    return record_string(reading, MP_EXT_NAMES, index, offsetof(struct mp_live_name, name),
                         from->name, &name->name, error) &&
           record_string(reading, MP_EXT_NAMES, index, offsetof(struct mp_live_name, file),
                         from->file, &name->file, error);
}

static bool
begin_names(struct mp_live_reading *reading, struct mp_error *error)
{
    size_t count = reading->image.tables[MP_EXT_NAMES].count;
    struct mp_profile *profile = reading->profile;

    reading->name_of = mp_live_array(reading, count, sizeof *reading->name_of, error);
    if (!reading->name_of)
        return false;
    memset(reading->name_of, 0xff, count * sizeof *reading->name_of);
    profile->names = mp_arena_alloc(profile->arena, count * sizeof *profile->names);
    return true;
}

bool
mp_live_name(struct mp_live_reading *reading, size_t frame, uint32_t flags, uint32_t *id,
             struct mp_error *error)
{
    uint32_t record_id = flags >> MP_LIVE_FRAME_NAME_SHIFT;
    struct mp_profile *profile = reading->profile;
    size_t record;

    *id = MP_NO_ID;
    if (record_id == 0)
        return true;
    record = mp_image_find(&reading->image, MP_EXT_NAMES, record_id);
    if (record == MP_NO_RECORD)
        return mp_live_damaged(reading, MP_EXT_FRAMES, frame,
                               offsetof(struct mp_live_frame, flags),
                               "a frame's name is not there", error);
    if (!reading->name_of && !begin_names(reading, error))
        return false;
    if (reading->name_of[record] == MP_NO_ID) {
        if (!fill_name(reading, record, &profile->names[profile->n_names], error))
            return false;
        reading->name_of[record] = profile->n_names++;
    }
    *id = reading->name_of[record];
    return true;
}

/* ---------------------------------------------------------------- kinds of objects */

static int
by_kind(const void *a, const void *b)
{
    const struct mp_object_kind *x = a, *y = b;

    return mp_order(x->kind, y->kind);
}

static bool
bad_kind(struct mp_live_reading *reading, size_t index, size_t field_offset, const char *problem,
         struct mp_error *error)
{
    return mp_live_damaged(reading, MP_EXT_OBJECT_KINDS, index, field_offset, problem, error);
}

static bool
fill_kind(struct mp_live_reading *reading, const struct mp_live_kind *from, size_t index,
          struct mp_object_kind *kind, struct mp_error *error)
{
    if (from->kind < MP_KIND_LISP || from->kind >= MP_KIND_END)
        return bad_kind(reading, index, offsetof(struct mp_live_kind, kind),
                        "a kind of object is out of range", error);
    if (!strchr(MP_CATEGORIES, from->category))
        return bad_kind(reading, index, offsetof(struct mp_live_kind, category),
                        "a kind of object has an unknown category", error);
    *kind = (struct mp_object_kind){.kind = from->kind, .base = from->base,
                                    .category = (char)from->category};
    return record_string(reading, MP_EXT_OBJECT_KINDS, index, offsetof(struct mp_live_kind, name),
                         from->name, &kind->name, error);
}

/* Checks that each kind occurs once and has a base kind that is its own base. */
static bool
check_kinds(struct mp_live_reading *reading, const struct mp_live_kind *records, size_t count,
            struct mp_error *error)
{
    const struct mp_profile *profile = reading->profile;
    const struct mp_object_kind *kinds = profile->kinds;

    for (uint32_t i = 1; i < profile->n_kinds; i++)
        if (kinds[i].kind == kinds[i - 1].kind)
            return bad_kind(reading, 0, 0, "a kind of object is there twice", error);
    for (size_t i = 0; i < count; i++) {
        const struct mp_object_kind *base = mp_profile_kind(profile, records[i].base);

        if (records[i].category != 0 && (!base || base->base != base->kind))
            return bad_kind(reading, i, offsetof(struct mp_live_kind, base),
                            "a kind of object has a base that is none", error);
    }
    return true;
}

bool
mp_live_kinds(struct mp_live_reading *reading, struct mp_error *error)
{
    size_t count = reading->image.tables[MP_EXT_OBJECT_KINDS].count;
    const struct mp_live_kind *records =
        (const void *)reading->image.tables[MP_EXT_OBJECT_KINDS].records;
    struct mp_profile *profile = reading->profile;

    profile->kinds = mp_arena_alloc(profile->arena, count * sizeof *profile->kinds);
    for (size_t i = 0; i < count; i++) {
        if (records[i].category == 0)
            continue;
        if (!fill_kind(reading, &records[i], i, &profile->kinds[profile->n_kinds], error))
            return false;
        profile->n_kinds++;
    }
    if (profile->n_kinds > 0)
        qsort(profile->kinds, profile->n_kinds, sizeof *profile->kinds, by_kind);
    return check_kinds(reading, records, count, error);
}
