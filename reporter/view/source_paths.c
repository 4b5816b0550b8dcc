/* SPDX-License-Identifier: MIT */
#include "source_paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const mp_source_problem_words[MP_SOURCE_PROBLEMS] = {
    [MP_SOURCE_CHANGED] = "changed",
    [MP_SOURCE_UNDATED] = "may have changed",
    [MP_SOURCE_OUTSIDE] = "outside of the current directory and --source",
    [MP_SOURCE_AT_HOME] = "not below --source, and the current directory contains the home directory",
    [MP_SOURCE_HIDDEN] = "hidden",
    [MP_SOURCE_MISSING] = "missing",
    [MP_SOURCE_UNREADABLE] = "unreadable",
    [MP_SOURCE_NO_TEXT] = "not text",
    [MP_SOURCE_TOO_LARGE] = "too large",
};

/* Returns the length of FOLDER, without the slash of the root directory. */
static size_t
length_of(const char *folder)
{
    const size_t length = strlen(folder);

    return length == 1 ? 0 : length;
}

/* Returns whether PATH is below FOLDER. Both paths are resolved. */
static bool
is_below(const char *folder, const char *path)
{
    const size_t length = length_of(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Returns what forbids to show the file PATH because of FOLDER. Both paths are resolved. */
static enum mp_source_problem
problem_in(const char *folder, const char *path)
{
    if (!is_below(folder, path))
        return MP_SOURCE_OUTSIDE;
    return strstr(path + length_of(folder), "/.") ? MP_SOURCE_HIDDEN : MP_SOURCE_NONE;
}

/* Returns whether FOLDER, which is resolved, is the root directory, or is or contains the home directory. */
static bool
contains_home(const char *folder)
{
    const char *name = getenv("HOME");
    char *home = name && *name ? realpath(name, NULL) : NULL;
    const bool contains = length_of(folder) == 0 || (home && (strcmp(home, folder) == 0 || is_below(folder, home)));

    free(home);
    return contains;
}

/* Returns what forbids to show the file with the resolved PATH because of the current directory. */
static enum mp_source_problem
problem_here(const char *path)
{
    char *here = getcwd(NULL, 0);
    enum mp_source_problem problem = here ? problem_in(here, path) : MP_SOURCE_OUTSIDE;

    if (problem != MP_SOURCE_OUTSIDE && contains_home(here))
        problem = MP_SOURCE_AT_HOME;
    free(here);
    return problem;
}

/* Returns what forbids to show the file with the resolved PATH. */
static enum mp_source_problem
problem_of(const struct mp_source_paths *paths, const char *path)
{
    enum mp_source_problem problem = problem_here(path);

    for (size_t i = 0; i < paths->n && problem != MP_SOURCE_NONE; i++) {
        enum mp_source_problem other = problem_in(paths->folders[i], path);

        problem = other == MP_SOURCE_OUTSIDE ? problem : other;
    }
    return problem;
}

/* Returns the resolved path of the file NAME, in ARENA, or NULL if it cannot be found or may not be shown. Then sets
 * *PROBLEM. */
static const char *
resolve(const struct mp_source_paths *paths, const char *name, struct mp_arena *arena, enum mp_source_problem *problem)
{
    char *path = realpath(name, NULL);
    const char *copy = NULL;

    if (path)
        *problem = paths ? problem_of(paths, path) : MP_SOURCE_NONE;
    else
        *problem = errno == ENOENT || errno == ENOTDIR ? MP_SOURCE_MISSING : MP_SOURCE_UNREADABLE;
    if (*problem == MP_SOURCE_NONE)
        copy = mp_arena_strdup(arena, path);
    free(path);
    return copy;
}

/* Searches FOLDER for the last components of PATH. */
static const char *
find_in(const struct mp_source_paths *paths, const char *folder, const char *path, struct mp_arena *arena)
{
    const char *found = NULL;

    for (; path && !found; path = strchr(path, '/')) {
        enum mp_source_problem problem;
        struct stat status;
        char *name;

        path += strspn(path, "/");
        if (asprintf(&name, "%s/%s", folder, path) < 0)
            mp_no_memory();
        if (stat(name, &status) == 0 && S_ISREG(status.st_mode))
            found = resolve(paths, name, arena, &problem);
        free(name);
    }
    return found;
}

const char *
mp_source_find(const struct mp_source_paths *paths, const char *path, struct mp_arena *arena,
               enum mp_source_problem *problem)
{
    const char *found = resolve(paths, path, arena, problem);

    for (size_t i = 0; paths && i < paths->n && !found; i++)
        found = find_in(paths, paths->folders[i], path, arena);
    return found;
}
