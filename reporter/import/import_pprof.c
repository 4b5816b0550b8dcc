/* SPDX-License-Identifier: MIT */
/*
 * Reads memory profiles in profile.proto, written by Go, by the tools of jemalloc and tcmalloc, and by mprof.
 *
 * Figures named "inuse_..." are read as kept memory, and so are figures without a prefix, which profiles of live
 * memory have. A profile without other figures is shown like the result of mprof report --at.
 */
#include <stdlib.h>
#include <string.h>

#include "import_formats.h"
#include "maker.h"
#include "reporter/base/format_number.h"
#include "reporter/base/map.h"
#include "reporter/base/progress.h"
#include "reporter/base/protobuf.h"
#include "reporter/base/text.h"

enum {
    PROFILE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
    PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_PERIOD = 12, PROFILE_COMMENT
};
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };

/* ---------------------------------------------------------------- everything but samples */

/* Fields may come in any order, so everything else is collected before samples are read. Ids and string indices are
 * copied from the file and checked when used. */

struct type {
    uint64_t type, unit;        /* string indices */
};

struct mapping {
    uint64_t id, start, limit, offset, file, build_id;
};

struct function {
    uint64_t id, name, system_name, file;
};

struct location {
    uint64_t id, mapping, address;
    struct mp_cursor lines;     /* the whole message, from which lines are read later */
    bool has_lines;
};

struct file {
    struct type *types; uint32_t n_types, types_room;
    struct mapping *mappings;      uint32_t n_mappings, mappings_room;
    struct function *functions;    uint32_t n_functions, functions_room;
    struct location *locations;    uint32_t n_locations, locations_room;
    struct mp_piece *strings; uint32_t n_strings, strings_room;
    struct mp_map mapping_ids, function_ids, location_ids;      /* map ids to indices in the lists above */
    struct mp_proto_numbers comments;       /* string indices */
    uint64_t time, duration, period;        /* ns since 1970; ns; sampling period or 0 if unknown */
    struct mp_arena *arena;
};

/* Copies the numbers of the message in FIELD to VALUES, by field number. Ignores fields with a number of N or more. */
static void
take_numbers(struct mp_cursor *cursor, const struct mp_proto_field *field, uint64_t values[], unsigned n)
{
    struct mp_cursor inner = mp_proto_inner(cursor, field);
    struct mp_proto_field part;

    while (mp_proto_next(&inner, &part))
        if (part.number < n && !part.is_bytes)
            values[part.number] = part.value;
    mp_proto_leave(cursor, &inner);
}

