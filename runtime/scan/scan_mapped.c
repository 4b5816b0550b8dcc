#include "scan_mapped.h"

#include "runtime/unwind/module.h"

#define ROOM 16384u

/* In the order of time: of two that overlap the later one counts. */
static struct {
    uintptr_t start, end;       /* end: written last; 0: not written yet */
    uintptr_t caller;
} list[ROOM];
static uint32_t used;           /* more than ROOM: the rest is missing */
static uintptr_t allocator;

void
mp_scan_mapped_open(uintptr_t address)
{
    allocator = address;
}

void
mp_scan_mapped_note(uintptr_t address, size_t size, uintptr_t caller)
{
    uint32_t at;

    if (__atomic_load_n(&used, __ATOMIC_RELAXED) > ROOM)
        return;
    at = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
    if (at >= ROOM)
        return;
    list[at].start = address;
    list[at].caller = caller;
    __atomic_store_n(&list[at].end, (address + size + 4095) & ~(uintptr_t)4095, __ATOMIC_RELEASE);
}

bool
mp_scan_mapped_is_cut(void)
{
    return used > ROOM;
}

/* Did the program map what is at AT?  *STOP becomes where this may change, if that is below. */
static bool
is_programs(uintptr_t at, uintptr_t *stop)
{
    for (uint32_t i = used < ROOM ? used : ROOM; i-- > 0;) {
        if (at >= list[i].start && at < list[i].end) {
            if (list[i].end < *stop)
                *stop = list[i].end;
            return !mp_module_same(list[i].caller, allocator);
        }
        if (list[i].start > at && list[i].start < *stop)
            *stop = list[i].start;
    }
    return false;
}

bool
mp_scan_mapped_next(uintptr_t *start, uintptr_t end, uintptr_t *stop)
{
    while (*start < end) {
        *stop = end;
        if (is_programs(*start, stop))
            return true;
        *start = *stop;
    }
    return false;
}
