#include "block_table.h"

#include <errno.h>

#include "pool.h"
#include "runtime/system/gate.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

#define POPULATE_WRITE 23       /* MADV_POPULATE_WRITE */

struct mp_shadow_table mp_block_shadow;
uint64_t mp_block_moves;
bool mp_block_unmarked;

void
mp_block_open(unsigned distance)
{
    mp_shadow_open(&mp_block_shadow, distance, sizeof(uint32_t),
                   MP_BLOCK_LARGES * sizeof(struct mp_large_block), sizeof(uint32_t));
}

MP_COLD uint32_t *
mp_block_force_region(const void *block)
{
    uint32_t *region = mp_shadow_new_region(&mp_block_shadow, (uintptr_t)block);
    struct mp_gate_hold hold;
    bool taken = mp_gate_lock(&hold);

    if (taken)
        region = mp_shadow_force_region(&mp_block_shadow, (uintptr_t)block);
    mp_gate_unlock(&hold);
    return region;
}

/* ------------------------------------------------------------------ slots */

/* A slot and the next one. */
struct slots { uint32_t first, next; };

static struct slots
read_slots(const uint32_t *slot)
{
    return (struct slots){ __atomic_load_n(slot, __ATOMIC_ACQUIRE),
                           __atomic_load_n(slot + 1, __ATOMIC_ACQUIRE) };
}

static void
set_freed(uint32_t *slot)
{
    __atomic_store_n(slot, MP_BLOCK_FREED, __ATOMIC_RELAXED);
}

/* Returns the record in SLOTS, or 0 if they contain no record. */
static uint64_t
record_in(struct slots slots)
{
    uint32_t size = slots.first >> MP_BLOCK_CELL_BITS;

    if (size > MP_BLOCK_ONE_SLOT)
        size = slots.next - MP_BLOCK_NEXT;
    if (!mp_block_is_used(slots.first) || slots.first >= MP_BLOCK_NEXT || size >= MP_BLOCK_LARGE)
        return 0;
    return (uint64_t)(slots.first & MP_BLOCK_CELL) << 32 | size;
}

/* Returns the contents of SLOT and the next one, read when no slots are being moved. */
static struct slots
look_again(const uint32_t *slot)
{
    uint64_t moves = __atomic_load_n(&mp_block_moves, __ATOMIC_ACQUIRE);
    struct slots slots = read_slots(slot);
    struct mp_gate_hold hold;

    if (record_in(slots) || mp_thread.held ||
        (moves % 2 == 0 && __atomic_load_n(&mp_block_moves, __ATOMIC_RELAXED) == moves))
        return slots;
    if (mp_gate_lock(&hold))        /* if it fails, the process is sandboxed, and nothing is moved */
        slots = read_slots(slot);
    mp_gate_unlock(&hold);
    return slots;
}

/* ------------------------------------------------------------------ records outside of the slots */

/* The pool of small blocks whose cells do not fit into a slot. */
#define BEYOND ((const void *)&mp_block_shadow)

static MP_COLD enum mp_block_put
put_beyond(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    struct mp_pool_object old, object = { .pool = BEYOND, .address = block, .size = size, .count = 1, .cell = cell };
    uint32_t *slot = mp_block_slot(region, block);

    if (__atomic_load_n(slot, __ATOMIC_RELAXED) & ~MP_BLOCK_FREED || mp_block_is_large(region, block))
        return MP_BLOCK_OLD;
    if (!mp_pool_put(&object, &old))
        return MP_BLOCK_NO_MEMORY;
    __atomic_store_n(slot, MP_BLOCK_ELSEWHERE, __ATOMIC_RELAXED);
    return MP_BLOCK_DONE;
}

static uint64_t
take_beyond(const void *block)
{
    struct mp_pool_object object;

    return mp_pool_take(BEYOND, block, &object, 1) ? (uint64_t)object.cell << 32 | object.size : 0;
}

/* Does what take_beyond() does, but keeps the record. */
static MP_COLD uint64_t
find_beyond(const void *block)
{
    struct mp_pool_object object, old;

    if (!mp_pool_take(BEYOND, block, &object, 1))
        return 0;
    mp_pool_put(&object, &old);
    return (uint64_t)object.cell << 32 | object.size;
}

