/* SPDX-License-Identifier: MIT */
/*
 * log_objects.h -- all objects of a log with their lifetimes.
 *
 * Time is measured by the number of objects allocated so far. If the program freed an object, the time of its end is
 * known. If a collection found an object dead, the object was dead at the end of that collection, and lived at the end
 * of the previous one or, if later, when it was allocated.
 */
#ifndef MP_REPLAY_OBJECTS_H
#define MP_REPLAY_OBJECTS_H

#include "log.h"

#define MP_OBJECT_LIVES UINT32_MAX      /* end of an object that was neither freed nor found dead */
#define MP_OBJECT_FREED (1u << 31)      /* flag: the other bits are the time when the program freed the object */

struct mp_logged_collection {
    uint32_t at;                /* objects allocated before the collection ended */
    uint64_t figures[MP_EVENT_FIGURES];         /* indexed by enum mp_event_figure */
    uint64_t bytes;             /* bytes of logged objects that were allocated before it ended */
    uint64_t pointers, atomic;  /* bytes of objects that are live after the collection, with pointers and without */
    uint32_t divisor;           /* free space divisor; 0 if unknown */
    bool incremental;
};

struct mp_objects {
    uint32_t n;
    uint32_t *sizes;            /* by object: 4 * size in units of MP_LOG_UNIT + enum mp_event */
    uint32_t *ends;             /* by object: index of the collection that found it dead, MP_OBJECT_LIVES, or
                                   MP_OBJECT_FREED | time; n_collections if the log ends during that collection */
    uint32_t *freed;            /* objects that the program freed, in the order of their ends */
    uint32_t n_freed;
    struct mp_logged_collection *collections;
    uint32_t n_collections;
    uint64_t bytes;             /* of all objects */
    uint64_t ended, ended_bytes;        /* number and bytes of objects that were freed or found dead */
    uint64_t missing;           /* number of missing events */
};

static inline uint64_t
mp_object_bytes(const struct mp_objects *objects, uint32_t i)
{
    return (uint64_t)(objects->sizes[i] / 4) * MP_LOG_UNIT;
}

/* Reads the log PATH, which must be of the recording OF. Returns NULL and fills *ERROR on failure. */
struct mp_objects *mp_objects_read(const char *path, const struct mp_log_of *of, struct mp_error *error);
void mp_objects_free(struct mp_objects *objects);

#endif
