/* SPDX-License-Identifier: MIT */
/*
 * limits_file.h -- reads limits from a file, which contains options of mprof check for all programs and for some.
 *
 *     # for all programs
 *     max-peak = "40M"
 *     no-leaks = true
 *     suppressions = "known.supp"
 *
 *     [test_parse*]                         # for programs with such names
 *     limit-function = ["^parse:kept=0", "lookup:allocs=100"]
 *
 * The format is a subset of TOML (toml.io). In addition, quotes are optional and an option may be repeated.
 */
#ifndef MP_LIMITS_FILE_H
#define MP_LIMITS_FILE_H

#include "reporter/base/arena.h"
#include "reporter/base/error.h"

/* Options as an argument vector: argv[0] is "", and NULL follows the last. */
struct mp_limits_argv {
    char **list;                /* allocated in the arena */
    uint32_t n, room;
    struct mp_arena *arena;     /* not owned */
};

/* Adds the options of the file PATH that apply to PROGRAM, which is a file name without folder. Returns false and
 * sets *ERROR if the file cannot be read or any of its lines is invalid. */
bool mp_limits_file_read(const char *path, const char *program, struct mp_limits_argv *options,
                         struct mp_error *error);

#endif
