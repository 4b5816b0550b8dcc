/*
 * scan_maps.h -- what is mapped, as /proc/self/maps tells.  For a copy of the process.
 */
#ifndef MP_SCAN_MAPS_H
#define MP_SCAN_MAPS_H

#include <stdbool.h>
#include <stdint.h>

struct mp_scan_map {
    uintptr_t start, end;
    bool readable, writable, executable, shared;
    const char *path;           /* "": none */
};

struct mp_scan_maps {
    struct mp_scan_map *list;   /* ascending */
    uint32_t n;
};

/* False: the kernel does not tell, or there is no memory. */
bool mp_scan_maps_read(struct mp_scan_maps *maps);

/* The mapping of ADDRESS; NULL: none. */
const struct mp_scan_map *mp_scan_maps_at(const struct mp_scan_maps *maps, uintptr_t address);

#endif
