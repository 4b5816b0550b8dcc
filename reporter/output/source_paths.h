/*
 * source_paths.h -- where a source file is now: debug information has the path that it was compiled at.
 */
#ifndef MP_SOURCE_PATHS_H
#define MP_SOURCE_PATHS_H

#include <stddef.h>

#include "reporter/base/arena.h"

struct mp_source_paths {
    const char *const *folders; /* n of them, searched first */
    size_t n;
};

/* The file that PATH is: FOLDER/a/b.c, else FOLDER/b.c and so on, for each folder in turn and PATH /a/b.c;
 * the first that can be read.  PATH itself if none can.  In ARENA, or PATH. */
const char *mp_source_path(const struct mp_source_paths *paths, const char *path,
                           struct mp_arena *arena);

#endif
