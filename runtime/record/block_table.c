/* SPDX-License-Identifier: MIT */
#include "block_table.h"

#include <errno.h>

#include "pool.h"
#include "runtime/system/gate.h"
#include "runtime/system/sandbox.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

#define DONTNEED       4        /* MADV_DONTNEED */
#define POPULATE_WRITE 23       /* MADV_POPULATE_WRITE */
#define FRONT          65536u   /* bytes before the slots of a region, for its large blocks */

MP_LARGE struct mp_shadow_table mp_block_shadow, mp_block_sizes;
uint32_t mp_block_cells, mp_block_distance;
uint64_t mp_block_moves;

_Static_assert(1u << MP_BLOCK_ADDRESS_SHIFT == ((uint64_t)1 << 32) / MP_BLOCK_WINDOW,
               "the bits of an address in a slot identify the block in a window");
_Static_assert(MP_BLOCK_LARGES * sizeof(struct mp_large_block) <= FRONT, "FRONT is too small");

static void
begin_region(void *region)
{
    for (uintptr_t i = 0; i < MP_BLOCK_UNITS; i++)
        *mp_block_unit(region, i << MP_BLOCK_UNIT_BITS) = MP_BLOCK_NO_LEVEL;
}

void
mp_block_open(unsigned distance)
{
    const size_t granules = MP_SHADOW_REGION_SIZE / distance;

    mp_block_distance = distance;
    mp_block_cells = distance < 16 ? MP_BLOCK_FEW_CELLS : MP_BLOCK_CELLS;
    mp_block_shadow.begin = begin_region;
    mp_shadow_open(&mp_block_shadow, distance, sizeof(uint32_t), FRONT, granules * sizeof(uint32_t));
    mp_shadow_open(&mp_block_sizes, distance, sizeof(uint16_t), 0, granules * sizeof(uint16_t));
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

/* ------------------------------------------------------------------ sizes */

MP_LARGE uint16_t *mp_block_cell_sizes[((size_t)1 << MP_CELL_ID_BITS) / MP_BLOCK_CHUNK];

bool
mp_block_make_sizes(uint32_t first, uint32_t count)
{
    const size_t size = MP_BLOCK_CHUNK * sizeof **mp_block_cell_sizes;

    for (uint32_t i = first / MP_BLOCK_CHUNK; i <= (first + count - 1) / MP_BLOCK_CHUNK; i++) {
        uint16_t *present = NULL, *chunk;

        if (__atomic_load_n(&mp_block_cell_sizes[i], __ATOMIC_ACQUIRE))
            continue;
        if (!(chunk = mp_sys_map_sparse(size)))
            return false;
        if (!__atomic_compare_exchange_n(&mp_block_cell_sizes[i], &present, chunk, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            mp_sys_unmap(chunk, size);
    }
    return true;
}

/* Returns the size of the blocks of CELL plus 1, or 0 if they have several sizes. */
static uint32_t
cell_size(uint32_t cell)
{
    const uint16_t *chunk = __atomic_load_n(&mp_block_cell_sizes[cell / MP_BLOCK_CHUNK], __ATOMIC_ACQUIRE);

    return chunk ? __atomic_load_n(&chunk[cell % MP_BLOCK_CHUNK], __ATOMIC_RELAXED) : 0;
}

/* Stores SIZE in the table of sizes, for BLOCK, which will be recorded in SLOT of REGION. Returns false if there
 * is no memory. */
static bool
store_size(const uint32_t *region, const uint32_t *slot, const void *block, size_t size)
{
    uint16_t *sizes = mp_shadow_region(&mp_block_sizes, (uintptr_t)block);

    if (MP_UNLIKELY(!sizes) && !(sizes = mp_shadow_new_region(&mp_block_sizes, (uintptr_t)block)))
        return false;
    __atomic_store_n(mp_block_stored_sizes(region), sizes, __ATOMIC_RELEASE);
    __atomic_store_n(&sizes[slot - region], (uint16_t)size, __ATOMIC_RELAXED);
    return true;
}

/* ------------------------------------------------------------------ slots */

static uintptr_t
granule_of(uintptr_t address, unsigned level)
{
    return address >> level << level;
}

/* Returns the size of BLOCK from the table of sizes. BLOCK is recorded in SLOT. */
static uint32_t
stored_size(const void *block, const uint32_t *slot)
{
    const uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    return mp_block_stored_size(region, (size_t)(slot - region));
}

/* Returns the record of BLOCK if CODE, the contents of SLOT, has the bits of BLOCK's address and the id of an existing
 * cell. Otherwise returns 0. */
static uint64_t
record_in(const uint32_t *slot, uint32_t code, const void *block)
{
    const uint32_t cell = mp_block_code(block, code);
    uint32_t size;

    if (code < MP_BLOCK_MARKS || cell < MP_BLOCK_MARKS || cell >= mp_block_cells)
        return 0;
    size = cell_size(cell);
    return (uint64_t)cell << 32 | (size ? size - 1 : stored_size(block, slot));
}

/* Returns the address of the block in a slot of LEVEL that contains CODE. GRANULE is the address of the slot's
 * granule. */
static uintptr_t
place_in(uint32_t code, uintptr_t granule, unsigned level)
{
    const uint32_t low = code >> 25 << 4 | (mp_block_cells == MP_BLOCK_FEW_CELLS ? code >> 21 & 15 : 0);

    return granule | (low & (((uintptr_t)1 << level) - 1));
}

static uint32_t
state_of(uint32_t *region, uintptr_t address)
{
    return __atomic_load_n(mp_block_unit(region, address), __ATOMIC_RELAXED);
}

static unsigned
level_in(uint32_t unit)
{
    return unit & MP_BLOCK_LEVEL;
}

uint64_t
mp_block_read(uint32_t *region, uintptr_t from, uintptr_t end, unsigned level, bool last, uintptr_t *address)
{
    const uint32_t slots = mp_block_window_slots(state_of(region, from), level);
    uint64_t record, found = 0;

    for (uint32_t i = 0; i < slots; i++) {
        const uint32_t *slot = &region[mp_block_window_index(from, level, i)];
        const uint32_t code = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        const uintptr_t place = place_in(code, granule_of(from, level), level);

        if (place < from || place >= end || (found && (place > *address) != last) ||
            !(record = record_in(slot, code, (const void *)place)))
            continue;
        *address = place;
        found = record;
    }
    return found;
}

/* Returns the record of BLOCK in the slots of levels FROM to TO, and removes it unless KEEP. Returns 0 if no slot has
 * it. UNIT is the state of the block's unit. */
MP_INLINE uint64_t
take_slot(uint32_t *region, const void *block, uint32_t unit, unsigned from, unsigned to, bool keep)
{
    uint64_t record = 0;

    for (unsigned level = from; level <= to && !record; level++) {
        uint32_t *own = mp_block_slot(region, (uintptr_t)block, level);
        uint32_t *slot = level == mp_block_windowed(unit) ? mp_block_in_window(region, block, level) : own;

        record = slot ? record_in(slot, __atomic_load_n(slot, __ATOMIC_ACQUIRE), block) : 0;
        if (record && !keep)
            mp_block_clear(slot, slot != own ? mp_block_displaced_mark(block, level)
                                             : level == level_in(unit) ? (uint8_t)unit : level);
    }
    return record;
}

/* Searches again under the lock after take_slot() has found nothing. MOVES is the value of mp_block_moves before
 * that. If slots were being moved, the record may have been away. */
static uint64_t
take_again(uint32_t *region, const void *block, uint64_t moves, bool keep)
{
    struct mp_gate_hold hold;
    uint64_t record = 0;

    if (mp_thread.held ||
        (moves % 2 == 0 && __atomic_load_n(&mp_block_moves, __ATOMIC_RELAXED) == moves))
        return 0;
    if (mp_gate_lock(&hold)) {      /* if this fails, the process is sandboxed and no slots are moved */
        const uint32_t unit = state_of(region, (uintptr_t)block);

        record = take_slot(region, block, unit, level_in(unit), MP_BLOCK_COARSEST, keep);
    }
    mp_gate_unlock(&hold);
    return record;
}

/* Notes that a block of the unit of BLOCK may be recorded elsewhere than at the unit's level. */
static void
set_mixed(uint32_t *region, const void *block)
{
    uint16_t *unit = mp_block_unit(region, (uintptr_t)block);

    if (!(__atomic_load_n(unit, __ATOMIC_RELAXED) & MP_BLOCK_MIXED))
        __atomic_or_fetch(unit, MP_BLOCK_MIXED, __ATOMIC_RELAXED);
}

#define GROUP  64u              /* units of 2 MB of heap */
#define PROBES 8u               /* units of a group that show whether its sizes are mixed */

/* Returns the level to which blocks lowered a unit that is now in the state STATE, or would lower it if it were plain.
 * Returns MP_BLOCK_NO_LEVEL if there are no such blocks. */
static unsigned
lowered_to(uint32_t state)
{
    if (mp_block_windowed(state))
        return mp_block_shadow.shift;
    return state & MP_BLOCK_MIXED ? level_in(state) : MP_BLOCK_NO_LEVEL;
}

/* Returns the finest level to which blocks lowered or would lower a unit in the group of UNIT, a unit of REGION.
 * Returns MP_BLOCK_NO_LEVEL if there are no such blocks. */
static unsigned
lowered_in_group(const uint32_t *region, const uint16_t *unit)
{
    const uint16_t *units = (const uint16_t *)region, *group = units + (unit - units) / GROUP * GROUP;
    unsigned finest = MP_BLOCK_NO_LEVEL, level;

    for (unsigned i = 0; i < PROBES; i++)
        if ((level = lowered_to(__atomic_load_n(&group[i], __ATOMIC_RELAXED))) < finest)
            finest = level;
    return finest;
}

#define UNIT      (1u << MP_BLOCK_UNIT_BITS)
#define DECIDES   16u           /* number of units that are all shared or plain. The second one decides, which takes
                                   about ten thousand instructions. */
#define EXPENSIVE 20u           /* maximum bytes of slots and sizes for a block where units are always plain */
#define FINE      5u            /* shared units have levels from FINE + 1 to COARSE. At COARSE, windows have 8 slots. */
#define COARSE    8u

uint32_t mp_block_delays = 2;   /* 1 MiB of heap, whose slots and sizes take at most 192 KiB */

/* Returns whether units shall be plain instead of shared once more. */
static bool
delay(void)
{
    uint32_t left = __atomic_load_n(&mp_block_delays, __ATOMIC_RELAXED);

    while (left > 0 && !__atomic_compare_exchange_n(&mp_block_delays, &left, left - 1, 0, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED))
        continue;
    return left > 0;
}

/* Sets BEGINS[I] for each granule I of level FINE of the unit at ADDRESS in which a block begins that is recorded at
 * LEVEL. Returns the number of these blocks. */
static uint32_t
find_begins(uint32_t *region, uintptr_t address, unsigned level, bool *begins)
{
    const uint32_t *slots = mp_block_slot(region, address, level), granule = 1u << level;
    uint32_t n = 0;

    for (uint32_t at = 0; at < UNIT; at += granule) {
        const uint32_t code = __atomic_load_n(&slots[at >> level], __ATOMIC_RELAXED);
        const uint32_t place = (uint32_t)place_in(code, 0, 11), own = place & -granule;

        if (mp_block_is_mark(code))
            continue;
        begins[(at - (at - own) % MP_BLOCK_WINDOW + place - own) % UNIT >> FINE] = true;
        n++;
    }
    return n;
}

/* Returns the level at which units are shared if their blocks are like those of the unit at BEFORE in REGION, whose
 * state is STATE. This is the coarsest level at which 13 of 16 blocks are alone in their granules. Returns 0 if blocks
 * are not EXPENSIVE in plain units of level FINEST, or if there is no such level. */
static unsigned
level_to_share(uint32_t *region, uintptr_t before, uint32_t state, unsigned finest)
{
    const uint32_t width = sizeof *region + (mp_block_has_sizes(region) ? sizeof(uint16_t) : 0);
    bool begins[UNIT >> FINE] = { false };
    uint32_t n = find_begins(region, before, level_in(state), begins), alone;
    unsigned level = FINE;

    if (mp_block_windowed(state) && !(state & MP_BLOCK_SHARED))
        n += find_begins(region, before, mp_block_windowed(state), begins);
    if (n == 0 || width * (UNIT >> finest) <= EXPENSIVE * n)
        return 0;
    do {
        alone = 0;
        for (uint32_t i = 0; i < UNIT >> (level + 1); i++)
            alone += begins[i] = begins[2 * i] || begins[2 * i + 1];
        level += alone >= n * 13 / 16;
    } while (level < COARSE && alone >= n * 13 / 16);
    return level > finest ? level : 0;
}

/* Returns the state at which the unit of BLOCK begins, which has no small blocks yet, for a block that FITS at that
 * level. A plain unit begins at the level to which blocks lowered another unit nearby, which saves the pages of other
 * levels. */
static MP_NOINLINE uint32_t
first_state(uint32_t *region, const void *block, unsigned fits)
{
    const uintptr_t before = granule_of((uintptr_t)block, MP_BLOCK_UNIT_BITS) - UNIT;
    uint32_t *other = mp_shadow_region(&mp_block_shadow, before);
    const uint32_t state = other ? state_of(other, before) : MP_BLOCK_NO_LEVEL;
    const unsigned group = lowered_in_group(region, mp_block_unit(region, (uintptr_t)block));
    const unsigned lowered = mp_block_windowed(state) ? lowered_to(state) : group;
    const unsigned plain = lowered < fits ? lowered : fits;
    unsigned level = state & MP_BLOCK_SHARED ? level_in(state) : 0;

    if (level_in(state) == MP_BLOCK_NO_LEVEL || lowered == MP_BLOCK_NO_LEVEL)
        return plain;
    if (before / UNIT % DECIDES == 0)
        level = level_to_share(other, before, state, plain);
    return level == 0 || delay() ? plain : mp_block_shared(level);
}

/* Makes sure that a block of SIZE bytes can be recorded in the unit of BLOCK. Returns the unit's state. */
MP_INLINE uint32_t
fitting_unit(uint32_t *region, const void *block, size_t size)
{
    const unsigned bits = 63 - (unsigned)__builtin_clzll(size | mp_block_distance);
    const unsigned fits = bits < MP_BLOCK_COARSEST ? bits : MP_BLOCK_COARSEST;
    uint16_t *unit = mp_block_unit(region, (uintptr_t)block), state = __atomic_load_n(unit, __ATOMIC_RELAXED), new;

    while (!(state & MP_BLOCK_SHARED) && fits < level_in(state)) {
        new = (uint16_t)(level_in(state) == MP_BLOCK_NO_LEVEL
                             ? first_state(region, block, fits) | (state & MP_BLOCK_MIXED) : fits | MP_BLOCK_MIXED);
        if (__atomic_compare_exchange_n(unit, &state, new, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            state = new;
    }
    return state;
}

/* Makes the unit at ADDRESS, which is shared and in the state STATE, a plain one of the finest level. Does nothing if
 * the unit is no longer in this state. */
static void
end_sharing(uint32_t *region, uintptr_t address, uint32_t state)
{
    const uint32_t new = (state & ~(MP_BLOCK_SHARED | MP_BLOCK_LEVEL)) | mp_block_shadow.shift | MP_BLOCK_MIXED;
    uint16_t old = (uint16_t)state;

    __atomic_compare_exchange_n(mp_block_unit(region, address), &old, (uint16_t)new, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ records outside of the slots */

/* Small blocks whose cells do not fit into a slot are objects of the pool BEYOND (pool.h). */
#define BEYOND ((const void *)&mp_block_shadow)
bool mp_block_beyond;

static uint64_t
take_beyond(const void *block, bool keep)
{
    struct mp_pool_object object, old;

    if (!__atomic_load_n(&mp_block_beyond, __ATOMIC_RELAXED) || !mp_pool_take(BEYOND, block, &object, 1))
        return 0;
    if (keep)
        mp_pool_put(&object, &old);
    return (uint64_t)object.cell << 32 | object.size;
}

static bool
put_beyond(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    struct mp_pool_object old, object = { .pool = BEYOND, .address = block, .size = size, .count = 1, .cell = cell };

    __atomic_store_n(&mp_block_beyond, true, __ATOMIC_RELAXED);
    set_mixed(region, block);
    return mp_pool_put(&object, &old);
}

static void
put_large(uint32_t *region, const void *block, uint64_t record)
{
    set_mixed(region, block);
    mp_block_store_large(mp_block_large(region, block), block, record);
}

static uint64_t
take_large(uint32_t *region, const void *block, bool keep)
{
    const uint64_t record = mp_block_find_large(region, block);

    if (record && !keep)
        mp_block_clear_large(region, block);
    return record;
}

/* Returns the record of BLOCK, wherever it is, and removes it unless KEEP. Returns 0 if it has none. Looks last at
 * slots that are rarely used. */
MP_INLINE uint64_t
take(const void *block, bool keep)
{
    const uint64_t moves = __atomic_load_n(&mp_block_moves, __ATOMIC_ACQUIRE);
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block), unit;
    unsigned level;
    uint64_t record;

    if (MP_UNLIKELY(!region))
        return 0;
    unit = state_of(region, (uintptr_t)block);
    level = level_in(unit);
    if ((record = take_large(region, block, keep)) != 0 ||
        (record = take_slot(region, block, unit, level, level, keep)) != 0 ||
        (record = take_slot(region, block, unit, level + 1, MP_BLOCK_COARSEST, keep)) != 0 ||
        (record = take_again(region, block, moves, keep)) != 0)
        return record;
    return take_beyond(block, keep);
}

uint64_t
mp_block_take(const void *block)
{
    return take(block, false);
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
    const uint64_t record = take(block, true);

    *size = (uint32_t)record == MP_SHADOW_HUGE ? huge_size(block) : (uint32_t)record;
    return record != 0 && ((uint32_t)record != MP_SHADOW_HUGE || *size > 0);
}

/* ------------------------------------------------------------------ invalid frees */

/* Returns whether THERE, which is in slot NUMBER of the window of BLOCK at LEVEL, says that BLOCK was freed. */
static bool
is_freed(uint32_t there, const void *block, unsigned level, uint32_t number)
{
    if (number == 0 && (there == level || there == (level | MP_BLOCK_SHARED)))
        return true;
    return there == mp_block_displaced_mark(block, level);
}

MP_COLD void
mp_block_unrecorded(const void *block)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block), unit;
    uint64_t freed = (uintptr_t)block;

    if (!region)
        return;
    unit = state_of(region, (uintptr_t)block);
    for (unsigned level = level_in(unit); level <= MP_BLOCK_COARSEST; level++)
        for (uint32_t i = 0; i < mp_block_window_slots(unit, level); i++) {
            uint32_t *slot = &region[mp_block_window_index((uintptr_t)block, level, i)];
            uint32_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);

            if (is_freed(there, block, level, i))
                __atomic_compare_exchange_n(slot, &there, MP_BLOCK_UNSEEN, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        }
    __atomic_compare_exchange_n(&mp_block_large(region, block)->record, &freed, 0, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

bool
mp_block_was_freed(const void *address)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)address);
    const struct mp_large_block *entry;
    uint32_t unit;

    if (!region)
        return false;
    unit = state_of(region, (uintptr_t)address);
    entry = mp_block_large(region, address);
    if (__atomic_load_n(&entry->address, __ATOMIC_RELAXED) == 0 &&
        __atomic_load_n(&entry->record, __ATOMIC_RELAXED) == (uintptr_t)address)
        return true;
    for (unsigned level = level_in(unit); level <= MP_BLOCK_COARSEST; level++) {
        const uint32_t *own = mp_block_slot(region, (uintptr_t)address, level);
        const uint32_t there = __atomic_load_n(own, __ATOMIC_RELAXED), slots = mp_block_window_slots(unit, level);
        const uintptr_t place = place_in(there, granule_of((uintptr_t)address, level), level);

        for (uint32_t i = 0; i < slots; i++) {
            const uint32_t index = mp_block_window_index((uintptr_t)address, level, i);

            if (is_freed(__atomic_load_n(&region[index], __ATOMIC_RELAXED), address, level, i))
                return true;
        }
        if (slots == 1 ? there != 0 : there == MP_BLOCK_UNSEEN || record_in(own, there, (const void *)place))
            return false;           /* there was a later block in the granule */
    }
    return false;
}

/* Returns whether ADDRESS is inside the nearest small block that begins before it. */
static bool
is_within_small(uintptr_t address)
{
    uintptr_t nearest = 0, end = 0;

    for (unsigned level = mp_block_shadow.shift; level <= MP_BLOCK_COARSEST; level++) {
        const uintptr_t granule = (uintptr_t)1 << level, own = granule_of(address, level);

        for (uintptr_t at = own; at + MP_BLOCK_LARGE > own && at >= granule; at -= granule) {
            uint32_t *region = mp_shadow_region(&mp_block_shadow, at);
            uintptr_t start = 0;
            const uintptr_t limit = at + granule < address ? at + granule : address;
            const uint64_t record = region ? mp_block_read(region, at, limit, level, true, &start) : 0;

            if (!record)
                continue;
            if (start > nearest) {
                nearest = start;
                end = start + (uint32_t)record;
            }
            break;
        }
    }
    return address < end;
}

#define STEPS_AT_ONCE ((uint32_t)1 << 15)       /* maximum distance to the beginning of a large block, in units of
                                                   MP_BLOCK_LARGE bytes */
#define MOST_STEPS    ((uint32_t)1 << 24)       /* maximum number of steps of all calls together; they take some
                                                   ten milliseconds */

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

/* ------------------------------------------------------------------ all blocks */

static void
clear(void *words, size_t size)
{
    if (mp_sys_madvise(words, size, DONTNEED) < 0)      /* for example because the memory is locked */
        __builtin_memset(words, 0, size);
}

/* The states of the units, which are in front of the slots, remain valid. Units are shared no longer, because a thread
 * that is just removing a record may store its mark after the slot was cleared. That slot must not be claimed again. */
void
mp_block_clear_all(void)
{
    MP_LOCK_HELD();
    const size_t first = MP_SHADOW_REGION_SIZE >> MP_BLOCK_COARSEST;
    struct mp_shadow_walk walk = { 0 };
    uint32_t *region;

    while ((region = mp_shadow_next(&mp_block_shadow, &walk))) {
        const size_t end = 2 * (MP_SHADOW_REGION_SIZE / mp_block_distance);     /* unknown before there are regions */

        for (uintptr_t i = 0; i < MP_BLOCK_UNITS; i++) {
            const uintptr_t unit = i << MP_BLOCK_UNIT_BITS;
            const uint32_t state = state_of(region, unit);

            if (state & MP_BLOCK_SHARED)
                end_sharing(region, unit, state);
        }
        clear((char *)region - FRONT, FRONT);
        clear(region + first, (end - first) * sizeof *region);
    }
}

/* ------------------------------------------------------------------ ahead of a growing heap */

#define MOST_AHEAD 16u          /* pages at once */
#define HEAPS      8u

/* Growing heaps, indexed by a hash of the region. The pages of slots below `end` are present. The last `step`
 * pages were populated together. If several threads change an entry at once, that only costs time. */
static struct { uintptr_t end; size_t step; } ahead[HEAPS];

/* Populates SIZE bytes of slots at START. Without that, each page of a growing heap would cost two faults: one
 * for a zero page when a slot is read, and one for a page when it is written. Has no effect before Linux 5.14. */
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
go_ahead(uint32_t *region, uint32_t *slot, unsigned level)
{
    const uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(MP_BLOCK_PAGE - 1);
    const uintptr_t limit = (uintptr_t)(region + (2 * MP_SHADOW_REGION_SIZE >> level));
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

/* ------------------------------------------------------------------ freed unseen */

/* Finds an old record in the slot of LEVEL that is in the way of a new block of SIZE bytes at ADDRESS. If OWN,
 * that is any record; otherwise only one of a block that overlaps the new one. Takes the record if TAKE. Several
 * threads with new blocks may find it at once, and one of them takes it. */
static struct mp_block_old
old_slot(uint32_t *region, uintptr_t address, size_t size, unsigned level, bool own, bool take)
{
    uint32_t *slot = mp_block_slot(region, address, level), code = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    struct mp_block_old old = { NULL, 0 };
    uintptr_t place;
    bool is_old;

    if (MP_LIKELY(code < MP_BLOCK_MARKS))
        return old;
    place = place_in(code, granule_of(address, level), level);
    old = (struct mp_block_old){ (const void *)place, record_in(slot, code, (const void *)place) };
    is_old = own || (old.record && (place < address ? address - place < (uint32_t)old.record
                                                    : place == address || place - address < size));
    if (!is_old || (take && !__atomic_compare_exchange_n(slot, &code, level, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)))
        old.record = 0;
    return old;
}

/* Finds the record of the large block of ENTRY, and takes it if TAKE. If ADDRESS is not 0, only a block at
 * ADDRESS counts. */
static struct mp_block_old
old_large(struct mp_large_block *entry, uintptr_t address, bool take)
{
    uintptr_t there = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
    struct mp_block_old old = { (const void *)there,
                                __atomic_load_n(&entry->record, __ATOMIC_RELAXED) };

    if (there == 0 || (address && there != address) ||
        (take && !__atomic_compare_exchange_n(&entry->address, &there, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)))
        old.record = 0;
    return old;
}

/* Finds an old record in the way of a new block of SIZE bytes, and takes it if TAKE. In a window, finds only a record
 * with the address BLOCK, so no other thread takes it. */
static struct mp_block_old
find_old(uint32_t *region, const void *block, size_t size, bool take)
{
    const bool small = size < MP_BLOCK_LARGE;
    const uint32_t unit = state_of(region, (uintptr_t)block);
    const unsigned now = level_in(unit);
    struct mp_block_old old = { NULL, 0 };

    for (unsigned level = now; level <= MP_BLOCK_COARSEST && !old.record; level++) {
        if (level == mp_block_windowed(unit))
            old = (struct mp_block_old){ block, take_slot(region, block, unit, level, level, !take) };
        if (!old.record && (level > now || !(unit & MP_BLOCK_SHARED)))
            old = old_slot(region, (uintptr_t)block, size, level, small && level == now, take);
    }
    if (!old.record)
        old = old_large(mp_block_large(region, block), small ? (uintptr_t)block : 0, take);
    if (!old.record)
        old = (struct mp_block_old){ block, take_beyond(block, !take) };
    return old;
}

MP_COLD struct mp_block_old
mp_block_take_old(const void *block, size_t size)
{
    return find_old(mp_shadow_region(&mp_block_shadow, (uintptr_t)block), block, size, true);
}

/* ------------------------------------------------------------------ new blocks */

/* Returns whether an old record is in the way of a new block of SIZE bytes at BLOCK and is not in a slot of a level
 * finer than LEVEL. UNIT is the state of the block's unit. */
static bool
has_old(uint32_t *region, const void *block, size_t size, unsigned level, uint32_t unit)
{
    bool any = mp_block_has_outside(region, block, size);

    if (mp_block_windowed(unit) >= level)
        any |= mp_block_in_window(region, block, mp_block_windowed(unit)) != NULL;
    for (; !any && level <= MP_BLOCK_COARSEST; level++)
        any = __atomic_load_n(mp_block_slot(region, (uintptr_t)block, level), __ATOMIC_RELAXED) >= MP_BLOCK_MARKS;
    return any && find_old(region, block, size, false).record;
}

static enum mp_block_put
put_outside(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    const size_t size32 = size < MP_SHADOW_HUGE ? size : MP_SHADOW_HUGE;
    const uint32_t unit = state_of(region, (uintptr_t)block);

    if (has_old(region, block, size, level_in(unit), unit))
        return MP_BLOCK_OLD;
    if (size < MP_BLOCK_LARGE)
        return put_beyond(region, block, size, cell) ? MP_BLOCK_DONE : MP_BLOCK_NO_MEMORY;
    if (size32 == MP_SHADOW_HUGE && mp_shadow_put_huge((uintptr_t)block, size) != 0)
        return MP_BLOCK_NO_MEMORY;
    put_large(region, block, (uint64_t)cell << 32 | size32);
    return MP_BLOCK_DONE;
}

/* Records a small BLOCK in its own slot. UNIT is the state of its unit, a plain one whose level fits. */
MP_INLINE enum mp_block_put
put_plain(uint32_t *region, const void *block, size_t size, uint32_t cell, uint32_t unit)
{
    const unsigned level = level_in(unit);
    uint32_t *slot = mp_block_slot(region, (uintptr_t)block, level), there = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (there >= MP_BLOCK_MARKS ||
        (there == 0 && unit & MP_BLOCK_MIXED && has_old(region, block, size, level + 1, unit)))
        return MP_BLOCK_OLD;
    if (there == 0 && (uintptr_t)slot % MP_BLOCK_PAGE < MP_BLOCK_PAGE_BEGINS)
        go_ahead(region, slot, level);
    if (!cell_size(cell) && !store_size(region, slot, block, size))
        return MP_BLOCK_NO_MEMORY;
    __atomic_store_n(slot, mp_block_code(block, cell), __ATOMIC_RELAXED);
    return MP_BLOCK_DONE;
}

/* Makes the slots of the unit of BLOCK, which is shared at LEVEL, usable for claims. Returns false if that is
 * impossible, or if the unit is shared no longer. The lock is necessary because the slots are 0 while their page is
 * being released (block_trim.h). If one of them were claimed then, a record in the old page could not be put back, and
 * a free of the block there could remove the record of another. */
static MP_COLD bool
make_claimable(uint32_t *region, const void *block, unsigned level)
{
    const uint32_t slots = 1u << MP_BLOCK_UNIT_BITS >> level;
    uint32_t *first = mp_block_slot(region, granule_of((uintptr_t)block, MP_BLOCK_UNIT_BITS), level);
    struct mp_gate_hold hold;
    bool usable;

    if (mp_thread.held)
        return false;
    if ((uintptr_t)first % MP_BLOCK_PAGE == 0)
        go_ahead(region, first, level);
    usable = mp_gate_lock(&hold) && state_of(region, (uintptr_t)block) & MP_BLOCK_SHARED;
    for (uint32_t i = 0; i < slots && usable; i++) {
        uint32_t nothing = 0;

        __atomic_compare_exchange_n(&first[i], &nothing, MP_BLOCK_UNUSED, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    mp_gate_unlock(&hold);
    return usable;
}

/* Records a small BLOCK in its window. UNIT is the state of its unit, a shared one. If the window is full, the unit is
 * shared no longer and the function returns false. Otherwise sets *RESULT. */
static MP_NOINLINE bool
put_shared(uint32_t *region, const void *block, size_t size, uint32_t cell, uint32_t unit, enum mp_block_put *result)
{
    uint32_t index;

    *result = MP_BLOCK_OLD;
    if (mp_block_in_window(region, block, level_in(unit)) || has_old(region, block, size, MP_BLOCK_NO_LEVEL, unit))
        return true;
    index = mp_block_claim(region, block, unit, cell);
    if (!index && make_claimable(region, block, level_in(unit)))
        index = mp_block_claim(region, block, unit, cell);
    if (!index) {
        end_sharing(region, (uintptr_t)block, unit);
        return false;
    }
    *result = MP_BLOCK_DONE;
    if (!cell_size(cell) && !store_size(region, &region[index], block, size)) {
        mp_block_clear(&region[index], MP_BLOCK_UNSEEN);
        *result = MP_BLOCK_NO_MEMORY;
    }
    return true;
}

MP_NOINLINE enum mp_block_put
mp_block_put_late(uint32_t *region, const void *block, size_t size, uint32_t cell)
{
    enum mp_block_put result;
    uint32_t unit;

    if (MP_UNLIKELY(size >= MP_BLOCK_LARGE) || MP_UNLIKELY(cell >= mp_block_cells))
        return put_outside(region, block, size, cell);
    do {
        unit = fitting_unit(region, block, size);
        if (!(unit & MP_BLOCK_SHARED))
            return put_plain(region, block, size, cell, unit);
    } while (!put_shared(region, block, size, cell, unit, &result));
    return result;
}

void
mp_block_put_back(const void *block, uint64_t record)
{
    uint32_t *region = mp_shadow_region(&mp_block_shadow, (uintptr_t)block);

    if ((uint32_t)record >= MP_BLOCK_LARGE)
        put_large(region, block, record);
    else
        mp_block_put_late(region, block, (uint32_t)record, (uint32_t)(record >> 32));
}
