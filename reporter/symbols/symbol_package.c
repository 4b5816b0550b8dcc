#include "symbol_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/map.h"
#include "reporter/base/open_file.h"

#define FOLDER      "/var/lib/dpkg/info"
#define SUFFIX      ".list"
#define MOST_LIST   ((off_t)64 << 20)   /* in bytes, maximum size of the list of a package */

/* Returns PATH without the first directory if that is /usr, because packages may have files at /lib that a system
 * with merged directories has in /usr/lib. */
static const char *
without_usr(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
}

/* Returns whether packages have files at PATH. */
static bool
is_packaged(const char *path)
{
    static const char *const folders[] = {"/lib", "/bin/", "/sbin/", "/libexec/", "/opt/", "/games/"};

    path = without_usr(path);
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

/* The modules whose packages are searched. */
struct search {
    struct mp_profile *profile;
    struct mp_map paths;        /* without_usr() */
    uint32_t *modules;          /* the module of each path */
    uint32_t left;              /* number of modules without a package */
};

/* Looks for the paths of modules in the SIZE bytes TEXT of LIST. */
static void
search_list(struct search *search, const char *list, char *text, size_t size)
{
    for (char *line = text, *end; line < text + size && search->left > 0; line = end + 1) {
        uint32_t number;

        end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL)
            return;
        *end = '\0';
        line = (char *)without_usr(line);
        number = mp_map_find(&search->paths, line, (size_t)(end - line));
        if (number == MP_NO_ID || search->profile->modules[search->modules[number]].package != NULL)
            continue;
        search->profile->modules[search->modules[number]].package = debug_package(list, search->profile->arena);
        search->left--;
    }
}

static void
read_list(struct search *search, int folder, const char *list)
{
    const int fd = mp_open_at(folder, list, O_RDONLY);
    struct stat status;
    char *text = NULL;
    ssize_t size = -1;

    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size <= MOST_LIST &&
        (text = malloc((size_t)status.st_size + 1)) != NULL)
        size = pread(fd, text, (size_t)status.st_size, 0);
    if (size > 0)
        search_list(search, list, text, (size_t)size);
    free(text);
    if (fd >= 0)
        close(fd);
}

void
mp_symbol_packages(struct mp_profile *profile, const bool *wanted)
{
    struct mp_arena *arena = mp_arena_new();
    struct search search = {.profile = profile, .paths.arena = arena};
    DIR *folder;

    search.modules = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *search.modules);
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const char *path = profile->modules[i].path;
        const uint32_t known = search.paths.count;

        if (wanted[i] && is_packaged(path) &&
            mp_map_add(&search.paths, without_usr(path), strlen(without_usr(path))) == known)
            search.modules[known] = i;
    }
    search.left = search.paths.count;
    folder = search.left > 0 ? opendir(FOLDER) : NULL;
    for (struct dirent *at; folder != NULL && search.left > 0 && (at = readdir(folder)) != NULL;) {
        const size_t length = strlen(at->d_name), suffix = strlen(SUFFIX);

        if (length > suffix && strcmp(at->d_name + length - suffix, SUFFIX) == 0)
            read_list(&search, dirfd(folder), at->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    mp_arena_free(arena);
}
