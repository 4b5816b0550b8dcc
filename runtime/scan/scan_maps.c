/* SPDX-License-Identifier: MIT */
#include "scan_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "runtime/decimal.h"
#include "runtime/system/sys.h"

#define FIRST_ROOM ((size_t)1 << 18)    /* bytes of text */
#define MOST_ROOM  ((size_t)1 << 26)
#define LEAST_LINE 40u
#define MOST_MORE  65536u               /* maximum number of mappings that are added */

/* Reads the whole file, with a NUL behind it, into memory of *ROOM bytes. Returns NULL on failure. */
static char *
read_text(size_t *room)
{
    for (*room = FIRST_ROOM; *room <= MOST_ROOM; *room *= 2) {
        long fd = mp_sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), n = 1;
        char *text = fd < 0 ? NULL : mp_sys_map(*room);
        size_t filled = 0;

        while (text && n != 0 && filled < *room - 1) {
            n = mp_sys_read((int)fd, text + filled, *room - 1 - filled);
            if (n < 0 && n != -EINTR)
                break;
            filled += n > 0 ? (size_t)n : 0;
        }
        if (fd >= 0)
            mp_sys_close((int)fd);
        if (!text || n < 0)
            return NULL;
        if (n == 0)
            return text;
        mp_sys_unmap(text, *room);
    }
    return NULL;
}

bool
mp_scan_maps_parse(const char *line, struct mp_scan_map *map)
{
    map->start = mp_take_hex(&line);
    if (*line++ != '-')
        return false;
    map->end = mp_take_hex(&line);
    if (strlen(line) < 5)
        return false;
    map->readable = line[1] == 'r';
    map->writable = line[2] == 'w';
    map->executable = line[3] == 'x';
    map->shared = line[4] == 's';
    for (int fields = 0; fields < 4 && *line; fields++) {
        line += *line == ' ';
        line += strcspn(line, " ");
    }
    map->path = line + strspn(line, " ");
    return map->end > map->start;
}

bool
mp_scan_maps_read(struct mp_scan_maps *maps)
{
    size_t room;
    char *text = read_text(&room), *end;

    maps->n = 0;
    maps->room = (uint32_t)(room / LEAST_LINE + MOST_MORE);
    maps->list = text ? mp_sys_map(maps->room * sizeof *maps->list) : NULL;
    for (; maps->list && (end = strchr(text, '\n')); text = end + 1) {
        *end = '\0';
        maps->n += mp_scan_maps_parse(text, &maps->list[maps->n]);
    }
    return maps->n > 0;
}

bool
mp_scan_maps_is_device(const struct mp_scan_map *map)
{
    return strncmp(map->path, "/dev/", 5) == 0 && strncmp(map->path, "/dev/shm/", 9) != 0 &&
           strncmp(map->path, "/dev/zero", 9) != 0;
}

uint32_t
mp_scan_maps_below(const struct mp_scan_maps *maps, uintptr_t address)
{
    uint32_t low = 0, high = maps->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (maps->list[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct mp_scan_map *
mp_scan_maps_at(const struct mp_scan_maps *maps, uintptr_t address)
{
    const uint32_t at = mp_scan_maps_below(maps, address);

    return at < maps->n && maps->list[at].start <= address ? &maps->list[at] : NULL;
}
