/* SPDX-License-Identifier: MIT */
#include "pool.h"

#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

#define MIN_BITS 10u

enum state { EMPTY = 0, GONE, OBJECT, POOL };

/* Each pool has a slot of its own, with address NULL. It is the head of a ring of the pool's objects. */
struct slot {
    struct mp_pool_object object;
    enum state state;           /* a slot that is GONE keeps its key, because searches continue beyond it */
    uint32_t next, previous;
};

/* Hash table with open addressing. One pointer refers to the table and its size, so that both change at once. */
static struct table {
    uint32_t bits;
    uint32_t used;              /* slots that are not EMPTY */
    struct slot slots[];
} *table;

/* True while a thread changes the table under the lock. If it is true just after the lock was taken, the change
 * will never be finished. Either its thread does not exist in this forked child, or a handler jumped out in a
 * sandboxed process, where signals cannot be blocked. */
static bool changing;

static size_t
size_of_table(unsigned bits)
{
    return sizeof(struct table) + (sizeof(struct slot) << bits);
}

/* Returns the index of the slot of (POOL, ADDRESS), or of the EMPTY slot where the search ends. */
static uint32_t
find(const struct table *in, const void *pool, const void *address)
{
    uint64_t key = (uint64_t)(uintptr_t)address ^ (uint64_t)(uintptr_t)pool << 20;
    uint32_t mask = (1u << in->bits) - 1;
    uint32_t at = (uint32_t)mp_hash(key, 64 - in->bits);

    while (in->slots[at].state != EMPTY &&
           (in->slots[at].object.pool != pool || in->slots[at].object.address != address))
        at = (at + 1) & mask;
    return at;
}

static void
occupy(struct table *in, uint32_t at, enum state state, const struct mp_pool_object *object)
{
    struct slot *slot = &in->slots[at];

    in->used += slot->state == EMPTY;
    *slot = (struct slot){ *object, state, at, at };
}

/* Adds OBJECT, which is not in the table, and its pool if necessary. */
static void
add(struct table *to, const struct mp_pool_object *object)
{
    uint32_t at = find(to, object->pool, object->address), ring;

    occupy(to, at, OBJECT, object);
    ring = find(to, object->pool, NULL);
    if (to->slots[ring].state != POOL)
        occupy(to, ring, POOL, &(struct mp_pool_object){ .pool = object->pool });
    to->slots[at].previous = ring;
    to->slots[at].next = to->slots[ring].next;
    to->slots[to->slots[at].next].previous = at;
    to->slots[ring].next = at;
}

/* Removes and returns the object in slot AT. Also removes its pool if the pool has no other object. */
static struct mp_pool_object
remove_at(uint32_t at)
{
    struct slot *slots = table->slots, *slot = &slots[at];

    slots[slot->previous].next = slot->next;
    slots[slot->next].previous = slot->previous;
    if (slot->next == slot->previous && slots[slot->next].state == POOL)
        slots[slot->next].state = GONE;
    slot->state = GONE;
    return slot->object;
}

/* Ensures that an object and its pool fit. */
static bool
make_room(void)
{
    struct table *old = table, *new;
    uint32_t size = old ? 1u << old->bits : 0, live = 0;
    unsigned bits = MIN_BITS;

    if (old && (old->used + 2) * 2 <= size)
        return true;
    for (uint32_t i = 0; i < size; i++)
        live += old->slots[i].state >= OBJECT;
    if (old)
        bits = old->bits + (live * 4 > size);
    new = mp_sys_map(size_of_table(bits));
    if (!new)
        return false;
    new->bits = bits;
    for (uint32_t i = 0; i < size; i++)
        if (old->slots[i].state == OBJECT)
            add(new, &old->slots[i].object);
    table = new;
    if (old)
        mp_sys_unmap(old, size_of_table(old->bits));
    return true;
}

/* Takes the lock. Returns false if the table must not be touched. The caller calls end() in any case. */
static bool
begin(struct mp_gate_hold *hold)
{
    if (!mp_gate_lock(hold))
        return false;
    if (changing)
        table = NULL;           /* abandons a table that may be half changed */
    changing = true;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return true;
}

static void
end(const struct mp_gate_hold *hold)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (hold->taken)
        changing = false;
    mp_gate_unlock(hold);
}

bool
mp_pool_put(const struct mp_pool_object *object, struct mp_pool_object *old)
{
    struct mp_gate_hold hold;
    bool done;

    old->cell = 0;
    done = begin(&hold) && make_room();
    if (done) {
        uint32_t at = find(table, object->pool, object->address);

        if (table->slots[at].state == OBJECT)
            *old = remove_at(at);
        add(table, object);
    }
    end(&hold);
    return done;
}

unsigned
mp_pool_take(const void *pool, const void *address, struct mp_pool_object *objects, unsigned most)
{
    struct mp_gate_hold hold;
    unsigned n = 0;
    bool may = begin(&hold);

    while (may && table && n < most) {
        uint32_t at = find(table, pool, address);

        if (table->slots[at].state == POOL)
            at = table->slots[at].next;
        if (table->slots[at].state != OBJECT)
            break;
        objects[n++] = remove_at(at);
    }
    end(&hold);
    return n;
}
