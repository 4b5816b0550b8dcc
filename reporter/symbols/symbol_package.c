/* SPDX-License-Identifier: MIT */
#include "symbol_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/fnv.h"
#include "reporter/base/map.h"
#include "reporter/base/open_file.h"
#include "reporter/base/search.h"
#include "reporter/view/startup_frames.h"

#define FOLDER "/var/lib/dpkg/info"
#define SUFFIX ".list"

/* Returns PATH without the first directory if that is /usr, because packages may have files at /lib that a system
 * with merged directories has in /usr/lib. */
static const char *
without_usr(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
}

/* Returns whether PATH, which is without_usr(), can be a module of a package. A library has a name like libc.so.6,
 * asdf.fas or cc1. Most other files of packages, such as headers and Python's, have another suffix. */
static bool
can_be_module(const char *path)
{
    static const char *const folders[] = {"/bin/", "/sbin/", "/games/", "/lib", "/libexec/", "/opt/"};
    const char *name = strrchr(path, '/');
    uint32_t i = 0;

    while (i < sizeof folders / sizeof *folders && strncmp(path, folders[i], strlen(folders[i])) != 0)
        i++;
    return i < 3 || (i < sizeof folders / sizeof *folders &&
                     (!strchr(name, '.') || strstr(name, ".so") || strstr(name, ".fas")));
}

/* Returns the name of the package whose debug information belongs to the package with LIST, its file in dpkg's
 * database. */
static const char *
debug_package(const char *list, struct mp_arena *arena)
{
    const int length = (int)(strcspn(list, ":") < strlen(list) - strlen(SUFFIX) ? strcspn(list, ":")
                                                                                : strlen(list) - strlen(SUFFIX));

    return mp_arena_printf(arena, "%.*s-%s", length, list,
                           strncmp(list, "libc6:", 6) == 0 || strcmp(list, "libc6" SUFFIX) == 0 ? "dbg" : "dbgsym");
}

/* The files of all packages. A run of many processes asks for many files, so the lists are read once. Paths are known
 * by their hash only: a wrong answer is improbable, and no more than a wrong hint. */
static struct {
    struct mp_arena *arena;     /* NULL if the lists were not read */
    struct mp_map paths;        /* hash_path() of those that can be modules */
    const char **packages;      /* the package of each */
    uint32_t room;
    struct timespec changed;    /* of the folder, when the lists were read */
} files;

/* Returns the hash of PATH, which is without_usr(). */
static uint64_t
hash_path(const char *path)
{
    return mp_fnv(MP_FNV_BEGIN, path, strlen(path));
}

/* Adds PATH to the files of PACKAGE, if it can be a module. Many packages have the same directories. */
static void
add_path(const char *package, const char *path)
{
    const uint32_t next = files.paths.count;

    if (!can_be_module(path))
        return;
    files.packages = mp_arena_grow(files.arena, files.packages, next, &files.room, sizeof *files.packages);
    files.packages[next] = package;
    mp_map_add_u64(&files.paths, hash_path(path));
}

/* Adds the paths in LIST, a file in FOLDER with a path in each line. */
static void
read_list(int folder, const char *list)
{
    const char *package = debug_package(list, files.arena);
    const int fd = mp_open_at(folder, list, O_RDONLY);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    char *line = NULL;
    size_t room = 0;

    for (ssize_t n; file != NULL && (n = getline(&line, &room, file)) > 0;) {
        line[n - 1] = '\0';
        add_path(package, without_usr(line));
    }
    free(line);
    if (file != NULL)
        fclose(file);
    else if (fd >= 0)
        close(fd);
}

/* Reads the lists, unless they were read and no package was installed or removed since. */
static void
read_lists(void)
{
    const size_t suffix = strlen(SUFFIX);
    struct stat status;
    DIR *folder;

    if (stat(FOLDER, &status) != 0 ||
        (files.arena != NULL && files.changed.tv_sec == status.st_mtim.tv_sec &&
         files.changed.tv_nsec == status.st_mtim.tv_nsec))
        return;
    mp_arena_free(files.arena);
    memset(&files, 0, sizeof files);
    files.paths.arena = files.arena = mp_arena_new();
    files.changed = status.st_mtim;
    folder = opendir(FOLDER);
    for (struct dirent *at; folder != NULL && (at = readdir(folder)) != NULL;) {
        const size_t length = strlen(at->d_name);

        if (length > suffix && strcmp(at->d_name + length - suffix, SUFFIX) == 0)
            read_list(dirfd(folder), at->d_name);
    }
    if (folder != NULL)
        closedir(folder);
}

void
mp_symbol_packages(struct mp_profile *profile, const bool *wanted)
{
    bool read = false;

    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const char *path = without_usr(profile->modules[i].path);
        uint32_t id;

        if (!wanted[i] || !can_be_module(path))
            continue;
        if (!read)
            read_lists();
        read = true;
        id = mp_map_find_u64(&files.paths, hash_path(path));
        if (id != MP_NO_ID)
            profile->modules[i].package = mp_arena_strdup(profile->arena, files.packages[id]);
    }
}

/* Returns, for each context, whether it or a caller that does not only start the program has a source line. */
static bool *
find_lines(const struct mp_profile *profile, struct mp_arena *arena)
{
    const bool *startup = mp_startup_contexts(profile, arena);
    bool *known = mp_arena_alloc(arena, profile->n_contexts * sizeof *known);

    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        const struct mp_frame *frame = &profile->frames[profile->contexts[i].frame];

        known[i] = known[profile->contexts[i].parent];
        for (uint32_t j = 0; j < frame->n_locations && !startup[i] && !known[i]; j++)
            known[i] = profile->locations[frame->first_location + j].line > 0;
    }
    return known;
}

/* Returns the module that allocates the most bytes in chains without lines, if these are most bytes of C. Otherwise
 * returns MP_NO_ID. */
static uint32_t
find_lineless(const struct mp_profile *profile, struct mp_arena *arena)
{
    const bool *known = find_lines(profile, arena);
    uint64_t *bytes = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *bytes), with = 0, without = 0;
    uint32_t most = MP_NO_ID;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const uint32_t frame = profile->contexts[cell->context].frame;
        const uint32_t module = frame < profile->n_frames ? profile->frames[frame].module : MP_NO_ID;

        if (mp_is_lisp(cell))
            continue;
        if (known[cell->context] || module == MP_NO_ID) {
            with = mp_plus(with, cell->counts.bytes);
            continue;
        }
        without = mp_plus(without, cell->counts.bytes);
        bytes[module] = mp_plus(bytes[module], cell->counts.bytes);
        if (most == MP_NO_ID || bytes[module] > bytes[most])
            most = module;
    }
    return without > with ? most : MP_NO_ID;
}

const char *
mp_symbol_lines(struct mp_profile *profile)
{
    struct mp_arena *arena = mp_arena_new();
    const uint32_t id = find_lineless(profile, arena);
    bool *wanted = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *wanted);
    const char *text = NULL;

    if (id != MP_NO_ID) {
        const struct mp_module *module = &profile->modules[id];

        wanted[id] = !module->package;
        if (wanted[id])
            mp_symbol_packages(profile, wanted);
        text = mp_arena_printf(profile->arena, "No source lines are known of %s: %s%s%scompile it with -g.",
                               module->name, module->package ? "on Debian, apt install " : "",
                               module->package ? module->package : "", module->package ? ", or " : "");
    }
    mp_arena_free(arena);
    return text;
}
