#include "tap.h"

#include "folder.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *made;              /* the directory, or NULL */

static int
remove_one(const char *path, const struct stat *status, int type, struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static void
remove_all(void *directory)
{
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(directory);
    made = NULL;
}

const char *
folder(void)
{
    if (!made) {
        made = tap_keep(strdup("/tmp/mprof-unit-XXXXXX"), remove_all);
        ck_assert_ptr_nonnull(mkdtemp(made));
    }
    return made;
}

static const char *
join(const char *directory, const char *name)
{
    char *path;

    ck_assert_int_ge(asprintf(&path, "%s/%s", directory, name), 0);
    return tap_keep(path, free);
}

const char *
in_folder(const char *name)
{
    return join(folder(), name);
}

const char *
make_file(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "w");

    ck_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    ck_assert_int_eq(chmod(path, 0755), 0);
    return path;
}

const char *
make_text(const char *name, const char *text)
{
    return make_file(name, text, strlen(text));
}

const char *
source_path(const char *name)
{
    const char *source = getenv("srcdir");

    return join(source ? source : ".", name);
}
/* SPDX-License-Identifier: MIT */
