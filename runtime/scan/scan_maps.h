/* SPDX-License-Identifier: MIT */
/*
 * scan_maps.h -- the mappings of the process, from /proc/self/maps. Used in a copy of the process.
 */
#ifndef MP_SCAN_MAPS_H
#define MP_SCAN_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct mp_scan_map {
    uintptr_t start, end;
    bool readable, writable, executable, shared;
    const char *path;           /* "" if there is none */
};

struct mp_scan_maps {
    struct mp_scan_map *list;   /* in ascending order */
    uint32_t n, room;
};

/* Reads the mappings. Returns false if the kernel does not list them or there is no memory. */
bool mp_scan_maps_read(struct mp_scan_maps *maps);

/* Parses LINE of /proc/self/maps, "start-end perms offset device inode  path". Returns false if LINE has another form.
 * map->path points into LINE. */
bool mp_scan_maps_parse(const char *line, struct mp_scan_map *map);

/* Returns whether MAP is memory of a device. Reading such memory may change the state of the device. */
bool mp_scan_maps_is_device(const struct mp_scan_map *map);

/* Returns the number of mappings that end at or below ADDRESS. */
uint32_t mp_scan_maps_below(const struct mp_scan_maps *maps, uintptr_t address);

/* Returns the mapping that contains ADDRESS, or NULL. */
const struct mp_scan_map *mp_scan_maps_at(const struct mp_scan_maps *maps, uintptr_t address);

#endif
