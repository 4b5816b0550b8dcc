/* SPDX-License-Identifier: MIT */
/*
 * source_paths.h -- finds source files, and decides which of them may be shown.
 *
 * The name of a source file comes from debug information or from a data file. Whoever wrote these may have named any
 * file, also a private one of the user who reads the recording. So text is shown only of files below the current
 * directory and below directories that the user names. The current directory does not count if it is `/`, or is or
 * contains the home directory, because nobody entered it for its sources. Symbolic links and `..` are resolved before
 * this is decided. A hard link cannot be recognised.
 */
#ifndef MP_SOURCE_PATHS_H
#define MP_SOURCE_PATHS_H

#include <stddef.h>

#include "reporter/base/arena.h"

struct mp_source_paths {
    const char *const *folders; /* n directories named by the user, as realpath(3) returns them, in order of search */
    size_t n;
};

/* Why the source file cannot be used, or only with doubts. Another directory of sources may help up to
 * MP_SOURCE_MISSING. */
enum mp_source_problem {
    MP_SOURCE_NONE,
    MP_SOURCE_CHANGED,          /* has been written since the recording began: its lines may be others */
    MP_SOURCE_UNDATED,          /* the same is possible, because it is unknown when the recording began */
    MP_SOURCE_OUTSIDE,          /* may not be shown: it is in another directory */
    MP_SOURCE_AT_HOME,          /* may not be shown: it is below the current directory, which does not count */
    MP_SOURCE_HIDDEN,           /* may not be shown: it, or a directory below the allowed one, begins with a dot */
    MP_SOURCE_MISSING,
    MP_SOURCE_UNREADABLE,       /* cannot be opened or read, or is not a regular file */
    MP_SOURCE_NO_TEXT,          /* contains a zero byte */
    MP_SOURCE_TOO_LARGE,
    MP_SOURCE_PROBLEMS          /* number of the above */
};

/* Descriptions, which can follow the name or the number of files. The first is NULL. */
extern const char *const mp_source_problem_words[MP_SOURCE_PROBLEMS];

/* Returns the resolved path of the file that was called PATH when it was compiled, in ARENA. If PATH is missing or may
 * not be shown, tries FOLDER/a/b.c, FOLDER/b.c and so on in each folder, for PATH /a/b.c. If PATHS is NULL, tries only
 * PATH, wherever it is. If no file is found that may be shown, returns NULL and sets *PROBLEM to that of PATH. */
const char *mp_source_find(const struct mp_source_paths *paths, const char *path, struct mp_arena *arena,
                           enum mp_source_problem *problem);

#endif
