/* SPDX-License-Identifier: MIT */
#include "scan_absent.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/system/sys.h"

#define ROOM      65536u                /* maximum number of mappings; the kernel's usual limit */
#define TEXT_SIZE ((size_t)1 << 20)     /* maximum bytes of the mappings' paths */
#define MOST      ((uint64_t)64 << 20)  /* maximum bytes that are read; the program waits meanwhile */
#define BUFFER    ((size_t)65536)
#define PAGE      ((uintptr_t)4096)

static struct list {
    uint32_t n;
    size_t used;                        /* bytes of `text` */
    char *contents;                     /* contents of all mappings, one after the other; NULL if they were not read */
    uint64_t size;                      /* bytes of `contents`, of which few may be in use */
    struct mp_scan_map maps[ROOM];      /* in ascending order */
    struct mp_scan_moved moved[ROOM];   /* for each mapping, where its contents are */
    char text[TEXT_SIZE];
} *absent;                              /* NULL if nothing was read */

/* ------------------------------------------------------------------ before the copy */

static bool
has_flag(const char *line, const char *flag)
{
    const char *at = strstr(line, flag);

    return at && (at[strlen(flag)] == ' ' || at[strlen(flag)] == '\0');
}

/* Adds MAP to the list if LINE, which has the flags of MAP, and the path of MAP show that a copy of the process lacks
 * this memory. Memory that is not readable or not writable contains no roots. Returns false if the list is full. */
static bool
take(const struct mp_scan_map *map, const char *line)
{
    const size_t length = strlen(map->path) + 1;
    struct mp_scan_map *to = &absent->maps[absent->n];

    if (!map->readable || !map->writable || (!has_flag(line, " dc") && !has_flag(line, " wf")) ||
        has_flag(line, " io") || has_flag(line, " pf") || mp_scan_maps_is_device(map))
        return true;
    if (absent->n == ROOM || absent->used + length > TEXT_SIZE)
        return false;
    *to = *map;
    to->path = memcpy(absent->text + absent->used, map->path, length);
    absent->moved[absent->n] = (struct mp_scan_moved){ map->start, map->end, absent->size };
    absent->used += length;
    absent->size += map->end - map->start;
    absent->n++;
    return true;
}

/* Lists the mappings in FD, /proc/self/smaps, using BUFFER. For each mapping this file has a line like that of
 * /proc/self/maps, then other lines, of which the last one has the flags. Returns false if the file cannot be read to
 * its end. */
static bool
read_list(int fd, char *buffer)
{
    struct mp_scan_map map = { 0 }, next;
    char *path = buffer + BUFFER / 2;   /* path of `map` */
    const size_t room = BUFFER / 2 - 1;
    size_t filled = 0;
    bool ok = true;
    long n;

    while (ok && (n = mp_sys_read(fd, buffer + filled, room - filled)) > 0) {
        char *line = buffer, *end;

        for (filled += (size_t)n; ok && (end = memchr(line, '\n', filled - (size_t)(line - buffer))); line = end + 1) {
            *end = '\0';
            if (strncmp(line, "VmFlags:", 8) == 0) {
                ok = take(&map, line);
            } else if (mp_scan_maps_parse(line, &next)) {
                map = next;
                map.path = strcpy(path, next.path);
            }
        }
        filled -= (size_t)(line - buffer);
        memmove(buffer, line, filled);
    }
    return ok && n == 0;
}

/* Copies the touched pages of MAP to CONTENTS, but at most *LEFT bytes, and subtracts the copied bytes from *LEFT.
 * Returns false if not all pages could be copied. */
static bool
read_contents(struct mp_scan_memory *memory, const struct mp_scan_map *map, uintptr_t contents, uint64_t *left)
{
    uintptr_t at = map->start;
    bool ok = true;

    mp_scan_memory_shared(memory, map->shared);
    while ((at = mp_scan_touched(memory, at, map->end)) < map->end && *left >= PAGE) {
        ok &= mp_sys_peek(at, (void *)(contents + (at - map->start)), PAGE) == 0;
        *left -= PAGE;
        at += PAGE;
    }
    return ok && at >= map->end;
}

static bool
read_all(struct mp_scan_memory *memory)
{
    uint64_t left = MOST;
    char *contents = absent->n > 0 ? mp_sys_map_sparse(absent->size) : NULL;
    bool ok = contents != NULL;

    if (absent->n == 0 || !contents)
        return absent->n == 0;
    mp_scan_memory_open(memory);
    for (uint32_t i = 0; i < absent->n; i++) {
        absent->moved[i].contents += (uintptr_t)contents;
        ok &= read_contents(memory, &absent->maps[i], absent->moved[i].contents, &left);
    }
    mp_scan_memory_close(memory);
    absent->contents = contents;
    mp_scan_memory_move(absent->moved, absent->n);
    return ok;
}

bool
mp_scan_absent_read(struct mp_scan_memory *memory)
{
    const long fd = mp_sys_open("/proc/self/smaps", O_RDONLY | O_CLOEXEC, 0);
    bool ok;

    absent = fd < 0 ? NULL : mp_sys_map_sparse(sizeof *absent);
    ok = absent && read_list((int)fd, (char *)memory->words);
    if (fd >= 0)
        mp_sys_close((int)fd);
    return absent && read_all(memory) && ok;
}

void
mp_scan_absent_free(void)
{
    mp_scan_memory_move(NULL, 0);
    if (absent && absent->contents)
        mp_sys_unmap(absent->contents, absent->size);
    if (absent)
        mp_sys_unmap(absent, sizeof *absent);
    absent = NULL;
}

/* ------------------------------------------------------------------ in the copy */

void
mp_scan_absent_add(struct mp_scan_maps *maps)
{
    for (uint32_t i = 0; absent && absent->contents && i < absent->n; i++) {
        const struct mp_scan_map *map = &absent->maps[i];
        const uint32_t at = mp_scan_maps_below(maps, map->start);

        if (at < maps->n && maps->list[at].start < map->end)
            continue;                   /* the copy has this mapping, wiped; scan_memory.h reads the saved contents */
        if (maps->n == maps->room)
            return;
        memmove(&maps->list[at + 1], &maps->list[at], (maps->n - at) * sizeof *maps->list);
        maps->list[at] = *map;
        maps->n++;
    }
}
