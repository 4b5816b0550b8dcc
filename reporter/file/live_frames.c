/* SPDX-License-Identifier: MIT */
/* live_frames.c -- reads strings, names, modules and frames. */
#include "live_parts.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/base/text.h"

/* ---------------------------------------------------------------- strings */

bool
mp_live_string(struct mp_live_reading *reading, uint32_t id, struct mp_live_string *string)
{
    const uint32_t known = mp_map_find_u64(&reading->string_ids, id), n = reading->string_ids.count;
    size_t length;
    const char *raw = known == MP_NO_ID ? mp_image_string(&reading->image, id, &length) : NULL;

    if (known != MP_NO_ID) {
        *string = reading->strings[known];
        return true;
    }
    if (!raw)
        return false;
    string->text = mp_text_clean(reading->profile->arena, raw, length);
    string->raw = strcmp(string->text, raw) != 0 ? mp_arena_strdup(reading->profile->arena, raw) : NULL;
    mp_map_add_u64(&reading->string_ids, id);
    reading->strings = mp_arena_grow(reading->scratch, reading->strings, n, &reading->strings_room,
                                     sizeof *reading->strings);
    reading->strings[n] = *string;
    return true;
}

/* ---------------------------------------------------------------- names: functions */

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
    struct mp_live_string string;

    if (!mp_live_string(reading, id, &string))
        return mp_live_damaged(reading, kind, index, field_offset, "a name is no string", error);
    *to = string.text;
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

/* Sets *ID to the name of the frame in record FRAME, whose FLAGS contain the name's record. Sets it to MP_NO_ID if
 * the frame has no name. */
static bool
find_name(struct mp_live_reading *reading, size_t frame, uint32_t flags, uint32_t *id, struct mp_error *error)
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
    if (!reading->name_of) {
        size_t count = reading->image.tables[MP_EXT_NAMES].count;

        reading->name_of = mp_arena_alloc(reading->scratch, count * sizeof *reading->name_of);
        memset(reading->name_of, 0xff, count * sizeof *reading->name_of);
        profile->names = mp_arena_alloc(profile->arena, count * sizeof *profile->names);
    }
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

    profile->kinds = mp_arena_alloc(profile->arena, (count + MP_OBJECT_TYPES) * sizeof *profile->kinds);
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

/* ---------------------------------------------------------------- modules */

static const struct mp_live_module *
module_records(const struct mp_live_reading *reading)
{
    return (const void *)reading->image.tables[MP_EXT_MODULES].records;
}

static bool
fill_module(struct mp_live_reading *reading, size_t index, struct mp_module *module,
            struct mp_error *error)
{
    const struct mp_live_module *from = &module_records(reading)[index];
    struct mp_live_string path;

    if (!mp_live_string(reading, from->path, &path))
        return mp_live_damaged(reading, MP_EXT_MODULES, index,
                               offsetof(struct mp_live_module, path),
                               "a module's path is no string", error);
    if (from->build_id_size > sizeof from->build_id)
        return mp_live_damaged(reading, MP_EXT_MODULES, index,
                               offsetof(struct mp_live_module, build_id_size),
                               "a module's build-id is too long", error);
    module->path = path.text;
    module->file = path.raw;
    module->name = mp_text_basename(module->path);
    module->start = from->start;
    module->end = from->end;
    module->bias = from->bias;
    memcpy(module->build_id, from->build_id, from->build_id_size);
    module->build_id_size = from->build_id_size;
    if (from->file == MP_FILE_KNOWN || from->file == MP_FILE_GONE)
        module->file_state = from->file;
    module->inode = from->inode;
    module->size = from->size;
    module->mtime = from->mtime;
    module->unloaded = from->unloaded != 0;
    module->problem = "";
    return true;
}

/* A module record while its file is identified. */
struct load {
    uint32_t index;             /* index of the record */
    struct mp_module *module;
};

/* Compares what identifies the files of modules without a build-id. */
static int
compare_states(const struct mp_module *a, const struct mp_module *b)
{
    if (a->inode != b->inode)
        return mp_order(a->inode, b->inode);
    return a->size != b->size ? mp_order(a->size, b->size) : mp_order(a->mtime, b->mtime);
}

