/* SPDX-License-Identifier: MIT */
#include "installed.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/base/text.h"

/* Returns the length of the common folders at the beginning of A and B, up to a slash or the end. */
static size_t
common_folders(const char *a, const char *b)
{
    size_t common = 0;

    for (size_t i = 0;; i++) {
        bool end_a = a[i] == '\0' || a[i] == '/', end_b = b[i] == '\0' || b[i] == '/';

        if (end_a && end_b)
            common = i;
        if (a[i] != b[i] || a[i] == '\0')
            return common;
    }
}

char *
mp_installed_way(const char *from, const char *to)
{
    size_t common = common_folders(from, to);
    struct mp_text_stream way;
    FILE *stream = mp_text_open(&way);

    for (const char *c = from + common; *c; c++)
        if (*c == '/' && c[1] != '/' && c[1] != '\0')
            fputs("../", stream);
    fputs(to + common + strspn(to + common, "/"), stream);
    return mp_text_close(&way);
}

static char *
own_folder(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    char *slash;

    if (n < 0)
        return NULL;
    path[n] = '\0';
    slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
    return strdup(path);
}

/* Returns the path of FOLDER/MIDDLE/NAME, or NULL if the file cannot be read. Links and ".." in the folders are
 * resolved. NAME stays as it is, because it may be a link to a file whose name changes with its version. FOLDER and
 * MIDDLE may be NULL. */
static char *
candidate(const char *folder, const char *middle, const char *name)
{
    char *path, *real, *found;

    if (!folder || !middle || asprintf(&path, "%s/%s", folder, middle) < 0)
        return NULL;
    real = realpath(path, NULL);
    free(path);
    if (!real || asprintf(&found, "%s/%s", real, name) < 0)
        found = NULL;
    free(real);
    if (found && access(found, R_OK) != 0) {
        free(found);
        found = NULL;
    }
    return found;
}

char *
mp_installed_find(const char *build, const char *folder, const char *name)
{
    char *own = own_folder(), *way = mp_installed_way(MP_BINDIR, folder);
    char *path = candidate(own, build, name);

    if (!path)
        path = candidate(own, way, name);
    if (!path)
        path = candidate(folder, ".", name);
    free(way);
    free(own);
    return path;
}
