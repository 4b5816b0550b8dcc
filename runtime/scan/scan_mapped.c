/* SPDX-License-Identifier: MIT */
#include "scan_mapped.h"

#include "runtime/system/sys.h"
#include "runtime/unwind/module.h"

#define ROOM 16384u
#define PAGE ((uintptr_t)4096)

struct mapped {
    uintptr_t start, end;       /* address range; `end` is written last, and is 0 before */
    uintptr_t caller;
};

/* Mapped ranges in chronological order. If two of them overlap, the later one counts. */
static struct mapped *list;     /* NULL if none was noted */
static uint32_t used;           /* number of ranges; if it exceeds ROOM, the later ones are missing */
static uintptr_t allocator;

void
mp_scan_mapped_open(uintptr_t address)
{
    allocator = address;
}

/* Returns the list. The first thread that needs it maps it. Returns NULL if there is no memory. */
static struct mapped *
open_list(void)
{
    const size_t size = ROOM * sizeof *list;
    struct mapped *present = __atomic_load_n(&list, __ATOMIC_ACQUIRE), *new;

    if (present || !(new = mp_sys_map_sparse(size)))
        return present;
    if (__atomic_compare_exchange_n(&list, &present, new, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return new;
    mp_sys_unmap(new, size);
    return present;
}

void
mp_scan_mapped_note(uintptr_t address, size_t size, uintptr_t caller)
{
    struct mapped *all;
    uint32_t at;

    if (__atomic_load_n(&used, __ATOMIC_RELAXED) > ROOM)
        return;
    all = open_list();
    at = __atomic_fetch_add(&used, all ? 1 : ROOM + 1, __ATOMIC_RELAXED);
    if (!all || at >= ROOM)
        return;
    all[at].start = address;
    all[at].caller = caller;
    __atomic_store_n(&all[at].end, (address + size + PAGE - 1) & ~(PAGE - 1), __ATOMIC_RELEASE);
}

bool
mp_scan_mapped_is_cut(void)
{
    return used > ROOM;
}

uintptr_t
mp_scan_mapped_caller(uintptr_t at, uintptr_t *stop)
{
    for (uint32_t i = !list ? 0 : used < ROOM ? used : ROOM; i-- > 0;) {
        if (at >= list[i].start && at < list[i].end) {
            if (list[i].end < *stop)
                *stop = list[i].end;
            return list[i].caller;
        }
        if (list[i].start > at && list[i].start < *stop)
            *stop = list[i].start;
    }
    return 0;
}

bool
mp_scan_mapped_next(uintptr_t *start, uintptr_t end, uintptr_t *stop)
{
    while (*start < end) {
        uintptr_t caller;

        *stop = end;
        caller = mp_scan_mapped_caller(*start, stop);
        if (caller && !mp_module_same(caller, allocator))
            return true;
        *start = *stop;
    }
    return false;
}