static int
compare_files(const struct mp_module *a, const struct mp_module *b)
{
    int order = a->path == b->path ? 0 : strcmp(a->path, b->path);

    if (order == 0 && a->build_id_size != b->build_id_size)
        return a->build_id_size < b->build_id_size ? -1 : 1;
    if (order == 0 && a->build_id_size == 0)
        order = compare_states(a, b);
    return order ? order : memcmp(a->build_id, b->build_id, a->build_id_size);
}

static int
by_file(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    int order = compare_files(x->module, y->module);

    return order ? order : mp_order(x->index, y->index);
}

/* Maps all loads of a file to its first load. A module without a path and build-id is never merged. */
static void
unite_loads(struct mp_live_reading *reading, struct load *loads, size_t n)
{
    qsort(loads, n, sizeof *loads, by_file);
    for (size_t i = 0; i < n; i++) {
        const struct mp_module *module = loads[i].module;
        bool named = module->path[0] != '\0' || module->build_id_size > 0;

        if (i > 0 && named && compare_files(module, loads[i - 1].module) == 0)
            reading->module_of[loads[i].index] = reading->module_of[loads[i - 1].index];
        else
            reading->module_of[loads[i].index] = (uint32_t)(module - reading->profile->modules);
    }
}

bool
mp_live_modules(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_live_module *records = module_records(reading);
    size_t count = reading->image.tables[MP_EXT_MODULES].count, n = 0;
    struct mp_profile *profile = reading->profile;
    struct load *loads = mp_arena_alloc(reading->scratch, count * sizeof *loads);

    reading->module_of = mp_arena_alloc(reading->scratch, count * sizeof *reading->module_of);
    profile->modules = mp_arena_alloc(profile->arena, count * sizeof *profile->modules);
    for (size_t i = 0; i < count; i++) {
        reading->module_of[i] = MP_NO_ID;
        if (records[i].end == 0)
            continue;
        if (!fill_module(reading, i, &profile->modules[n], error))
            return false;
        loads[n] = (struct load){(uint32_t)i, &profile->modules[n]};
        n++;
    }
    profile->n_modules = (uint32_t)n;
    unite_loads(reading, loads, n);
    return true;
}

/* ---------------------------------------------------------------- frames */

struct candidate {
    struct mp_frame frame;
    uint32_t *id;               /* destination of the frame's id */
};

static int
by_place(const void *a, const void *b)
{
    const struct mp_frame *x = &((const struct candidate *)a)->frame;
    const struct mp_frame *y = &((const struct candidate *)b)->frame;
    bool real_x = x->mark == 0, real_y = y->mark == 0;

    if (real_x != real_y)
        return real_x ? 1 : -1;
    if (x->mark != y->mark)
        return mp_order(x->mark, y->mark);
    if (x->module != y->module)
        return mp_order(x->module, y->module);
    if (x->offset != y->offset)
        return mp_order(x->offset, y->offset);
    if (x->exact != y->exact)
        return (int)x->exact - (int)y->exact;
    if (x->interpreted != y->interpreted)
        return (int)x->interpreted - (int)y->interpreted;
    if (x->name != y->name)
        return mp_order(x->name, y->name);
    return (int)x->runtime - (int)y->runtime;
}

/* Sets the map to 0 for each frame record that a context uses, and mark_of for each mark. Adds the number of newly
 * used frames and marks to *N_USED. */
static bool
find_used(struct mp_live_reading *reading, size_t *n_used, struct mp_error *error)
{
    for (size_t i = 0; i < reading->n_contexts; i++) {
        uint32_t id = reading->contexts[i].frame, *map;
        size_t record;

        if (id == 0)
            continue;
        if (id < MP_FRAME_FIRST) {
            if (id > MP_FRAME_LAST_MARK)
                return mp_live_damaged(reading, MP_EXT_CONTEXTS, i, 0, "a context's frame is an "
                                       "unknown mark", error);
            map = &reading->mark_of[id];
        } else {
            record = mp_image_find(&reading->image, MP_EXT_FRAMES, id);
            if (record == MP_NO_RECORD)
                return mp_live_damaged(reading, MP_EXT_CONTEXTS, i, 0,
                                       "a context's frame is not there", error);
            map = &reading->frame_of[record];
        }
        *n_used += *map == MP_NO_ID;
        *map = 0;
    }
    return true;
}

/* Also selects frames that the monitor recorded only to name a function that may have been inlined. No context has such
 * a frame, but symbols/inlined_copies.c uses its name. */