/* Appends an item to LIST and yields a pointer to it. */
#define ADD(file, list)                                                                             \
    ((file)->list = mp_arena_grow((file)->arena, (file)->list, (file)->n_##list, &(file)->list##_room, \
                                  sizeof *(file)->list),                                            \
     &(file)->list[(file)->n_##list++])

static void
take_type(struct file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    uint64_t values[3] = {0};

    take_numbers(cursor, field, values, 3);
    *ADD(file, types) = (struct type){values[1], values[2]};
}

static void
take_mapping(struct file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    uint64_t values[7] = {0};

    take_numbers(cursor, field, values, 7);
    if (mp_map_add_u64(&file->mapping_ids, values[1]) != file->n_mappings) {
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two mappings have one id");
        return;
    }
    *ADD(file, mappings) = (struct mapping){
        values[1], values[2], values[3], values[4], values[5], values[6]};
}

static void
take_function(struct file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    uint64_t values[5] = {0};

    take_numbers(cursor, field, values, 5);
    if (mp_map_add_u64(&file->function_ids, values[1]) != file->n_functions) {
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two functions have one id");
        return;
    }
    *ADD(file, functions) = (struct function){
        values[1], values[2], values[3], values[4]};
}

static void
take_location(struct file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    struct mp_cursor inner = mp_proto_inner(cursor, field);
    struct location location = {.lines = inner};
    struct mp_proto_field part;

    while (mp_proto_next(&inner, &part)) {
        if (part.number == LOCATION_ID)
            location.id = part.value;
        else if (part.number == LOCATION_MAPPING)
            location.mapping = part.value;
        else if (part.number == LOCATION_ADDRESS)
            location.address = part.value;
        else if (part.number == LOCATION_LINE && part.is_bytes)
            location.has_lines = true;
    }
    mp_proto_leave(cursor, &inner);
    if (mp_map_add_u64(&file->location_ids, location.id) != file->n_locations) {
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two locations have one id");
        return;
    }
    *ADD(file, locations) = location;
}

static void
take(struct file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    switch (field->number) {
    case PROFILE_TYPE:
        take_type(file, cursor, field);
        break;
    case PROFILE_MAPPING:
        take_mapping(file, cursor, field);
        break;
    case PROFILE_LOCATION:
        take_location(file, cursor, field);
        break;
    case PROFILE_FUNCTION:
        take_function(file, cursor, field);
        break;
    case PROFILE_STRING:
        *ADD(file, strings) = field->bytes;
        break;
    case PROFILE_TIME:
        file->time = field->value;
        break;
    case PROFILE_DURATION:
        file->duration = field->value;
        break;
    case PROFILE_PERIOD:
        file->period = field->value;
        break;
    case PROFILE_COMMENT:
        mp_proto_collect(cursor, field, &file->comments);
        break;
    }
}

/* Collects the contents of CURSOR, which covers the whole file. The caller must check CURSOR for errors afterwards. */
static void
collect(struct file *file, struct mp_cursor *cursor)
{
    struct mp_proto_field field;

    file->mapping_ids.arena = file->function_ids.arena = file->location_ids.arena = file->arena;
    file->comments.arena = file->arena;
    while (mp_proto_next(cursor, &field))
        take(file, cursor, &field);
}

/* Returns the string with INDEX. If it does not exist, CURSOR fails. */
static struct mp_piece
string_at(const struct file *file, struct mp_cursor *cursor, uint64_t index)
{
    if (index < file->n_strings)
        return file->strings[index];
    if (index > 0)              /* string 0 is empty, even if the table is missing */
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a text is missing");
    return (struct mp_piece){"", 0};
}

#define NO_VALUE MP_NO_ID

static const struct {
    const char *type;
    enum mp_figure figure;
} known_types[] = {
    {"alloc_objects", MP_FIGURE_ALLOCS},        {"alloc_space", MP_FIGURE_BYTES},
    {"inuse_objects", MP_FIGURE_KEPT_BLOCKS},   {"inuse_space", MP_FIGURE_KEPT},
    {"objects", MP_FIGURE_KEPT_BLOCKS},         {"space", MP_FIGURE_KEPT},
    {"temporary_objects", MP_FIGURE_TEMPORARY}, {"peak_objects", MP_FIGURE_PEAK_BLOCKS},
    {"peak_space", MP_FIGURE_PEAK_BYTES},
};

struct reader {
    struct mp_cursor cursor;    /* over the whole file */
    struct file file;
    const char *name;
    uint32_t value_of[MP_FIGURES];       /* by enum mp_figure: index among a sample's values, or NO_VALUE */
    struct mp_maker *maker;
    struct mp_profile *profile; /* owned by the maker */
    bool named;                 /* whether any location has lines */
    uint32_t *modules;          /* by index of the mapping */
    uint32_t *functions;        /* by index of the function; MP_NO_ID if not created yet */
    uint32_t *frames;           /* by index of the location */
    struct mp_proto_numbers chain, values;
};

static bool
is_text(struct mp_piece bytes, const char *text)
{
    return bytes.size == strlen(text) && memcmp(bytes.text, text, bytes.size) == 0;
}

static struct mp_piece
string_of(struct reader *r, uint64_t index)
{
    return string_at(&r->file, &r->cursor, index);
}

static const char *
text_of(struct reader *r, uint64_t index)
{
    return mp_maker_text(r->maker, string_of(r, index));
}

/* ---------------------------------------------------------------- what it tells */

static void
find_values(struct reader *r)
{
    for (unsigned i = 0; i < MP_FIGURES; i++)
        r->value_of[i] = NO_VALUE;
    for (uint32_t i = 0; i < r->file.n_types; i++)
        for (size_t j = 0; j < sizeof known_types / sizeof *known_types; j++)
            if (is_text(string_of(r, r->file.types[i].type), known_types[j].type))
                r->value_of[known_types[j].figure] = i;
}

static bool
has(const struct reader *r, enum mp_figure figure)
{
    return r->value_of[figure] != NO_VALUE;
}

/* Fails with a message like "a pprof profile of samples, cpu". */
static bool
refuse(struct reader *r, struct mp_error *error)
{
    char types[128] = "";
    size_t at = 0;

    for (uint32_t i = 0; i < r->file.n_types && at < sizeof types; i++) {
        struct mp_piece type = string_of(r, r->file.types[i].type);

        at += (size_t)snprintf(types + at, sizeof types - at, "%s%.*s", i > 0 ? ", " : "",
                               type.size < 64 ? (int)type.size : 64, type.text);
    }
    return mp_fail(error, MP_ERR_FOREIGN, MP_NO_OFFSET, "%s: a pprof profile of %s", r->name,
                   types[0] ? types : "nothing");
}

/* Returns whether mprof wrote the file. Then its first comment has mprof's version. */
static bool
is_ours(struct reader *r)
{
    static const char us[] = "mprof ";
    struct mp_piece first;

    if (r->file.comments.n == 0)
        return false;
    first = string_of(r, r->file.comments.list[0]);
    return first.size > strlen(us) && memcmp(first.text, us, strlen(us)) == 0;
}

static const char *
source_of(struct reader *r)
{
    struct mp_arena *arena = r->profile->arena;
    struct mp_piece us = {"", 0};
    char number[MP_NUMBER_SIZE];

    if (is_ours(r))
        us = string_of(r, r->file.comments.list[0]);
    if (r->file.period <= 1)
        return us.size > 0 ? mp_arena_printf(arena, "pprof profile by %s", mp_text_clean(arena, us.text, us.size))
                           : "pprof profile";
    return mp_arena_printf(arena, "pprof profile; its figures are estimates, of one sample for each %s bytes",
                           mp_number_grouped(r->file.period, number));
}

static void
fill_meta(struct reader *r)
{
    struct mp_meta *meta = &r->profile->meta;

    meta->ending = MP_END_SNAPSHOT;
    meta->status = -1;
    meta->start_realtime = r->file.time;
    meta->duration = r->file.duration;
    meta->source = source_of(r);
    if (r->file.period > 1)
        meta->foreign_period = r->file.period < UINT32_MAX ? (uint32_t)r->file.period : UINT32_MAX;
    for (unsigned i = 0; i < MP_FIGURES; i++)
        if (!has(r, (enum mp_figure)i))
            meta->unknown |= 1u << i;
    if (has(r, MP_FIGURE_BYTES) && has(r, MP_FIGURE_KEPT))
        meta->unknown &= ~(1u << MP_FIGURE_FREED);
    if (has(r, MP_FIGURE_ALLOCS) && has(r, MP_FIGURE_KEPT_BLOCKS))
        meta->unknown &= ~(1u << MP_FIGURE_FREES);
    if (!has(r, MP_FIGURE_BYTES))
        mp_maker_at_moment(r->maker);
}

/* ---------------------------------------------------------------- code */

static void
take_build_id(struct mp_module *module, struct mp_piece text)
{
    for (size_t i = 0; i + 1 < text.size && i / 2 < sizeof module->build_id; i += 2) {
        char digits[3] = {text.text[i], text.text[i + 1], '\0'}, *end;
        unsigned long byte = strtoul(digits, &end, 16);

        if (end != digits + 2)
            break;
        module->build_id[i / 2] = (uint8_t)byte;
        module->build_id_size = (uint32_t)(i / 2 + 1);
    }
}

static void
make_modules(struct reader *r)
{
    r->modules = mp_arena_alloc(r->file.arena, r->file.n_mappings * sizeof *r->modules);
    for (uint32_t i = 0; i < r->file.n_mappings; i++) {
        const char *path = text_of(r, r->file.mappings[i].file);

        r->modules[i] = MP_NO_ID;
        if (*path == '\0')
            continue;
        r->modules[i] = mp_maker_module(r->maker, path);
        r->profile->modules[r->modules[i]].in_file = true;
        take_build_id(&r->profile->modules[r->modules[i]], string_of(r, r->file.mappings[i].build_id));
    }
    if (r->profile->n_modules > 0)
        r->profile->meta.program = r->profile->modules[0].path;
}

/* Returns the function with ID of the file, or MP_NO_ID if it is missing. It belongs to the module in which it is met
 * first. */
static uint32_t
function_at(struct reader *r, uint64_t id, uint32_t module)
{
    uint32_t index = mp_map_find_u64(&r->file.function_ids, id);
    const struct function *function;
    const char *name;

    if (index == MP_NO_ID) {
        mp_cursor_fail(&r->cursor, MP_ERR_DAMAGED, "a function is missing");
        return MP_NO_ID;
    }
    function = &r->file.functions[index];
    if (r->functions[index] == MP_NO_ID) {
        name = text_of(r, function->name);
        if (*name == '\0')
            name = text_of(r, function->system_name);
        r->functions[index] = mp_maker_function(r->maker, name, text_of(r, function->file), module);
    }
    return r->functions[index];
}

static void
make_line(struct reader *r, uint32_t frame, struct mp_cursor *lines, const struct mp_proto_field *field)
{
    uint32_t module = r->profile->frames[frame].module;
    struct mp_cursor inner = mp_proto_inner(lines, field);
    uint64_t function = 0, line = 0;
    struct mp_proto_field part;
    const char *file;
    uint32_t made;

    while (mp_proto_next(&inner, &part)) {
        if (part.number == LINE_FUNCTION)
            function = part.value;
        else if (part.number == LINE_NUMBER)
            line = part.value;
    }
    mp_proto_leave(&r->cursor, &inner);
    made = function_at(r, function, module);
    if (made == MP_NO_ID)
        return;
    file = r->profile->functions[made].file;
    mp_maker_line(r->maker, frame, made, line <= UINT32_MAX ? (uint32_t)line : 0, file ? file : "");
}

static uint32_t
make_frame(struct reader *r, const struct location *location)
{
    uint32_t mapping = mp_map_find_u64(&r->file.mapping_ids, location->mapping);
    uint32_t module = mapping != MP_NO_ID ? r->modules[mapping] : MP_NO_ID, frame;
    struct mp_cursor lines = location->lines;
    uint64_t offset = location->address;
    struct mp_proto_field field;

    if (module != MP_NO_ID)
        offset -= r->file.mappings[mapping].start - r->file.mappings[mapping].offset;
    frame = mp_maker_frame(r->maker, module, offset);
    while (mp_proto_next(&lines, &field))
        if (field.number == LOCATION_LINE && field.is_bytes)
            make_line(r, frame, &lines, &field);
    if (r->named && r->profile->frames[frame].n_locations == 0)
        mp_maker_place(r->maker, frame);
    return frame;
}

static void
make_frames(struct reader *r)
{
    struct file *file = &r->file;

    r->functions = mp_arena_alloc(file->arena, file->n_functions * sizeof *r->functions);
    r->frames = mp_arena_alloc(file->arena, file->n_locations * sizeof *r->frames);
    memset(r->functions, 0xff, file->n_functions * sizeof *r->functions);
    for (uint32_t i = 0; i < file->n_locations; i++)
        r->named |= file->locations[i].has_lines;
    for (uint32_t i = 0; i < file->n_locations && !r->cursor.problem; i++)
        r->frames[i] = make_frame(r, &file->locations[i]);
}

/* ---------------------------------------------------------------- samples */

/* Returns the context of the chain. The first location is the innermost. A location with inlined functions is one
 * frame. */
static uint32_t
context_of(struct reader *r)
{
    uint32_t context = 0;

    for (uint32_t i = r->chain.n; i-- > 0;) {
        uint32_t index = mp_map_find_u64(&r->file.location_ids, r->chain.list[i]);

        if (index == MP_NO_ID) {
            mp_cursor_fail(&r->cursor, MP_ERR_DAMAGED, "a location is missing");
            return 0;
        }
        context = mp_maker_context(r->maker, context, r->frames[index]);
    }
    return context;
}

static int64_t
value(const struct reader *r, enum mp_figure figure)
{
    return has(r, figure) ? (int64_t)r->values.list[r->value_of[figure]] : 0;
}

/* Fills COUNTS. Freed memory is the difference of allocated and kept memory. If only kept memory is known, it is also
 * used as the allocated memory. Returns false if the figures are inconsistent. */
static bool
fill_counts(const struct reader *r, struct mp_counts *counts)
{
    int64_t blocks = value(r, MP_FIGURE_KEPT_BLOCKS), bytes = value(r, MP_FIGURE_KEPT);
    int64_t allocs = value(r, MP_FIGURE_ALLOCS), allocated = value(r, MP_FIGURE_BYTES);

    if (!has(r, MP_FIGURE_BYTES)) {
        allocs = blocks;
        allocated = bytes;
    }
    if (blocks < 0 || bytes < 0 || allocs < 0 || allocated < 0 || value(r, MP_FIGURE_TEMPORARY) < 0)
        return false;
    *counts = (struct mp_counts){
        .allocs = (uint64_t)allocs, .bytes = (uint64_t)allocated,
        .frees = allocs > blocks ? (uint64_t)(allocs - blocks) : 0,
        .freed = allocated > bytes ? (uint64_t)(allocated - bytes) : 0,
        .temporary = (uint64_t)value(r, MP_FIGURE_TEMPORARY),
        .peak_bytes = value(r, MP_FIGURE_PEAK_BYTES), .peak_blocks = value(r, MP_FIGURE_PEAK_BLOCKS)};
    return blocks <= allocs && bytes <= allocated;
}

/* Reads the labels "bytes", the block size, and "pid". Ignores others. */
static void
take_label(struct reader *r, const struct mp_proto_field *field, uint64_t *size)
{
    struct mp_cursor inner = mp_proto_inner(&r->cursor, field);
    uint64_t values[LABEL_NUMBER + 1] = {0};
    struct mp_proto_field part;
    struct mp_piece key, text;

    while (mp_proto_next(&inner, &part))
        if (part.number <= LABEL_NUMBER)
            values[part.number] = part.value;
    mp_proto_leave(&r->cursor, &inner);
    key = string_of(r, values[LABEL_KEY]);
    text = string_of(r, values[LABEL_TEXT]);
    if (is_text(key, "bytes") && values[LABEL_NUMBER] > 0)
        *size = values[LABEL_NUMBER];
    else if (is_text(key, "pid") && text.size > 0 && text.size < 10 && r->profile->meta.pid == 0)
        r->profile->meta.pid = (uint32_t)strtoul(mp_text_clean(r->file.arena, text.text, text.size), NULL, 10);
}

static void
take_sample(struct reader *r, const struct mp_proto_field *field)
{
    struct mp_cursor inner = mp_proto_inner(&r->cursor, field);
    uint64_t size = MP_SIZE_UNKNOWN;
    struct mp_proto_field part;
    struct mp_counts counts;

    r->chain.n = r->values.n = 0;
    while (mp_proto_next(&inner, &part)) {
        if (part.number == SAMPLE_LOCATIONS)
            mp_proto_collect(&inner, &part, &r->chain);
        else if (part.number == SAMPLE_VALUES)
            mp_proto_collect(&inner, &part, &r->values);
        else if (part.number == SAMPLE_LABEL && part.is_bytes)
            take_label(r, &part, &size);
    }
    mp_proto_leave(&r->cursor, &inner);
    if (r->values.n != r->file.n_types)
        mp_cursor_fail(&r->cursor, MP_ERR_DAMAGED, "a sample has not as many values as there are types");
    else if (!fill_counts(r, &counts))
        mp_cursor_fail(&r->cursor, MP_ERR_DAMAGED, "a sample is negative, or more is in use than was allocated");
    else if (mp_counts_any(&counts))    /* Go writes samples whose blocks are not counted yet */
        mp_maker_cell(r->maker, context_of(r), size, &counts);
}

static void
take_samples(struct reader *r, const uint8_t *bytes, size_t size)
{
    struct mp_proto_field field;

    r->chain.arena = r->values.arena = r->file.arena;
    mp_cursor_init(&r->cursor, bytes, size, 0);
    for (uint32_t n = 1; mp_proto_next(&r->cursor, &field); n++) {
        if (field.number == PROFILE_SAMPLE && field.is_bytes)
            take_sample(r, &field);
        if (n % 1024 == 0)
            mp_progress(size - mp_cursor_left(&r->cursor), size);
    }
}

/* Sets the peak of the whole program to the sum of its cells' values at the peak. */
static void
set_peak(struct mp_profile *profile)
{
    int64_t bytes = 0, blocks = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        bytes = mp_plus_signed(bytes, profile->cells[i].counts.peak_bytes);
        blocks = mp_plus_signed(blocks, profile->cells[i].counts.peak_blocks);
    }
    profile->meta.peak_bytes = bytes > 0 ? bytes : 0;
    profile->meta.peak_blocks = blocks > 0 ? blocks : 0;
}

/* ---------------------------------------------------------------- the whole */

/* Returns whether FIELD, read from CURSOR, can be a value type, which consists of two numbers. */
static bool
is_type(const struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    struct mp_cursor inner = mp_proto_inner(cursor, field);
    struct mp_proto_field part;

    while (mp_proto_next(&inner, &part))
        if (part.is_bytes || part.number > 2)
            return false;
    return field->is_bytes && !inner.problem;
}

/* Recognises the format by its first fields, because it has no magic number. Their wire types must be right, and a
 * value type must be among them. */
bool
mp_is_pprof(const uint8_t *bytes, size_t size)
{
    static const unsigned of_bytes = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 11;
    struct mp_proto_field field;
    struct mp_cursor cursor;
    bool typed = false;

    mp_cursor_init(&cursor, bytes, size, 0);
    for (unsigned i = 0; i < 8 && mp_proto_next(&cursor, &field); i++) {
        if (field.number > 15 || (field.number != 13 && field.is_bytes != (of_bytes >> field.number & 1)))
            return false;
        if (field.number == 1 && !is_type(&cursor, &field))
            return false;
        typed |= field.number == 1;
    }
    return typed;
}

static bool
read_all(struct reader *r, const uint8_t *bytes, size_t size, struct mp_error *error)
{
    mp_cursor_init(&r->cursor, bytes, size, 0);
    collect(&r->file, &r->cursor);
    find_values(r);
    if (!mp_cursor_error(&r->cursor, r->name, "pprof profile", error))
        return false;
    if (!has(r, MP_FIGURE_BYTES) && !has(r, MP_FIGURE_KEPT))
        return refuse(r, error);
    fill_meta(r);
    make_modules(r);
    make_frames(r);
    if (!mp_cursor_error(&r->cursor, r->name, "pprof profile", error))
        return false;
    take_samples(r, bytes, size);
    set_peak(r->profile);
    return mp_cursor_error(&r->cursor, r->name, "pprof profile", error);
}

struct mp_profile *
mp_import_pprof(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    struct reader r = {.name = name, .maker = mp_maker_new(), .file.arena = mp_arena_new()};
    bool ok;

    r.profile = mp_maker_profile(r.maker);
    ok = read_all(&r, bytes, size, error);
    mp_arena_free(r.file.arena);
    if (ok)
        return mp_maker_end(r.maker, r.named);
    mp_maker_free(r.maker);
    return NULL;
}
