/* SPDX-License-Identifier: MIT */
#include "snapshot_series.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/compiler.h"
#include "runtime/system/options.h"
#include "runtime/system/sys.h"

static struct {
    char path[MP_PATH_SIZE];    /* path of the data file */
    struct {
        char suffix[16];        /* the snapshot's name without `path`: at most ".10000.heap" */
        struct mp_file_id id;
    } list[MP_SERIES_ROOM];
    uint32_t n;
    uint32_t step, passed;      /* every `step`-th snapshot is made; `passed` counts requests since the last one */
} series MP_LARGE;

/* Writes the name of snapshot INDEX to PATH and its status to *STATUS. Returns false if the name now belongs to
 * another file. */
static bool
find(uint32_t index, char path[static MP_PATH_SIZE], struct stat *status)
{
    const size_t length = strlen(series.path);

    if (length + sizeof series.list->suffix > MP_PATH_SIZE)
        return false;
    strcpy(stpcpy(path, series.path), series.list[index].suffix);
    return mp_sys_stat(path, AT_SYMLINK_NOFOLLOW, status) == 0 && status->st_dev == series.list[index].id.device &&
           status->st_ino == series.list[index].id.inode;
}

/* Returns the disk space of all snapshots in bytes. Stores the disk space of the largest one in *LARGEST. */
static uint64_t
sizes(char path[static MP_PATH_SIZE], uint64_t *largest)
{
    struct stat status;
    uint64_t sum = 0;

    *largest = 0;
    for (uint32_t i = 0; i < series.n; i++)
        if (find(i, path, &status)) {
            const uint64_t size = (uint64_t)status.st_blocks * 512;

            sum += size;
            *largest = size > *largest ? size : *largest;
        }
    return sum;
}

static void
halve(char path[static MP_PATH_SIZE])
{
    struct stat status;

    for (uint32_t i = 0; i < series.n; i++)
        if (i % 2 == 0)
            series.list[i / 2] = series.list[i];
        else if (find(i, path, &status))
            mp_sys_unlink(path);
    series.n = (series.n + 1) / 2;
    series.step *= 2;
}

bool
mp_snapshot_series_wants(const char *path)
{
    static MP_LARGE char found[MP_PATH_SIZE]; /* static because the stack may be small */
    uint64_t free_space, largest;

    if (strcmp(path, series.path) != 0) {
        if (strlen(path) >= sizeof series.path)
            return false;
        strcpy(series.path, path);
        series.n = series.passed = 0;
        series.step = 1;
    }
    if (++series.passed < series.step)
        return false;
    series.passed = 0;
    if (series.n == MP_SERIES_ROOM)
        halve(found);
    if (mp_sys_free_space(path, &free_space) != 0)
        return true;
    while (sizes(found, &largest) > free_space && series.n > 2)
        halve(found);
    return largest <= free_space;
}

void
mp_snapshot_series_made(const char *file)
{
    const size_t length = strlen(series.path);
    struct stat status;

    if (series.n == MP_SERIES_ROOM || strncmp(file, series.path, length) != 0 ||
        strlen(file + length) >= sizeof series.list->suffix || mp_sys_stat(file, AT_SYMLINK_NOFOLLOW, &status) != 0)
        return;
    strcpy(series.list[series.n].suffix, file + length);
    series.list[series.n].id = (struct mp_file_id){ .device = status.st_dev, .inode = status.st_ino };
    series.n++;
}
