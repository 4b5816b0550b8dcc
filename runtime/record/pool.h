/* SPDX-License-Identifier: MIT */
/*
 * pool.h -- table of objects in arenas and pools, by (pool, address). It is separate from the block table,
 * because such an object may have the same address as a block of malloc.
 *
 * The objects of a pool are linked, so that freeing all of them takes time proportional to their number.
 */
#ifndef MP_POOL_H
#define MP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_pool_object {
    const void *pool, *address;         /* `address` is not NULL */
    size_t size;                        /* bytes of each element */
    size_t count;                       /* number of elements, each of which counts as a block */
    uint32_t cell;                      /* 0 if there is no object */
    uint64_t birth;                     /* see lifetime.h; 0 if unknown */
};

/* mp_pool_put() and mp_pool_take() take the gate's lock. */

/* Stores OBJECT. Copies the object that was there before to *OLD, whose `cell` is 0 if there was none. Returns
 * false if there is no memory. */
bool mp_pool_put(const struct mp_pool_object *object, struct mp_pool_object *old);

/* Removes the object (POOL, ADDRESS) and writes it to OBJECTS. If ADDRESS is NULL, does that with at most MOST
 * objects of POOL. Returns their number. */
unsigned mp_pool_take(const void *pool, const void *address, struct mp_pool_object *objects,
                      unsigned most);

#endif
