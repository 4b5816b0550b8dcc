/* SPDX-License-Identifier: MIT */
/*
 * scan_collected.h -- finds the objects of libgc that are in use. libgc's memory also has free objects and garbage, so
 * only words of objects that are in use are roots.
 *
 * libgc's marks are those of its last collection, and objects that were allocated since then have no marks. Therefore
 * the objects are followed here, as a collection would do it. An object is reached if a word outside of libgc's memory
 * or in another reached object is an address within the object. Objects that are never collected are in use. Objects
 * whose finalizer has not run yet are in use, too, because the finalizer may free what they refer to. libgc does not
 * scan objects without pointers, but programs may store pointers in large ones, so large ones are followed, too. Weak
 * links, which libgc hides, do not count.
 *
 * libgc is recognised as a shared library of that name. Only functions of libgc that take no lock are called. Used in
 * a copy of the process.
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
    MP_SCAN_TO_POINTERS,        /* not to objects without pointers, because libgc's own variables lead to
                                   free objects of this kind */
    MP_SCAN_TO_NONE             /* to no object: the word is in a small object without pointers, which may
                                   be free */
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

/* Takes one of the objects that were reached but not followed yet. Stores its address range in *OBJECT, and where its
 * words lead in *TO. Returns false if all reached objects were taken. */
bool mp_scan_collected_take(struct mp_scan_collected *collected, struct mp_scan_range *object, enum mp_scan_to *to);

#endif
