#include "pool.h"

#include "gate.h"
#include "sys.h"

#define BITS_LEAST 10u

/* Open addressing.  A taken entry keeps its pool with cell 0, so that searches go on past it. */
static struct mp_pool_object *table;
static uint32_t bits, used;

static uint32_t
slot_of(const void *pool, const void *address)
{
    uint64_t key = (uint64_t)(uintptr_t)address ^ (uint64_t)(uintptr_t)pool << 20;

    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* The entry of (POOL, ADDRESS), or the empty one where its search ends. */
static struct mp_pool_object *
find(const void *pool, const void *address)
{
    uint32_t mask = (1u << bits) - 1, at = slot_of(pool, address);

    while (table[at].pool && (table[at].pool != pool || table[at].address != address))
        at = (at + 1) & mask;
    return &table[at];
}

static bool
make_room(void)
{
    struct mp_pool_object *old = table, *new;
    uint32_t size = old ? 1u << bits : 0, live = 0;
    unsigned new_bits;

    if (used * 2 < size)
        return true;
    for (uint32_t i = 0; i < size; i++)
        live += old[i].cell != 0;
    new_bits = old ? bits + (live * 4 > size) : BITS_LEAST;
    new = mp_sys_map(sizeof *table << new_bits);
    if (!new)
        return false;
    bits = new_bits;
    table = new;
    used = 0;
    for (uint32_t i = 0; i < size; i++)
        if (old[i].cell) {
            *find(old[i].pool, old[i].address) = old[i];
            used++;
        }
    if (old)
        mp_sys_unmap(old, size * sizeof *old);
    return true;
}

bool
mp_pool_put(const struct mp_pool_object *object)
{
    struct mp_gate_hold hold;
    bool done;

    mp_gate_lock(&hold);
    done = make_room();
    if (done) {
        struct mp_pool_object *entry = find(object->pool, object->address);

        used += !entry->pool;
        *entry = *object;
    }
    mp_gate_unlock(&hold);
    return done;
}

/* Goes on where the last search found one, so that freeing a whole pool takes one round. */
static struct mp_pool_object *
any_of(const void *pool)
{
    static uint32_t last;
    uint32_t mask = (1u << bits) - 1;

    for (uint32_t i = 0; i <= mask; i++) {
        struct mp_pool_object *object = &table[(last + i) & mask];

        if (object->pool == pool && object->cell) {
            last = (last + i) & mask;
            return object;
        }
    }
    return NULL;
}

bool
mp_pool_take(const void *pool, const void *address, struct mp_pool_object *object)
{
    struct mp_pool_object *entry = NULL;
    struct mp_gate_hold hold;

    object->cell = 0;
    mp_gate_lock(&hold);
    if (table)
        entry = address ? find(pool, address) : any_of(pool);
    if (entry && entry->cell) {
        *object = *entry;
        entry->cell = 0;
    }
    mp_gate_unlock(&hold);
    return object->cell != 0;
}
