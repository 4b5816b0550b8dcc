/* SPDX-License-Identifier: MIT */
#include "heap_files.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "runtime/heap_format.h"

uint32_t
mp_heap_file_number(const char *suffix)
{
    const char *at = suffix + 1;
    const size_t n = *suffix == '.' ? strspn(at, "0123456789") : 0;
    const uint32_t number = n > 0 && n < 10 ? (uint32_t)strtoul(at, NULL, 10) : 0;

    at += n;
    if (*at == '.' && strcmp(at, ".heap") != 0 && mp_heap_name_has(at[1], true))
        for (at += 2; mp_heap_name_has(*at, false); at++)
            ;
    return strcmp(at, ".heap") == 0 ? number : 0;
}

struct numbered {
    char *file;
    uint32_t number;
};

static int
by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    return mp_order(x->number, y->number);
}

/* Returns the glob pattern PATH.[0-9]*.heap, with special characters of PATH escaped. */
static char *
pattern_of(const char *path)
{
    size_t size = 2 * strlen(path) + sizeof ".[0-9]*.heap";
    char *pattern = mp_need(malloc(size)), *to = pattern;

    for (; *path; path++) {
        if (strchr("*?[]\\", *path))
            *to++ = '\\';
        *to++ = *path;
    }
    mp_text_put(to, pattern + size, ".[0-9]*.heap");
    return pattern;
}

char **
mp_heap_files(const char *path, uint32_t *n)
{
    char *pattern = pattern_of(path), **files = NULL;
    struct numbered *found;
    glob_t all = {0};

    *n = 0;
    if (glob(pattern, GLOB_NOSORT, NULL, &all) == 0) {
        found = mp_need(calloc(all.gl_pathc + 1, sizeof *found));
        files = mp_need(calloc(all.gl_pathc + 1, sizeof *files));
        for (size_t i = 0; i < all.gl_pathc; i++) {
            found[*n] = (struct numbered){all.gl_pathv[i], mp_heap_file_number(all.gl_pathv[i] + strlen(path))};
            *n += found[*n].number > 0 && access(found[*n].file, F_OK) == 0;    /* a symbolic link may be dangling */
        }
        qsort(found, *n, sizeof *found, by_number);
        for (uint32_t i = 0; i < *n; i++)
            files[i] = mp_need(strdup(found[i].file));
        free(found);
    }
    globfree(&all);
    free(pattern);
    if (*n == 0) {
        free(files);
        return NULL;
    }
    return files;
}

void
mp_heap_files_free(char **files, uint32_t n)
{
    while (n-- > 0)
        free(files[n]);
    free(files);
}
