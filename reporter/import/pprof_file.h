/*
 * pprof_file.h -- profile.proto as it is in the file: its fields may come in any order, so all but samples is
 * collected first.  Ids and indices of strings are as the file has them, and checked when they are used.
 */
#ifndef MP_IMPORT_PPROF_FILE_H
#define MP_IMPORT_PPROF_FILE_H

#include "proto_fields.h"
#include "reporter/base/map.h"

struct mp_pprof_type {
    uint64_t type, unit;        /* strings */
};

struct mp_pprof_mapping {
    uint64_t id, start, limit, offset, file, build_id;
};

struct mp_pprof_function {
    uint64_t id, name, system_name, file;
};

struct mp_pprof_location {
    uint64_t id, mapping, address;
    struct mp_cursor lines;     /* the whole message, of which lines are to be read */
    bool has_lines;
};

struct mp_pprof_file {
    struct mp_pprof_type *types; uint32_t n_types, types_room;
    struct mp_pprof_mapping *mappings;      uint32_t n_mappings, mappings_room;
    struct mp_pprof_function *functions;    uint32_t n_functions, functions_room;
    struct mp_pprof_location *locations;    uint32_t n_locations, locations_room;
    struct mp_bytes *strings; uint32_t n_strings, strings_room;
    struct mp_map mapping_ids, function_ids, location_ids;      /* to indices in these lists */
    struct mp_proto_numbers comments;       /* strings */
    uint64_t time, duration, period;        /* ns since 1970; ns; 0: not known */
    struct mp_arena *arena;
};

/* Collect what CURSOR, the whole file, has.  It may have failed then. */
void mp_pprof_collect(struct mp_pprof_file *file, struct mp_cursor *cursor);

/* The string with INDEX; CURSOR fails if there is none. */
struct mp_bytes mp_pprof_string(const struct mp_pprof_file *file, struct mp_cursor *cursor, uint64_t index);

#endif
