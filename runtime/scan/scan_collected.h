/* SPDX-License-Identifier: MIT */
/*
 * scan_collected.h -- finds the objects of libgc that are in use. Only words of these are roots in libgc's memory,
 * which also has free objects and garbage.
 *
 * libgc's marks are those of its last collection, and objects that were allocated since then have none. Therefore the
 * objects are followed here, as a collection would do it: from any word outside of libgc's memory and of each object
 * that is reached, any address within an object leads to it. Objects that are never collected are in use. So are those
 * whose finalizer has not run yet, because it may free what they hold. Programs may scan large objects without
 * pointers themselves, so these are followed, too. Weak links, which libgc hides, do not count.
 *
 * libgc is recognised as a shared library of that name. Its functions that are used take no lock. Used in a copy of
 * the process.
 */
#ifndef MP_SCAN_COLLECTED_H
#define MP_SCAN_COLLECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scan_maps.h"

/* Which objects a word leads to. */
enum mp_scan_to {
    MP_SCAN_TO_ALL = 0,
    MP_SCAN_TO_POINTERS,        /* not to objects without pointers: libgc's own variables link the free ones */
    MP_SCAN_TO_NONE             /* the word is in a small object without pointers, which may be a free one */
};

struct mp_scan_range {
    uintptr_t start, end;
};

/* libgc and its objects. `base` is NULL if the process has no libgc. */
struct mp_scan_collected {
    void *(*base)(void *);                      /* GC_base() */
    int (*kind)(const void *, size_t *);        /* GC_get_kind_and_size() */
    int (*is_marked)(const void *);             /* GC_is_marked() */
    uintptr_t code;                             /* an address in libgc */
    const struct mp_scan_maps *maps;
    struct mp_scan_range *ranges;               /* libgc's memory, in ascending order */
    uint32_t n_ranges;
    uintptr_t low, span;                        /* range of the addresses of objects */
    uint8_t *reached;                           /* a bit for each granule of `span`: the object there was reached */
    uintptr_t *waiting;                         /* reached objects that were not followed yet */
    size_t n_waiting;
};

/* Finds libgc, its memory, and the objects that are never collected. */
void mp_scan_collected_find(struct mp_scan_collected *collected, const struct mp_scan_maps *maps);

/* Returns whether libgc mapped the memory at ADDRESS. Lowers *STOP to the first address where this may change. */
bool mp_scan_collected_has(const struct mp_scan_collected *collected, uintptr_t address, uintptr_t *stop);

/* Returns whether ADDRESS is in libgc's code or variables. */
bool mp_scan_collected_owns(const struct mp_scan_collected *collected, uintptr_t address);

/* Notes that WORD was found, and that the object to which it leads is in use. */
void mp_scan_collected_reach(struct mp_scan_collected *collected, uint64_t word, enum mp_scan_to to);

/* Takes one of the objects that were reached. Stores its range in *OBJECT, and where its words lead in *TO. Returns
 * false if there is none. */
bool mp_scan_collected_take(struct mp_scan_collected *collected, struct mp_scan_range *object, enum mp_scan_to *to);

#endif