/* Stores RECORD of the large BLOCK. If there were small blocks before, marks SLOT; otherwise leaves it untouched. */
MP_INLINE void
put_large(struct mp_large_block *entry, uint32_t *slot, const void *block, uint64_t record)
{
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) != 0)
        __atomic_store_n(slot, MP_BLOCK_ELSEWHERE, __ATOMIC_RELAXED);
    else if (!__atomic_load_n(&mp_block_unmarked, __ATOMIC_RELAXED))
        __atomic_store_n(&mp_block_unmarked, true, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->record, record, __ATOMIC_RELAXED);
    __atomic_store_n(&entry->address, (uintptr_t)block, __ATOMIC_RELEASE);
}

static MP_COLD enum mp_block_put
put_huge(struct mp_large_block *entry, uint32_t *slot, const void *block, size_t size, uint32_t cell)
{
    if (mp_shadow_put_huge((uintptr_t)block, size) != 0)
        return MP_BLOCK_NO_MEMORY;
    put_large(entry, slot, block, (uint64_t)cell << 32 | MP_SHADOW_HUGE);
    return MP_BLOCK_DONE;
}

enum mp_block_put
mp_block_put_elsewhere(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    struct mp_large_block *entry = mp_block_large(region, block);
    uint32_t *slot = mp_block_slot(region, block);

    if (MP_UNLIKELY(size < MP_BLOCK_LARGE))
        return put_beyond(region, block, size, cell);
    if (MP_UNLIKELY(__atomic_load_n(slot, __ATOMIC_RELAXED) & ~MP_BLOCK_FREED) ||
        MP_UNLIKELY(__atomic_load_n(&entry->address, __ATOMIC_RELAXED) != 0))
        return MP_BLOCK_OLD;
    if (MP_UNLIKELY(size >= MP_SHADOW_HUGE))
        return put_huge(entry, slot, block, size, cell);
    put_large(entry, slot, block, (uint64_t)cell << 32 | size);
    return MP_BLOCK_DONE;
}

uint64_t
mp_block_take_elsewhere(uint32_t *region, const void *block)
{
    struct mp_large_block *entry = mp_block_large(region, block);
    uint32_t *slot = mp_block_slot(region, block);
    struct slots slots;
    uint64_t record;

    if (MP_LIKELY(mp_block_is_large(region, block))) {
        record = __atomic_load_n(&entry->record, __ATOMIC_RELAXED);
        __atomic_store_n(&entry->record, (uintptr_t)block, __ATOMIC_RELAXED);
        __atomic_store_n(&entry->address, 0, __ATOMIC_RELAXED);
        if (__atomic_load_n(slot, __ATOMIC_RELAXED) != 0)
            set_freed(slot);
        return record;
    }
    slots = look_again(slot);
    record = slots.first == MP_BLOCK_ELSEWHERE ? take_beyond(block) : record_in(slots);
    if (record) {
        if (slots.first >= MP_BLOCK_TWO_SLOTS)
            set_freed(slot + 1);
        set_freed(slot);
    }
    return record;
}

/* Returns the size of a huge block. Returns 0 if it is unknown. */
static MP_COLD size_t
huge_size(const void *block)
{
    struct mp_gate_hold hold;
    size_t size = mp_gate_lock(&hold) ? mp_shadow_find_huge((uintptr_t)block, false) : 0;

    mp_gate_unlock(&hold);
    return size;
}

bool
mp_block_find_size(const void *block, size_t *size)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);
    struct slots slots;
    uint64_t record;

    if (!region)
        return false;
    if (mp_block_is_large(region, block)) {
        record = __atomic_load_n(&mp_block_large(region, block)->record, __ATOMIC_RELAXED);
    } else {
        slots = look_again(mp_block_slot(region, block));
        record = slots.first == MP_BLOCK_ELSEWHERE ? find_beyond(block) : record_in(slots);
    }
    *size = (uint32_t)record == MP_SHADOW_HUGE ? huge_size(block) : (uint32_t)record;
    return record != 0 && ((uint32_t)record != MP_SHADOW_HUGE || *size > 0);
}

void
mp_block_put_back(const void *block, uint64_t record)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    if ((uint32_t)record >= MP_BLOCK_LARGE)
        put_large(mp_block_large(region, block), mp_block_slot(region, block), block, record);
    else
        mp_block_put(region, block, (uint32_t)record, (uint32_t)(record >> 32));
}

/* ------------------------------------------------------------------ invalid frees */

