#include "preload.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/sanitizer.h"

#define LIBRARY "libmprof.so"

/* Bytes of the folders that A and B begin with in common, up to and with a slash or the end. */
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
mp_preload_relative(const char *from, const char *to)
{
    size_t common = common_folders(from, to), size;
    char *text = NULL;
    FILE *stream = open_memstream(&text, &size);

    if (!stream)
        return NULL;
    for (const char *c = from + common; *c; c++)
        if (*c == '/' && c[1] != '/' && c[1] != '\0')
            fputs("../", stream);
    fputs(to + common + strspn(to + common, "/"), stream);
    fclose(stream);
    return text;
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

/* FOLDER/MIDDLE/libmprof.so if it can be read. */
static char *
candidate(const char *folder, const char *middle)
{
    char *path, *real;

    if (!folder || !middle || asprintf(&path, "%s/%s/" LIBRARY, folder, middle) < 0)
        return NULL;
    real = access(path, R_OK) == 0 ? realpath(path, NULL) : NULL;
    free(path);
    return real;
}

static char *
search(void)
{
    char *folder = own_folder(), *relative = mp_preload_relative(MP_BINDIR, MP_LIBDIR);
    char *path = candidate(folder, ".libs");

    if (!path)
        path = candidate(folder, relative);
    if (!path)
        path = candidate(MP_LIBDIR, ".");
    free(relative);
    free(folder);
    return path;
}

char *
mp_preload_find(struct mp_error *error)
{
    const char *asked = getenv("MPROF_LIBRARY");
    char *path;

    if (asked && *asked) {
        path = access(asked, R_OK) == 0 ? realpath(asked, NULL) : NULL;
        if (!path)
            mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "%s (MPROF_LIBRARY): %s", asked,
                    strerror(errno));
    } else {
        path = search();
        if (!path)
            mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                    LIBRARY " is neither in .libs beside this mprof nor in %s; "
                            "name it in MPROF_LIBRARY", MP_LIBDIR);
    }
    if (path && strpbrk(path, " :")) {
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                "%s: LD_PRELOAD takes no path with a space or colon", path);
        free(path);
        return NULL;
    }
    return path;
}

bool
mp_preload_check(const char *list, struct mp_error *error)
{
    const char *first = list ? mp_sanitizer_in_list(list) : NULL;

    return !first ||
           mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                   "LD_PRELOAD: %.*s must be the first library, so nothing can be profiled",
                   (int)strcspn(first, " :"), first);
}

/* Is LIBRARY an element of LIST? */
static bool
listed(const char *library, const char *list)
{
    size_t length = strlen(library);

    while (*(list += strspn(list, " :"))) {
        size_t n = strcspn(list, " :");

        if (n == length && memcmp(list, library, n) == 0)
            return true;
        list += n;
    }
    return false;
}

char *
mp_preload_join(const char *library, const char *old)
{
    char *text;

    if (!old || *old == '\0')
        return strdup(library);
    if (listed(library, old))
        return strdup(old);
    return asprintf(&text, "%s:%s", library, old) < 0 ? NULL : text;
}
