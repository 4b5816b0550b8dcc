/*
 * legacy_names.h -- what a text heap profile states about addresses: the files that are mapped there, in the format of
 * /proc/PID/maps at its end, and names of functions:
 *
 *     0x000055d70e6c9167 grow--inlined            symbol section that pprof --raw puts before a profile
 *     # 0x4b3c33 main.grow+0x53 /tmp/g.go:4       comments that Go puts after a chain, separated by tabs
 */
#ifndef MP_IMPORT_LEGACY_NAMES_H
#define MP_IMPORT_LEGACY_NAMES_H

#include "maker.h"
#include "reporter/base/map.h"

/* ---------------------------------------------------------------- mapped files */

struct mp_mapped {
    uint64_t start, end, offset;        /* addresses; file offset that corresponds to `start` */
    uint32_t module;
    bool allocator;             /* the library that wrote the profile; its innermost frames are left out,
                                 * because they do not show who allocates */
};

struct mp_mapped_files {
    struct mp_mapped *list; uint32_t n, room;
    const char *program;        /* path of the first file with executable code, or NULL */
    struct mp_maker *maker;
    struct mp_arena *arena;
    struct mp_piece build;      /* value of "build=DIR" */
};

/* Adds a line in the format of /proc/PID/maps, or of pprof's list: "40000000-40015000: /lib/ld.so". The line has no
 * blanks at its end. A line "build=DIR" defines the value that replaces "$build" in later lines. Ignores mappings
 * without a file and other lines. */
void mp_mapped_files_add(struct mp_mapped_files *files, const char *line, size_t length);

/* Sorts the mappings. Must be called after the last line and before mp_mapped_files_find(). */
void mp_mapped_files_sort(struct mp_mapped_files *files);

/* Returns the mapping at ADDRESS, or NULL. */
const struct mp_mapped *mp_mapped_files_find(const struct mp_mapped_files *files, uint64_t address);

/* ---------------------------------------------------------------- names */

struct mp_legacy_name;

struct mp_legacy_names {
    struct mp_arena *arena;
    struct mp_map addresses;    /* addresses with names; uses the same arena */
    struct mp_map functions, plain;     /* symbol names with and without pprof's suffix; use the same arena */
    uint32_t *n_functions, n_room;      /* number of functions that differ in the suffix only, by id of `plain` */
    struct mp_legacy_name **list; uint32_t room;        /* names by id of the address, the innermost inlined function
                                                         * first */
    uint64_t last;              /* address of the previous line if that was a comment, else 0 */
    struct mp_legacy_name **end;        /* where to append the next function of the last address */
    bool comments;              /* whether there were any comments */
};

/* Reads a line of the symbol section, without blanks at its end. Ignores lines of other kinds. */
void mp_legacy_names_symbol(struct mp_legacy_names *names, const char *line, size_t length);

/* Reads a line of a profile, without blanks at its end. Ignores lines that are not comments of Go. */
void mp_legacy_names_comment(struct mp_legacy_names *names, const char *line, size_t length);

/* Gives FRAME the names of the call that returns to ADDRESS. Returns false if the file has no names for it. */
bool mp_legacy_names_apply(const struct mp_legacy_names *names, uint64_t address, struct mp_maker *maker,
                           uint32_t frame);

/* Returns whether the call that returns to ADDRESS has names. */
bool mp_legacy_names_has(const struct mp_legacy_names *names, uint64_t address);

/* Reads a hexadecimal number at *AT and advances *AT. Returns false if there is no number or it is too large. */
bool mp_take_hex(const char **at, const char *end, uint64_t *number);

#endif
