#include "block_table.h"

#include "runtime/system/gate.h"
#include "runtime/system/thread.h"

struct mp_shadow_table mp_block_shadow;
uint64_t mp_block_moves;

int
mp_block_open(unsigned distance)
{
    return mp_shadow_open(&mp_block_shadow, distance,
                          MP_BLOCK_LARGES * sizeof(struct mp_large_block), 0);
}

MP_COLD uint64_t *
mp_block_force_region(const void *block)
{
    uint64_t *region = mp_shadow_new_region(&mp_block_shadow, (uintptr_t)block);
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);

    if (taken)
        region = mp_shadow_force_region(&mp_block_shadow, (uintptr_t)block);
    mp_gate_unlock(&hold);
    return region;
}

/* ------------------------------------------------------------------ large blocks */

static struct mp_large_block *
large_of(const void *block)
{
    return mp_block_large(mp_shadow_region(&mp_block_shadow, (uintptr_t)block), block);
}

MP_COLD enum mp_block_put
mp_block_put_huge(struct mp_large_block *entry, const void *block, size_t size, uint32_t cell)
{
    if (mp_shadow_put_huge((uintptr_t)block, size) != 0)
        return MP_BLOCK_NO_MEMORY;
    mp_block_put_large(entry, block, (uint64_t)cell << 32 | MP_SHADOW_HUGE);
    return MP_BLOCK_DONE;
}

/* ------------------------------------------------------------------ cold parts */

/* What WORD, found without a record, holds where no move is under way. */
static uint64_t
look_again(const uint64_t *word)
{
    uint64_t moves = __atomic_load_n(&mp_block_moves, __ATOMIC_ACQUIRE), record;
    struct mp_gate_hold hold;

    record = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    if (mp_block_is_record(record) || mp_thread.held ||
        (moves % 2 == 0 && __atomic_load_n(&mp_block_moves, __ATOMIC_RELAXED) == moves))
        return record;
    if (mp_gate_lock(&hold))        /* else the process is shut off, and nothing is moved */
        record = __atomic_load_n(word, __ATOMIC_RELAXED);
    mp_gate_unlock(&hold);
    return record;
}

/* There is no block at WORD, unless it is being moved. */
MP_COLD uint64_t
mp_block_take_moving(uint64_t *word)
{
    uint64_t record = look_again(word);

    if (!mp_block_is_record(record))
        return 0;
    __atomic_store_n(word, MP_BLOCK_FREED, __ATOMIC_RELAXED);
    return record;
}

/* An old large block may be found by several threads at once, each of which has a new block beside it: one
 * of them takes it. */
static struct mp_block_old
take_old_large(const void *block, size_t size)
{
    struct mp_large_block *entry = large_of(block);
    uintptr_t address = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
    struct mp_block_old old = { (const void *)address,
                                __atomic_load_n(&entry->record, __ATOMIC_RELAXED) };

    if (address == 0 || (size < MP_BLOCK_LARGE && address != (uintptr_t)block) ||
        !__atomic_compare_exchange_n(&entry->address, &address, 0, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        old.record = 0;
    return old;
}

MP_COLD struct mp_block_old
mp_block_take_old(const void *block, size_t size)
{
    uint64_t *word = mp_shadow_find(&mp_block_shadow, (uintptr_t)block);
    struct mp_block_old old = { block, __atomic_load_n(word, __ATOMIC_RELAXED) };

    if (!mp_block_is_record(old.record))
        return take_old_large(block, size);
    __atomic_store_n(word, MP_BLOCK_FREED, __ATOMIC_RELAXED);
    return old;
}

MP_COLD void
mp_block_put_back(const void *block, uint64_t record)
{
    if ((uint32_t)record >= MP_BLOCK_LARGE)
        mp_block_put_large(large_of(block), block, record);
    else
        __atomic_store_n(mp_shadow_find(&mp_block_shadow, (uintptr_t)block), record, __ATOMIC_RELAXED);
}
