/*
 * limits_file.h -- limits in a file: the options of mprof check, for all programs and for some.
 *
 *     # for all
 *     max-peak = "40M"
 *     no-leaks = true
 *     suppressions = "known.supp"
 *
 *     [test_parse*]                       # for programs of such names
 *     function = ["^parse:kept=0", "lookup:allocs=100"]
 *
 * That is TOML (toml.io) as far as it goes; besides, quotes may be left out, and an option may come again.
 */
#ifndef MP_LIMITS_FILE_H
#define MP_LIMITS_FILE_H

#include "reporter/base/arena.h"
#include "reporter/base/error.h"

/* Options as an argument vector: argv[0] is "", and behind the last stands NULL. */
struct mp_limits_argv {
    char **list;                /* in the arena */
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned */
};

/* Add those of the file PATH that are for PROGRAM, the last component of its path.  False and *ERROR: it cannot be
 * read, or a line makes no sense, whomever it is for. */
bool mp_limits_file_read(const char *path, const char *program, struct mp_limits_argv *options,
                         struct mp_error *error);

#endif
