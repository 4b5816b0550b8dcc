/* SPDX-License-Identifier: MIT */
/* collections.h -- collections of a garbage-collected heap, as reported by the collector. */
#ifndef MP_COLLECTIONS_H
#define MP_COLLECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* A collection, or several consecutive ones. Except for `before`, figures in bytes are those at the end of the
 * last one. */
struct mp_collection {
    uint64_t time;              /* end time, ns since recording began */
    uint32_t number;            /* number of collections; at least 1 */
    uint64_t pause;             /* total duration, ns */
    uint64_t before, after;     /* live bytes of recorded objects: before the first collection and after the last */
    uint64_t heap_size;         /* bytes that the heap has obtained from the system; the maximum if there are
                                   several collections */
    uint64_t allocated;         /* bytes ever allocated in the heap, recorded or not */
};

/* All collections of a recording, sorted by time. A window or a view of the recording has all of them, too. */
struct mp_collections {
    struct mp_collection *list; uint32_t n;
    uint32_t divisor;           /* the collector's free space divisor at the last collection, or 0 if unknown */
    bool incremental;           /* whether the collector works in steps */
};

#endif
