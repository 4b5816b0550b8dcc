/* SPDX-License-Identifier: MIT */
#include "symbol_package.h"

#include <dirent.h>
#include <fcntl.h>
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

#define FOLDER      "/var/lib/dpkg/info"
#define SUFFIX      ".list"
#define MOST_LIST   ((size_t)64 << 20)  /* in bytes, of the list of a package; the rest is not read */

/* Returns PATH without the first directory if that is /usr, because packages may have files at /lib that a system
 * with merged directories has in /usr/lib. */
static const char *
without_usr(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
}

/* Returns whether packages have files at PATH, which is without_usr(). */
static bool
is_packaged(const char *path)
{
    static const char *const folders[] = {"/lib", "/bin/", "/sbin/", "/libexec/", "/opt/", "/games/"};

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
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

/* Adds the paths in the SIZE bytes TEXT to the files of PACKAGE. Many packages have the same directories. */
static void
add_paths(const char *package, char *text, size_t size)
{
    for (char *line = text, *end; line < text + size; line = end + 1) {
        const uint32_t next = files.paths.count;

        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL)
            return;
        *end = '\0';
        line = (char *)without_usr(line);
        if (!is_packaged(line))
            continue;
        files.packages = mp_arena_grow(files.arena, files.packages, next, &files.room, sizeof *files.packages);
        files.packages[next] = package;
        mp_map_add_u64(&files.paths, hash_path(line));
    }
}

/* Reads LIST in FOLDER into TEXT, which has MOST_LIST bytes. */
static void
read_list(int folder, const char *list, char *text)
{
    const int fd = mp_open_at(folder, list, O_RDONLY);
    const ssize_t size = fd < 0 ? -1 : pread(fd, text, MOST_LIST, 0);

    if (size > 0)
        add_paths(debug_package(list, files.arena), text, (size_t)size);
    if (fd >= 0)
        close(fd);
}

/* Reads the lists, unless they were read and no package was installed or removed since. */
static void
read_lists(void)
{
    const size_t suffix = strlen(SUFFIX);
    struct stat status;
    DIR *folder;
    char *text;

    if (stat(FOLDER, &status) != 0 ||
        (files.arena != NULL && files.changed.tv_sec == status.st_mtim.tv_sec &&
         files.changed.tv_nsec == status.st_mtim.tv_nsec))
        return;
    mp_arena_free(files.arena);
    memset(&files, 0, sizeof files);
    files.paths.arena = files.arena = mp_arena_new();
    files.changed = status.st_mtim;
    text = malloc(MOST_LIST);           /* only what lists fill becomes memory */
    folder = text == NULL ? NULL : opendir(FOLDER);
    for (struct dirent *at; folder != NULL && (at = readdir(folder)) != NULL;) {
        const size_t length = strlen(at->d_name);

        if (length > suffix && strcmp(at->d_name + length - suffix, SUFFIX) == 0)
            read_list(dirfd(folder), at->d_name, text);
    }
    if (folder != NULL)
        closedir(folder);
    free(text);
}

void
mp_symbol_packages(struct mp_profile *profile, const bool *wanted)
{
    bool read = false;

    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const char *path = without_usr(profile->modules[i].path);
        uint32_t id;

        if (!wanted[i] || !is_packaged(path))
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
