/* SPDX-License-Identifier: MIT */
#include "block_trim.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "block_table.h"
#include "counter.h"
#include "recorder.h"
#include "runtime/store/store.h"
#include "runtime/system/fault.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"
#include "runtime/system/thread.h"

#define MIN_FALL  ((int64_t)4 << 20)    /* bytes by which live bytes must fall; they must also fall by a quarter */
#define AGAIN     256u          /* frees until the first recheck; the intervals to the further ones grow four times
                                   each */
#define AT_ONCE   4096u         /* maximum number of pages of heap processed at once */

/* Guarded by the lock. */
static int64_t highest;         /* maximum live bytes since the last fall */
static size_t page;             /* kernel's page size, bytes */

/* Rechecks after a fall, because the allocator may release more memory later. `frees` counts the frees of all
 * threads since the last check. The next recheck is due at `after` frees; 0 if there was no fall. */
static struct { uint64_t frees, after; } again;

/* ------------------------------------------------------------------ moving */

/* Returns whether SLOT has information about a block. */
static bool
tells(uint32_t slot)
{
    return slot == MP_BLOCK_UNSEEN || !mp_block_is_mark(slot);
}

/* Copies the slots from FROM to END to TO, from where they were moved away. Skips slots of TO that are in use. */
static void
put_back(const uint32_t *from, const uint32_t *end, uint32_t *to)
{
    for (; from < end; from++, to++) {
        uint32_t nothing = 0;

        if (tells(*from))
            __atomic_compare_exchange_n(to, &nothing, *from, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

static bool
give_back(uint32_t *slots, size_t size)
{
    uint32_t *moved;

    __atomic_store_n(&mp_block_moves, mp_block_moves | 1, __ATOMIC_RELAXED);  /* the number is odd already if a
                                                                                 fork interrupted a move */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    moved = mp_sys_move_away(slots, size);
    if (moved)
        put_back(moved, moved + size / sizeof *moved, slots);
    __atomic_store_n(&mp_block_moves, mp_block_moves + 1, __ATOMIC_RELEASE);
    if (moved)
        mp_sys_unmap(moved, size);
    return moved != NULL;
}

/* ------------------------------------------------------------------ pages that can be released */

/* there[] states for each page of slots whether it is present and can be released. heap[] states for each page of
 * heap whether it is present. Guarded by the lock. */
static MP_LARGE uint8_t there[AT_ONCE], heap[AT_ONCE];

static bool
is_empty(const uint32_t *slots)
{
    for (size_t i = 0; i < page / sizeof *slots; i++)
        if (tells(__atomic_load_n(&slots[i], __ATOMIC_RELAXED)))
            return false;
    return true;
}

/* Returns the bytes of heap whose slots of LEVEL are in one page. */
static size_t
heap_of_page(unsigned level)
{
    return page / sizeof(uint32_t) << level;
}

/* Returns whether any page of the SIZE bytes of heap at ADDRESS is present. Some pages are not mapped. */
static bool
has_part(uintptr_t address, size_t size)
{
    for (size_t at = 0; at < size; at += page)
        if (mp_sys_resident((void *)(address + at), page, heap) == 0 && heap[0] & 1)
            return true;
    return false;
}

/* Clears there[] for those pages of slots of LEVEL, from number FROM to END, whose heap has a present page. All
 * these pages of slots are present. ADDRESS is the address of the heap of page 0. */
static void
look_at_heap(uintptr_t address, unsigned level, uint32_t from, uint32_t end)
{
    size_t unit = heap_of_page(level), n = unit / page;
    long result = mp_sys_resident((void *)(address + from * unit), (end - from) * unit, heap);

    if (result == -ENOMEM && end - from > 1) {          /* the range has a hole */
        uint32_t middle = from + (end - from) / 2;

        look_at_heap(address, level, from, middle);
        look_at_heap(address, level, middle, end);
        return;
    }
    if (result == -ENOMEM && has_part(address + from * unit, unit))
        there[from] = 0;
    for (uint32_t i = from; i < end && result != -ENOMEM; i++)
        for (size_t k = 0; k < n; k++)
            if (result != 0 || heap[(i - from) * n + k] & 1)
                there[i] = 0;
}

/* Returns the end of the run of pages with there[] set that begins at FROM. N is the number of pages. */
static uint32_t
end_of_run(uint32_t from, uint32_t n)
{
    while (from < n && there[from] & 1)
        from++;
    return from;
}

/* Clears there[] for each of the N pages at SLOTS that contains a block or whose heap has a present page. The
 * heap of the first page is at ADDRESS. */
static void
keep_what_is_needed(const uint32_t *slots, uintptr_t address, unsigned level, uint32_t n)
{
    for (uint32_t i = 0, end; i < n; i = end + 1)
        if ((end = end_of_run(i, n)) > i)
            look_at_heap(address, level, i, end);
    for (uint32_t i = 0; i < n; i++)
        if (there[i] & 1 && !is_empty(slots + i * (page / sizeof *slots)))
            there[i] = 0;
}

/* Releases those of the N pages at SLOTS, of LEVEL, that the heap at ADDRESS does not need. Returns false if the
 * kernel cannot do that. */
static bool
trim(uint32_t *slots, uintptr_t address, unsigned level, uint32_t n)
{
    const size_t per_page = page / sizeof *slots;

    if (mp_sys_resident(slots, n * page, there) != 0)
        return false;
    if (mp_fault(MP_FAULT_TRIM) == 0)
        keep_what_is_needed(slots, address, level, n);
    for (uint32_t i = 0, end; i < n; i = end + 1)
        if ((end = end_of_run(i, n)) > i && !give_back(slots + i * per_page, (end - i) * page))
            return false;
    return true;
}

/* Releases pages of slots of LEVEL in REGION, whose heap is at ADDRESS. Returns false if the kernel cannot do
 * that. */
static bool
trim_level(uint32_t *region, uintptr_t address, unsigned level)
{
    MP_LOCK_HELD();
    const uint32_t pages = (uint32_t)(MP_SHADOW_REGION_SIZE / heap_of_page(level));
    const uint32_t most = (uint32_t)(AT_ONCE * page / heap_of_page(level)), n = pages < most ? pages : most;
    bool can = true;

    for (uint32_t at = 0; can && at < pages; at += n) {
        const uintptr_t start = address + at * heap_of_page(level);

        can = trim(mp_block_slot(region, start, level), start, level, n);
    }
    return can;
}

/* Releases pages of REGION, whose heap is at ADDRESS. Returns false if the kernel cannot do that. */
static bool
trim_region(uint32_t *region, uintptr_t address)
{
    MP_LOCK_HELD();
    bool can = true;

    page = getauxval(AT_PAGESZ);
    for (unsigned level = mp_block_shadow.shift; can && level <= MP_BLOCK_COARSEST; level++)
        can = trim_level(region, address, level);
    return can;
}

/* ------------------------------------------------------------------ when */

/* Returns whether live bytes have fallen so far that a check is worthwhile. */
static bool
has_fallen(void)
{
    MP_LOCK_HELD();
    int64_t live = mp_store.header->live_bytes + mp_recorder_pending();

    if (live > highest)
        highest = live;
    if (highest - live < MIN_FALL || highest - live < highest / 4)
        return false;
    highest = live;
    return true;
}

/* Counts STEP more frees. Returns whether a recheck is due. */
static bool
is_again(uint32_t step)
{
    MP_LOCK_HELD();
    if (again.after == 0 || (again.frees += step) < again.after)
        return false;
    again.frees = 0;
    again.after *= 4;
    return true;
}

static uint32_t
next_step(void)
{
    return again.after && again.after < MP_FREES_BETWEEN_TRIMS ? (uint32_t)again.after
                                                              : MP_FREES_BETWEEN_TRIMS;
}

/* Releases pages of all regions. Releases the lock after each region, so that other threads need not wait long. */
static void
trim_all(void)
{
    struct mp_shadow_walk walk = { 0 };
    struct mp_gate_hold hold;
    uint32_t *slots;
    bool more = true;

    while (more && (slots = mp_shadow_next(&mp_block_shadow, &walk)) != NULL) {
        more = mp_gate_lock(&hold) && trim_region(slots, walk.address);
        mp_gate_unlock(&hold);
    }
}

void
mp_trim_due(struct mp_recorder *recorder)
{
    struct mp_gate_hold hold;
    bool due;

    if (recorder->frees_later > 0) {
        recorder->frees_left = recorder->frees_later;
        recorder->frees_later = 0;
        mp_counter_look(recorder);
        return;
    }
    if (!mp_gate_lock(&hold)) {
        due = false;
    } else if (mp_recorder_is_current(recorder) && has_fallen()) {
        again.frees = 0;
        again.after = AGAIN;
        due = true;
    } else {
        due = is_again(recorder->frees_step);
    }
    recorder->frees_left = recorder->frees_step = hold.taken ? next_step() : MP_FREES_BETWEEN_TRIMS;
    mp_gate_unlock(&hold);
    if (due)
        trim_all();
}

void
mp_trim_now(void)
{
    if (!mp_thread.held)
        trim_all();
}
