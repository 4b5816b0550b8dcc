/* source_paths.h -- finds source files that have moved. Debug information contains the path at compile time. */
#ifndef MP_SOURCE_PATHS_H
#define MP_SOURCE_PATHS_H

#include <stddef.h>

#include "reporter/base/arena.h"

struct mp_source_paths {
    const char *const *folders; /* n folders, searched in this order */
    size_t n;
};

/* Returns the current location of PATH. For PATH /a/b.c, tries FOLDER/a/b.c, FOLDER/b.c and so on in each folder, and
 * returns the first regular file, allocated in ARENA. Returns PATH itself if none exists. */
const char *mp_source_path(const struct mp_source_paths *paths, const char *path,
                           struct mp_arena *arena);

#endif