static void
find_entries(struct mp_live_reading *reading, size_t *n_used)
{
    const struct mp_image_table *table = &reading->image.tables[MP_EXT_FRAMES];
    const struct mp_live_frame *frames = (const void *)table->records;
    const uint32_t wanted = MP_LIVE_FRAME_VALID | MP_LIVE_FRAME_SIGNAL;

    for (size_t i = 0; i < table->count; i++) {
        uint32_t flags = frames[i].flags;

        if (reading->frame_of[i] != MP_NO_ID || frames[i].module == 0 ||
            (flags & (wanted | MP_LIVE_FRAME_INTERPRETED)) != wanted ||
            flags >> MP_LIVE_FRAME_NAME_SHIFT == 0)
            continue;
        reading->frame_of[i] = 0;
        (*n_used)++;
    }
}

static bool
fill_frame(struct mp_live_reading *reading, size_t index, struct mp_frame *frame,
           struct mp_error *error)
{
    const struct mp_live_frame *from =
        &((const struct mp_live_frame *)(const void *)
              reading->image.tables[MP_EXT_FRAMES].records)[index];
    size_t module;

    *frame = (struct mp_frame){.module = MP_NO_ID, .offset = from->ip,
                               .exact = (from->flags & MP_LIVE_FRAME_SIGNAL) != 0,
                               .runtime = (from->flags & MP_LIVE_FRAME_RUNTIME) != 0,
                               .interpreted = (from->flags & MP_LIVE_FRAME_INTERPRETED) != 0,
                               .unproved = (from->flags & MP_LIVE_FRAME_UNPROVED) != 0};
    if (!(from->flags & MP_LIVE_FRAME_VALID))
        return mp_live_damaged(reading, MP_EXT_FRAMES, index, offsetof(struct mp_live_frame, flags),
                               "a context uses an empty frame", error);
    if (!find_name(reading, index, from->flags, &frame->name, error))
        return false;
    if (from->module == 0 || frame->interpreted)
        return true;
    module = mp_image_find(&reading->image, MP_EXT_MODULES, from->module);
    if (module == MP_NO_RECORD || reading->module_of[module] == MP_NO_ID)
        return mp_live_damaged(reading, MP_EXT_FRAMES, index,
                               offsetof(struct mp_live_frame, module),
                               "a frame's module is not there", error);
    frame->module = reading->module_of[module];
    frame->offset = from->ip - module_records(reading)[module].bias;
    return true;
}

static bool
fill_candidates(struct mp_live_reading *reading, struct candidate *candidates,
                struct mp_error *error)
{
    size_t count = reading->image.tables[MP_EXT_FRAMES].count, n = 0;

    for (uint32_t mark = 1; mark < MP_FRAME_FIRST; mark++) {
        if (reading->mark_of[mark] != MP_NO_ID) {
            candidates[n].frame =
                (struct mp_frame){.module = MP_NO_ID, .mark = mark, .name = MP_NO_ID};
            candidates[n++].id = &reading->mark_of[mark];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (reading->frame_of[i] == MP_NO_ID)
            continue;
        if (!fill_frame(reading, i, &candidates[n].frame, error))
            return false;
        candidates[n++].id = &reading->frame_of[i];
    }
    return true;
}

bool
mp_live_frames(struct mp_live_reading *reading, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    size_t count = reading->image.tables[MP_EXT_FRAMES].count, used = 0;
    struct candidate *candidates;

    memset(reading->mark_of, 0xff, sizeof reading->mark_of);
    reading->frame_of = mp_arena_alloc(reading->scratch, count * sizeof *reading->frame_of);
    memset(reading->frame_of, 0xff, count * sizeof *reading->frame_of);
    if (!find_used(reading, &used, error))
        return false;
    find_entries(reading, &used);
    candidates = mp_arena_alloc(reading->scratch, used * sizeof *candidates);
    if (!fill_candidates(reading, candidates, error))
        return false;
    qsort(candidates, used, sizeof *candidates, by_place);
    profile->frames = mp_arena_alloc(profile->arena, used * sizeof *profile->frames);
    for (size_t i = 0; i < used; i++) {
        if (i == 0 || by_place(&candidates[i - 1], &candidates[i]) != 0)
            profile->frames[profile->n_frames++] = candidates[i].frame;
        *candidates[i].id = profile->n_frames - 1;
    }
    mp_arena_drop(candidates, used * sizeof *candidates);
    return true;
}
