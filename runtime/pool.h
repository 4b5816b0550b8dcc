/*
 * pool.h -- objects of arenas and pools, which may stand at addresses of malloc's own blocks: a
 * table by (pool, address) beside the object table.
 */
#ifndef MP_POOL_H
#define MP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_pool_object {
    const void *pool, *address;
    size_t size;
    uint32_t cell;              /* 0: no such object */
};

/* Put OBJECT in, or take (POOL, ADDRESS) out; ADDRESS NULL: any object of POOL.  They take the
 * gate's lock.  False: no memory, no such object. */
bool mp_pool_put(const struct mp_pool_object *object);
bool mp_pool_take(const void *pool, const void *address, struct mp_pool_object *object);

#endif
