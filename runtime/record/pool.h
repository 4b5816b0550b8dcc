/*
 * pool.h -- objects of arenas and pools, which may stand at addresses of malloc's own blocks: a
 * table by (pool, address) beside the object table.
 *
 * The objects of a pool are linked, so that to free them all takes no longer than there are objects.
 */
#ifndef MP_POOL_H
#define MP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_pool_object {
    const void *pool, *address;         /* ADDRESS is not NULL */
    size_t size;                        /* bytes, of each of its elements */
    size_t count;                       /* elements, each of which counts as a block */
    uint32_t cell;                      /* 0: no object */
    uint64_t birth;                     /* see lifetime.h; 0: not known */
};

/* They take the gate's lock. */

/* Put OBJECT in; *OLD is the one that was there.  False: no memory. */
bool mp_pool_put(const struct mp_pool_object *object, struct mp_pool_object *old);

/* Take (POOL, ADDRESS) out, or, with ADDRESS NULL, any MOST objects of POOL; their number. */
unsigned mp_pool_take(const void *pool, const void *address, struct mp_pool_object *objects,
                      unsigned most);

#endif
