/* SPDX-License-Identifier: MIT */
#include "input_files.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reporter/base/arena.h"
#include "reporter/base/text_file.h"
#include "reporter/base/write_file.h"
#include "reporter/file/data_file.h"
#include "reporter/file/reader.h"
#include "reporter/process/process.h"
#include "reporter/unite/several.h"

static void
add_file(struct mp_input_files *files, const char *path)
{
    struct mp_input_file *file;
    struct stat status;

    files->list = mp_grow(files->list, files->n, &files->room, sizeof *files->list);
    file = &files->list[files->n++];
    *file = (struct mp_input_file){.path = mp_need(strdup(path)), .number = files->n_added++, .of = files->of};
    if (stat(path, &status) == 0) {
        file->device = status.st_dev;
        file->inode = status.st_ino;
    }
}

static bool
fail(struct mp_error *error, const char *path)
{
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s: %s", path, strerror(errno));
}

/* ---------------------------------------------------------------- directories */

/* Returns whether ENTRY is a completely written data file. */
static bool
is_wanted(const FTSENT *entry)
{
    return entry->fts_info == FTS_F && !strstr(entry->fts_name, MP_WRITE_SUFFIX) &&
           mp_data_file_is(entry->fts_path);
}

/* Adds the data files among ENTRIES. Returns false and fills *ERROR if a directory cannot be read. */
static bool
add_entries(struct mp_input_files *files, FTS *entries, struct mp_error *error)
{
    FTSENT *entry;

    while ((entry = fts_read(entries)) != NULL) {
        if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
            errno = entry->fts_errno;
            return fail(error, entry->fts_path);
        }
        if (is_wanted(entry))
            add_file(files, entry->fts_path);
    }
    return true;
}

/* Adds the data files in the directory PATH. Removes slashes at the end of PATH, so that "tests" and "tests/" give
 * the same names. */
static bool
add_directory(struct mp_input_files *files, const char *path, struct mp_error *error)
{
    char *copy = mp_need(strdup(path)), *roots[] = {copy, NULL};
    uint32_t before = files->n;
    size_t length = strlen(copy);
    FTS *entries;
    bool ok;

    while (length > 1 && copy[length - 1] == '/')
        copy[--length] = '\0';
    entries = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    ok = entries ? add_entries(files, entries, error) : fail(error, path);
    if (entries)
        fts_close(entries);
    free(copy);
    return ok && (files->n > before ||
                  mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: contains no data file", path));
}

static bool
add_path(struct mp_input_files *files, const char *path, struct mp_error *error)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return add_directory(files, path, error);
    add_file(files, path);
    return true;
}

/* ---------------------------------------------------------------- lists */

static bool
add_list(struct mp_input_files *files, const char *name, struct mp_error *error)
{
    struct mp_text_file list = mp_text_file_of(stdin, "standard input");
    bool ok = true;
    char *line;

    if (strcmp(name, "-") != 0 && !mp_text_file_open(&list, name, error))
        return false;
    while (ok && (line = mp_text_file_line(&list, error)))
        ok = *line == '\0' || add_path(files, line, error);
    return mp_text_file_close(&list) && ok;
}

bool
mp_input_files_add(struct mp_input_files *files, const char *argument, struct mp_error *error)
{
    return argument[0] == '@' ? add_list(files, argument + 1, error) : add_path(files, argument, error);
}

/* ---------------------------------------------------------------- the set */

/* Compares by file identity, then by name, then by the order of adding. So the first name of each file is kept. */
static int
compare_files(const void *a, const void *b)
{
    const struct mp_input_file *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    if (strcmp(x->path, y->path) != 0)
        return strcmp(x->path, y->path);
    return (x->number > y->number) - (x->number < y->number);
}

static int
compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct mp_input_file *)a)->path, ((const struct mp_input_file *)b)->path);
}

static bool
is_same(const struct mp_input_file *a, dev_t device, ino_t inode)
{
    return (device != 0 || inode != 0) && a->device == device && a->inode == inode;
}

bool
mp_input_files_settle(struct mp_input_files *files, const char *output)
{
    struct stat status = {0};
    uint32_t n = 0;
    bool found = false;

    if (files->n == 0)
        return false;
    if (stat(output, &status) != 0)
        status = (struct stat){0};
    qsort(files->list, files->n, sizeof *files->list, compare_files);
    for (uint32_t i = 0; i < files->n; i++) {
        const struct mp_input_file *file = &files->list[i];
        bool is_output = is_same(file, status.st_dev, status.st_ino);

        found |= is_output;
        if (is_output || (n > 0 && is_same(file, files->list[n - 1].device, files->list[n - 1].inode)))
            free(file->path);
        else
            files->list[n++] = *file;
    }
    files->n = n;
    qsort(files->list, n, sizeof *files->list, compare_paths);
    return found;
}

void
mp_input_files_free(struct mp_input_files *files)
{
    for (uint32_t i = 0; i < files->n; i++)
        free(files->list[i].path);
    free(files->list);
    *files = (struct mp_input_files){0};
}

struct mp_profile *
mp_input_profile(const char *argument, const struct mp_filters *filters, struct mp_error *error)
{
    const uint32_t pid = mp_process_meant(argument);
    struct mp_profile *profile = NULL;
    struct mp_process process;
    int fd;

    if (pid == 0)
        return mp_several_read(argument, filters, error);
    if (!mp_process_open(pid, &process, error))
        return NULL;
    fd = mp_process_reopen(&process);
    if (fd >= 0) {
        profile = mp_read_open(fd, process.file.path, NULL, error);
        close(fd);
    } else {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot open %s: %s", process.file.path, strerror(errno));
    }
    mp_process_close(&process);
    return profile;
}
