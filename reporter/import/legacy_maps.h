/* legacy_maps.h -- mapped files, as listed in the last part of a text heap profile in the format of /proc/PID/maps. */
#ifndef MP_IMPORT_LEGACY_MAPS_H
#define MP_IMPORT_LEGACY_MAPS_H

#include "maker.h"

struct mp_mapped {
    uint64_t start, end, offset;        /* addresses; file offset that corresponds to `start` */
    uint32_t module;
    bool allocator;             /* whether this is the library that wrote the profile */
};

struct mp_mapped_files {
    struct mp_mapped *list; uint32_t n, room;
    const char *program;        /* path of the first file with executable code, or NULL */
    struct mp_maker *maker;
    struct mp_arena *arena;
    struct mp_import_text build;      /* value of "build=DIR" */
};

/* Adds a line in the format of /proc/PID/maps, or of pprof's list: "40000000-40015000: /lib/ld.so". The line has no
 * blanks at its end. A line "build=DIR" defines the value that replaces "$build" in later lines. Ignores mappings
 * without a file and other lines. */
void mp_mapped_files_add(struct mp_mapped_files *files, const char *line, size_t length);

/* Sorts the mappings. Must be called after the last line and before mp_mapped_files_find(). */
void mp_mapped_files_sort(struct mp_mapped_files *files);

/* Returns the mapping at ADDRESS, or NULL. */
const struct mp_mapped *mp_mapped_files_find(const struct mp_mapped_files *files, uint64_t address);

/* Reads a hexadecimal number at *AT and advances *AT. Returns false if there is no number or it is too large. */
bool mp_take_hex(const char **at, const char *end, uint64_t *number);

#endif