MP_COLD void
mp_block_unrecorded(const void *block)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block), *slot;
    uint64_t freed = (uintptr_t)block;

    if (!region)
        return;
    slot = mp_block_slot(region, block);
    if (__atomic_load_n(slot, __ATOMIC_RELAXED) == MP_BLOCK_FREED)
        __atomic_store_n(slot, MP_BLOCK_UNSEEN, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&mp_block_large(region, block)->record, &freed, 0, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

bool
mp_block_was_freed(const void *address)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)address);
    const struct mp_large_block *entry = region ? mp_block_large(region, address) : NULL;

    return region && (__atomic_load_n(mp_block_slot(region, address), __ATOMIC_RELAXED) == MP_BLOCK_FREED ||
                      (__atomic_load_n(&entry->address, __ATOMIC_RELAXED) == 0 &&
                       __atomic_load_n(&entry->record, __ATOMIC_RELAXED) == (uintptr_t)address));
}

/* Returns whether ADDRESS is inside the nearest small block that begins in an earlier granule. Returns false for
 * the last bytes of that block, less than a granule, because its exact beginning is unknown. */
static bool
is_within_small(uintptr_t address)
{
    const uintptr_t granule = (uintptr_t)1 << mp_block_shadow.shift;
    const uintptr_t own = address & ~(granule - 1), first = own > MP_BLOCK_LARGE ? own - MP_BLOCK_LARGE : granule;

    for (uintptr_t at = own - granule; at >= first; at -= granule) {
        uint32_t *region = mp_shadow_region(&mp_block_shadow, at);
        uint64_t record = region ? record_in(read_slots(mp_block_slot(region, (const void *)at))) : 0;

        if (record)
            return address < at + (uint32_t)record;
    }
    return false;
}

#define STEPS_AT_ONCE ((uint32_t)1 << 15)       /* maximum distance to the beginning of a large block, KiB */
#define MOST_STEPS    ((uint32_t)1 << 24)       /* of all calls together: some ten milliseconds */

/* Returns whether ADDRESS is inside the nearest large block that begins before it. */
static bool
is_within_large(uintptr_t address)
{
    static uint32_t all_steps;

    for (uint32_t i = 0; i < STEPS_AT_ONCE && address / MP_BLOCK_LARGE > i; i++) {
        const uintptr_t at = address - i * (uintptr_t)MP_BLOCK_LARGE;
        uint32_t *region = mp_shadow_region(&mp_block_shadow, at);
        const struct mp_large_block *entry = region ? mp_block_large(region, (const void *)at) : NULL;
        const uintptr_t start = entry ? __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE) : 0;

        if (__atomic_load_n(&all_steps, __ATOMIC_RELAXED) >= MOST_STEPS)
            return false;
        __atomic_add_fetch(&all_steps, 1, __ATOMIC_RELAXED);
        if (!region)
            i += MP_BLOCK_LARGES - 1;
        if (start && start < address)
            return address - start < (uint32_t)__atomic_load_n(&entry->record, __ATOMIC_RELAXED);
    }
    return false;
}

bool
mp_block_is_within(const void *address)
{
    return is_within_small((uintptr_t)address) || is_within_large((uintptr_t)address);
}

/* ------------------------------------------------------------------ ahead of a growing heap */

#define MOST_AHEAD 16u          /* pages at once */
#define HEAPS      8u

/* Where heaps grow, indexed by region. Pages are present up to END. The last STEP bytes were populated together.
 * Several threads may change an entry at once; that only costs time. */
static struct { uintptr_t end; size_t step; } ahead[HEAPS];

/* Populates pages of slots of a growing heap. One by one, each page would cost two faults: one for a zero page to
 * read, and one for a page to write. So when consecutive pages come into use, the next ones are populated
 * together, in steps that double up to MOST_AHEAD. Not possible before Linux 5.14. */
static void
populate(uintptr_t start, size_t size)
{
    static bool cannot;

    if (__atomic_load_n(&cannot, __ATOMIC_RELAXED) || !mp_sandbox_enter())
        return;
    if (mp_sys_madvise((void *)start, size, POPULATE_WRITE) == -EINVAL)
        __atomic_store_n(&cannot, true, __ATOMIC_RELAXED);
    mp_sandbox_leave();
}

static void
go_ahead(uint32_t *region, uint32_t *slot)
{
    const uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(MP_BLOCK_PAGE - 1);
    const uintptr_t limit = (uintptr_t)mp_shadow_extra(&mp_block_shadow, region);
    const unsigned heap = (uintptr_t)region / 65536 % HEAPS;
    const uintptr_t end = __atomic_load_n(&ahead[heap].end, __ATOMIC_RELAXED);
    size_t step = __atomic_load_n(&ahead[heap].step, __ATOMIC_RELAXED);

    if (page < end && end - page <= step * MP_BLOCK_PAGE)
        return;
    step = page != end ? 1 : step < MOST_AHEAD ? 2 * step : MOST_AHEAD;
    if (step > (limit - page) / MP_BLOCK_PAGE)
        step = (limit - page) / MP_BLOCK_PAGE;
    if (step > 1)
        populate(page, step * MP_BLOCK_PAGE);
    __atomic_store_n(&ahead[heap].step, step, __ATOMIC_RELAXED);
    __atomic_store_n(&ahead[heap].end, page + step * MP_BLOCK_PAGE, __ATOMIC_RELAXED);
}

