#include "pprof_file.h"

enum {
    PROFILE_TYPE = 1, PROFILE_MAPPING = 3, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
    PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_PERIOD = 12, PROFILE_COMMENT
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };

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
take_type(struct mp_pprof_file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    uint64_t values[3] = {0};

    take_numbers(cursor, field, values, 3);
    *ADD(file, types) = (struct mp_pprof_type){values[1], values[2]};
}

static void
take_mapping(struct mp_pprof_file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    uint64_t values[7] = {0};

    take_numbers(cursor, field, values, 7);
    if (mp_map_add_u64(&file->mapping_ids, values[1]) != file->n_mappings) {
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two mappings have one id");
        return;
    }
    *ADD(file, mappings) = (struct mp_pprof_mapping){
        values[1], values[2], values[3], values[4], values[5], values[6]};
}

static void
take_function(struct mp_pprof_file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    uint64_t values[5] = {0};

    take_numbers(cursor, field, values, 5);
    if (mp_map_add_u64(&file->function_ids, values[1]) != file->n_functions) {
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "two functions have one id");
        return;
    }
    *ADD(file, functions) = (struct mp_pprof_function){
        values[1], values[2], values[3], values[4]};
}

static void
take_location(struct mp_pprof_file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
{
    struct mp_cursor inner = mp_proto_inner(cursor, field);
    struct mp_pprof_location location = {.lines = inner};
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
take(struct mp_pprof_file *file, struct mp_cursor *cursor, const struct mp_proto_field *field)
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

void
mp_pprof_collect(struct mp_pprof_file *file, struct mp_cursor *cursor)
{
    struct mp_proto_field field;

    file->mapping_ids.arena = file->function_ids.arena = file->location_ids.arena = file->arena;
    file->comments.arena = file->arena;
    while (mp_proto_next(cursor, &field))
        take(file, cursor, &field);
}

struct mp_import_text
mp_pprof_string(const struct mp_pprof_file *file, struct mp_cursor *cursor, uint64_t index)
{
    if (index < file->n_strings)
        return file->strings[index];
    if (index > 0)              /* string 0 is empty, even if the table is missing */
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "a text is missing");
    return (struct mp_import_text){"", 0};
}
