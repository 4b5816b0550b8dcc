/* legacy_maps.h -- which file is mapped where, as /proc/PID/maps has it: the last part of a text of heap profilers. */
#ifndef MP_IMPORT_LEGACY_MAPS_H
#define MP_IMPORT_LEGACY_MAPS_H

#include "maker.h"

struct mp_mapped {
    uint64_t start, end, offset;        /* addresses; of what is at `start` in the file */
    uint32_t module;
    bool allocator;             /* the library that wrote the profile */
};

struct mp_mapped_files {
    struct mp_mapped *list; uint32_t n, room;
    const char *program;        /* the first of which there is code; NULL: none */
    struct mp_maker *maker;
    struct mp_arena *arena;
    struct mp_bytes build;      /* of "build=DIR" */
};

/* Take a line, as /proc/PID/maps has it, or of pprof's list: "40000000-40015000: /lib/ld.so", and "build=DIR", which
 * then replaces "$build".  What is not of a file, and what is no mapping at all, is left out. */
void mp_mapped_files_add(struct mp_mapped_files *files, const char *line, size_t length);

/* After the last. */
void mp_mapped_files_sort(struct mp_mapped_files *files);

/* What is mapped at ADDRESS; NULL: no file. */
const struct mp_mapped *mp_mapped_files_find(const struct mp_mapped_files *files, uint64_t address);

/* A number of base 16 at *AT, which then is behind it; false: there is none, or too large a one. */
bool mp_take_hex(const char **at, const char *end, uint64_t *number);

#endif