MP_COLD enum mp_block_put
mp_block_put_late(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    uint32_t *slot = mp_block_slot(region, block);

    if (__atomic_load_n(slot, __ATOMIC_RELAXED) & ~MP_BLOCK_FREED || mp_block_is_large(region, block))
        return MP_BLOCK_OLD;
    if ((uintptr_t)slot % MP_BLOCK_PAGE < MP_BLOCK_PAGE_BEGINS)
        go_ahead(region, slot);
    return mp_block_put_slots(slot, size, cell) ? MP_BLOCK_DONE : MP_BLOCK_OLD;
}

/* ------------------------------------------------------------------ freed unseen */

/* Takes the record in SLOT if its contents are LEAST or more. Two threads whose new blocks replace one old block
 * may both find it, by its two slots. One takes it. While the other looks for the size, SLOT may already contain
 * the first thread's new block, which has this one slot. */
static uint64_t
take_old_record(uint32_t *slot, uint32_t least)
{
    struct slots slots = look_again(slot);
    uint64_t record = record_in(slots);

    if (!record || slots.first < least ||
        !__atomic_compare_exchange_n(slot, &slots.first, MP_BLOCK_FREED, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return 0;
    if (slots.first >= MP_BLOCK_TWO_SLOTS)
        __atomic_compare_exchange_n(slot + 1, &slots.next, MP_BLOCK_FREED, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
    return record;
}

/* Takes the old large block of ENTRY, if it begins at ADDRESS or ADDRESS is 0. Several threads with new blocks
 * beside it may find it at once; one of them takes it. */
static struct mp_block_old
take_old_large(struct mp_large_block *entry, uintptr_t address)
{
    uintptr_t there = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
    struct mp_block_old old = { (const void *)there,
                                __atomic_load_n(&entry->record, __ATOMIC_RELAXED) };

    if (there == 0 || (address && there != address) ||
        !__atomic_compare_exchange_n(&entry->address, &there, 0, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        old.record = 0;
    return old;
}

/* Takes the old block that begins in the granule at ADDRESS and whose record is not in its slot. */
static struct mp_block_old
take_old_elsewhere(uint32_t *region, uintptr_t address)
{
    const uintptr_t end = address + ((uintptr_t)1 << mp_block_shadow.shift);
    struct mp_block_old old = { NULL, 0 };

    for (; address < end && !old.record; address += 8) {
        old = take_old_large(mp_block_large(region, (const void *)address), address);
        if (!old.record)
            old = (struct mp_block_old){ (const void *)address, take_beyond((const void *)address) };
    }
    return old;
}

/* Takes the old record of which SLOT, of the granule at ADDRESS, is part. Then the slot belongs to a new block. */
static struct mp_block_old
take_old_slot(uint32_t *region, uint32_t *slot, uintptr_t address)
{
    const uintptr_t granule = (uintptr_t)1 << mp_block_shadow.shift;
    uint32_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    struct mp_block_old old = { (const void *)address, 0 };

    if (there == MP_BLOCK_ELSEWHERE)
        old = take_old_elsewhere(region, address);
    else if (there >= MP_BLOCK_NEXT)
        old = (struct mp_block_old){ (const void *)(address - granule),
                                     take_old_record(slot - 1, MP_BLOCK_TWO_SLOTS) };
    else
        old.record = take_old_record(slot, 0);
    if (there & ~MP_BLOCK_FREED)
        set_freed(slot);
    return old;
}

MP_COLD struct mp_block_old
mp_block_take_old(const void *block, size_t size)
{
    const uintptr_t granule = (uintptr_t)1 << mp_block_shadow.shift;
    const uintptr_t address = (uintptr_t)block & ~(granule - 1);
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);
    uint32_t *slot = mp_block_slot(region, block);
    struct mp_block_old old = take_old_slot(region, slot, address);

    if (!old.record && size > MP_BLOCK_ONE_SLOT && size < MP_BLOCK_LARGE)
        old = take_old_slot(region, slot + 1, address + granule);
    if (!old.record)
        old = take_old_large(mp_block_large(region, block),
                             size < MP_BLOCK_LARGE ? (uintptr_t)block : 0);
    return old;
}
