#include "source_paths.h"

#include <string.h>
#include <sys/stat.h>

static const char *
find_in(const char *folder, const char *path, struct mp_arena *arena)
{
    struct stat status;

    for (; path; path = strchr(path, '/')) {
        const char *found;

        path += strspn(path, "/");
        found = mp_arena_printf(arena, "%s/%s", folder, path);
        if (*path && stat(found, &status) == 0 && S_ISREG(status.st_mode))
            return found;
    }
    return NULL;
}

const char *
mp_source_path(const struct mp_source_paths *paths, const char *path, struct mp_arena *arena)
{
    for (size_t i = 0; i < paths->n; i++) {
        const char *found = find_in(paths->folders[i], path, arena);

        if (found)
            return found;
    }
    return path;
}
