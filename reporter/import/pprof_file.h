/*
 * pprof_file.h -- the contents of a profile.proto file except samples. Fields may come in any order, so everything
 * else must be collected before samples are read. Ids and string indices are copied from the file and checked when
 * used.
 */
#ifndef MP_IMPORT_PPROF_FILE_H
#define MP_IMPORT_PPROF_FILE_H

#include "proto_fields.h"
#include "reporter/base/map.h"

struct mp_pprof_type {
    uint64_t type, unit;        /* string indices */
};

struct mp_pprof_mapping {
    uint64_t id, start, limit, offset, file, build_id;
};

struct mp_pprof_function {
    uint64_t id, name, system_name, file;
};

struct mp_pprof_location {
    uint64_t id, mapping, address;
    struct mp_cursor lines;     /* the whole message, from which lines are read later */
    bool has_lines;
};

struct mp_pprof_file {
    struct mp_pprof_type *types; uint32_t n_types, types_room;
    struct mp_pprof_mapping *mappings;      uint32_t n_mappings, mappings_room;
    struct mp_pprof_function *functions;    uint32_t n_functions, functions_room;
    struct mp_pprof_location *locations;    uint32_t n_locations, locations_room;
    struct mp_import_text *strings; uint32_t n_strings, strings_room;
    struct mp_map mapping_ids, function_ids, location_ids;      /* map ids to indices in the lists above */
    struct mp_proto_numbers comments;       /* string indices */
    uint64_t time, duration, period;        /* ns since 1970; ns; sampling period or 0 if unknown */
    struct mp_arena *arena;
};

/* Collects the contents of CURSOR, which covers the whole file. The caller must check CURSOR for errors afterwards. */
void mp_pprof_collect(struct mp_pprof_file *file, struct mp_cursor *cursor);

/* Returns the string with INDEX. If it does not exist, CURSOR fails. */
struct mp_import_text mp_pprof_string(const struct mp_pprof_file *file, struct mp_cursor *cursor, uint64_t index);

#endif
