/* collections.h -- the collections of a garbage-collected heap, as the collector saw it. */
#ifndef MP_COLLECTIONS_H
#define MP_COLLECTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* A collection, or several, one after the other.  All bytes are at its end, or at that of the last. */
struct mp_collection {
    uint64_t time;              /* of its end, ns since recording began */
    uint32_t number;            /* how many; at least 1 */
    uint64_t pause;             /* ns that they took together */
    uint64_t before, after;     /* bytes of recorded objects that lived: before the first, after the last */
    uint64_t heap_size;         /* bytes that the heap took of the system, of several the most */
    uint64_t allocated;         /* bytes ever allocated in the heap, recorded or not */
};

/* Those of a recording, by time; also of a part of it, and of a view, which have all. */
struct mp_collections {
    struct mp_collection *list; uint32_t n;
    uint32_t divisor;           /* the collector's free space divisor at the last one; 0 not known */
    bool incremental;           /* it collects in steps */
};

#endif
