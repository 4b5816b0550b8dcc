/* SPDX-License-Identifier: MIT */
#include "snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "runtime/decimal.h"
#include "runtime/heap_format.h"
#include "runtime/system/sys.h"

#define ADDED      (sizeof "...heap" + MP_DECIMAL_SIZE + MP_HEAP_MAX_NAME)

long
mp_snapshot_create(const char *path, struct mp_copy_file *file)
{
    long fd = mp_sys_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

    if (fd < 0)
        return fd;
    mp_copy_opened((int)fd, file);
    return 0;
}

/* Appends ".NUMBER.heap", or ".NUMBER.NAME.heap" if NAME is neither NULL nor "", to the first LENGTH bytes of
 * PATH, which has ADDED more bytes. Characters of NAME that are not allowed in file names become "_". */
static void
add_number(char *path, size_t length, uint32_t number, const char *name)
{
    char digits[MP_DECIMAL_SIZE], *to;
    size_t used = 0;

    path[length] = '.';
    to = stpcpy(path + length + 1, mp_decimal(number, digits));
    if (name && *name) {
        *to++ = '.';
        if (!mp_heap_name_has(*name, true) && mp_heap_name_has(*name, false))
            to[used++] = '_';
        for (; *name && used < MP_HEAP_MAX_NAME; name++)
            to[used++] = mp_heap_name_has(*name, false) ? *name : '_';
        to += used;
    }
    strcpy(to, ".heap");
}

long
mp_snapshot_create_next(char *path, size_t size, const char *name, uint32_t *number, uint32_t *used,
                        struct mp_copy_file *file)
{
    const size_t length = strlen(path);
    long result = -EEXIST;

    if (length + ADDED > size)
        return -ENAMETOOLONG;
    while (result == -EEXIST) {
        *used = __atomic_add_fetch(number, 1, __ATOMIC_RELAXED);
        if (*used > MP_HEAP_MAX_NUMBER)
            break;
        add_number(path, length, *used, name);
        result = mp_snapshot_create(path, file);
    }
    return result;
}

/* Creates an unnamed file in the directory of PATH and fills FILE. Overwrites PATH, which has SIZE bytes. On file
 * systems without O_TMPFILE, the file has a name for a short time. */
static long
create_unnamed(char *path, size_t size, struct mp_copy_file *file)
{
    char *slash = strrchr(path, '/');
    uint32_t number = 0, used;
    long fd, result;

    if (!slash || slash == path)
        return -ENOTDIR;
    *slash = '\0';
    fd = mp_sys_open(path, O_RDWR | O_TMPFILE | O_EXCL, 0600);
    *slash = '/';
    if (fd >= 0) {
        mp_copy_opened((int)fd, file);
        return 0;
    }
    result = mp_snapshot_create_next(path, size, NULL, &number, &used, file);
    if (result == 0)
        mp_sys_unlink(path);
    return result;
}

long
mp_snapshot_create_offered(const char *path, struct mp_live_offer *offer, struct mp_copy_file *file)
{
    static uint32_t last;
    const size_t length = strlen(path);
    char *copy = mp_sys_map(length + ADDED);    /* mapped because the stack may be small */
    uint32_t number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    long result;

    if (!copy)
        return -ENOMEM;
    memcpy(copy, path, length);
    result = create_unnamed(copy, length + ADDED, file);
    mp_sys_unmap(copy, length + ADDED);
    if (result < 0)
        return result;
    offer->pid = 0;
    __atomic_store_n(&offer->number, number, __ATOMIC_RELEASE);
    file->offered = &offer->number;
    file->offer = number;
    return 0;
}

void
mp_snapshot_offer(struct mp_live_offer *offer, const struct mp_copy_file *file, long pid)
{
    offer->descriptor = (uint32_t)file->fd;
    __atomic_store_n(&offer->pid, (uint32_t)pid, __ATOMIC_RELEASE);
}

uint32_t
mp_snapshot_link(const char *path, uint32_t number, const char *file)
{
    const size_t length = strlen(path);
    char *link = mp_sys_map(length + ADDED);    /* mapped because the stack may be small */
    long result = -EEXIST;

    if (!link)
        return 0;
    memcpy(link, path, length);
    for (; result == -EEXIST && number <= MP_HEAP_MAX_NUMBER; number++) {
        add_number(link, length, number, NULL);
        result = mp_sys_symlink(file, link);
    }
    mp_sys_unmap(link, length + ADDED);
    return result == 0 ? number - 1 : 0;
}

void
mp_snapshot_note(struct mp_live_header *header, uint32_t number)
{
    uint32_t before = header ? __atomic_load_n(&header->snapshots, __ATOMIC_RELAXED) : number;

    while (before < number && !__atomic_compare_exchange_n(&header->snapshots, &before, number, 1, __ATOMIC_RELAXED,
                                                           __ATOMIC_RELAXED))
        ;
}
