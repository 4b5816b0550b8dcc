/* SPDX-License-Identifier: MIT */
#include "store_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "runtime/system/fault.h"
#include "runtime/system/gate.h"
#include "runtime/system/place.h"
#include "runtime/system/sys.h"
#include "runtime/system/sys_process.h"
#include "store.h"

#define SMALL_PAGE 4096u        /* bytes; page size for which the `least` of each kind is chosen */
#define GAP        ((uint64_t)1 << 20)  /* bytes of unmapped addresses between two rows */
#define LARGE_ROW  ((uint64_t)1 << 30)  /* bytes; only larger rows are shortened if addresses are scarce */
#define RESERVED   ((uint64_t)8 << 30)  /* bytes of address space, if it has to be reserved */
#define MAX_SHIFT 12u

const struct mp_kind_size mp_kinds[MP_EXT_KINDS] = {
    [MP_EXT_STRINGS] = { 1, 8192, 1u << 20, 31, 0, true, false },
    [MP_EXT_MODULES] = { sizeof(struct mp_live_module), 32, 1u << 18, 20, 0, true, false },
    [MP_EXT_FRAMES] = { sizeof(struct mp_live_frame), 1024, 65536, 31, sizeof(uintptr_t), false, false },
    [MP_EXT_CONTEXTS] = { sizeof(uint32_t), 4096, 1u << 20, 31, sizeof(uint32_t), false, false },
    [MP_EXT_CELLS] = { sizeof(struct mp_live_cell), 256, 1u << 17, MP_CELL_ID_BITS, 0, false, false },
    [MP_EXT_MIXED] = { sizeof(struct mp_live_mixed), 64, 65536, MP_CELL_ID_BITS, 0, true, false },
    [MP_EXT_RECORDERS] = { sizeof(struct mp_live_recorder), 1, 64, 16, 0, true, false },
    [MP_EXT_NAMES] = { sizeof(struct mp_live_name), 256, 1u << 20, 24, 0, true, true },
    [MP_EXT_OBJECT_KINDS] = { sizeof(struct mp_live_kind), 256, 32768, 18, 0, true, true },
    [MP_EXT_AGES] = { sizeof(struct mp_live_ages), 64, 1u << 20, 28, 0, true, true },
    [MP_EXT_MARKS] = { sizeof(struct mp_live_mark), 64, 1u << 17, 18, 0, true, true },
    [MP_EXT_FORMER] = { sizeof(struct mp_live_former), 512, 1u << 20, 23, 0, true, true },
    [MP_EXT_RESIZED] = { sizeof(struct mp_live_resized), 64, 1u << 20, 26, 0, true, true },
    [MP_EXT_LIFETIMES] = { sizeof(struct mp_live_lifetimes), 256, 65536, 20, 0, true, true },
    [MP_EXT_TRACE] = { sizeof(struct mp_live_trace), 1, 64, 6, 0, true, true },
    [MP_EXT_EVENTS] = { sizeof(struct mp_live_event), 16384, 1u << 24, 26, 0, false, true },
    [MP_EXT_MAPPERS] = { sizeof(struct mp_live_mapper), 256, 8192, 14, 0, true, true },
    [MP_EXT_RANGES] = { sizeof(struct mp_live_range), 512, 16384, 15, 0, true, true },
};

struct mp_id_row mp_rows[MP_EXT_KINDS];

/* True if the addresses of place.h are unavailable, for example under valgrind. Then all rows are in one
 * reservation, at addresses chosen by the kernel. */
static bool reserved;
static bool are_open;           /* whether all rows have their addresses */

/* ------------------------------------------------------------------ places */

static uint64_t
row_size(unsigned kind, unsigned shift)
{
    uint64_t size = (uint64_t)(mp_kinds[kind].size + mp_kinds[kind].beside)
                    << mp_kinds[kind].row_bits;

    return (size > LARGE_ROW ? size >> shift : size) + 2 * GAP;
}

static uint64_t
whole_size(unsigned shift)
{
    uint64_t whole = 0;

    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        whole += row_size(kind, shift);
    return whole;
}

/* Returns the smallest K such that all rows together have at most BYTES if large rows are divided by 1 << K. K is
 * at most MAX_SHIFT. */
static unsigned
shift_for(uint64_t bytes)
{
    unsigned shift = 0;

    while (shift < MAX_SHIFT && whole_size(shift) > bytes)
        shift++;
    return shift;
}

uint32_t
mp_rows_least(enum mp_extent_kind kind)
{
    return mp_kinds[kind].least * (uint32_t)(getauxval(AT_PAGESZ) / SMALL_PAGE);
}

static long
map_memory(char *address, size_t size)
{
    return reserved ? mp_sys_map_over(address, size) : mp_sys_map_at(address, size);
}

static long
map_file(char *address, size_t size, int fd, uint64_t offset)
{
    return reserved ? mp_sys_map_file(address, size, fd, offset)
                    : mp_sys_map_file_at(address, size, fd, offset);
}

static void
unmap(char *address, size_t size)
{
    if (reserved)
        mp_sys_map_over(address, size);
    else
        mp_sys_unmap(address, size);
}

/* Maps COUNT records of KIND from FIRST on to FD at OFFSET, or to memory if FD is -1. Also maps the private
 * memory beside them. Returns 0 or -errno. */
static long
map(unsigned kind, size_t first, size_t count, int fd, uint64_t offset)
{
    const struct mp_id_row *row = &mp_rows[kind];
    const size_t size = mp_kinds[kind].size, beside = mp_kinds[kind].beside;
    char *address = row->base + first * size;
    long result = fd < 0 ? map_memory(address, count * size)
                         : map_file(address, count * size, fd, offset);

    if (result < 0 || !beside)
        return result;
    result = map_memory(row->beside + first * beside, count * beside);
    if (result < 0)
        unmap(address, count * size);
    return result;
}

void
mp_rows_unmap(enum mp_extent_kind kind, size_t first, size_t count)
{
    const struct mp_id_row *row = &mp_rows[kind];
    const size_t size = mp_kinds[kind].size, beside = mp_kinds[kind].beside;

    if (count)
        unmap(row->base + first * size, count * size);
    if (count && beside)
        unmap(row->beside + first * beside, count * beside);
}

/* Opens row KIND at PLACE. Returns 0 or -errno. */
static long
open_row(unsigned kind, char *place, unsigned shift)
{
    const struct mp_kind_size *size = &mp_kinds[kind];
    struct mp_id_row *row = &mp_rows[kind];
    unsigned bits = size->row_bits;
    long result;

    if (row->records)
        return 0;                       /* an earlier attempt has opened it, but failed at a later row */
    if ((uint64_t)(size->size + size->beside) << bits > LARGE_ROW)
        bits -= shift;
    row->base = place;
    row->beside = place + ((uint64_t)size->size << bits) + GAP;
    row->first = row->next = row->mapped = mp_rows_least(kind);
    result = size->rare ? 0 : map(kind, 0, mp_rows_least(kind), -1, 0);
    if (result == 0)
        row->records = row->end = (uint32_t)1 << mp_fault_row_bits(bits, size->least);
    return result;
}

static long
open_rows(char *place, unsigned shift)
{
    long result = place ? 0 : -ENOMEM;

    for (unsigned kind = 1; kind < MP_EXT_KINDS && result == 0; kind++) {
        result = open_row(kind, place, shift);
        place += row_size(kind, shift);
    }
    return result;
}

/* Opens the rows at an address chosen by the kernel. */
static long
reserve_rows(void)
{
    for (unsigned shift = shift_for(RESERVED); shift <= MAX_SHIFT; shift++) {
        char *place = mp_sys_reserve(whole_size(shift));

        if (!place)
            continue;
        reserved = true;
        return open_rows(place, shift);
    }
    return -ENOMEM;
}

int
mp_rows_open(void)
{
    struct rlimit limit;
    long result;

    if (are_open)
        return 0;
    result = open_rows(mp_place_rows(), shift_for(mp_place_rows_size()));
    if (result < 0 && !mp_rows[1].records)
        result = reserve_rows();
    if (result < 0)
        return (int)result;
    are_open = true;
    if (mp_sys_limit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        mp_rows_limit(limit.rlim_cur);
    return 0;
}

/* ------------------------------------------------------------------ extents */

uint32_t
mp_rows_next_count(enum mp_extent_kind kind, uint32_t needed)
{
    const struct mp_id_row *row = &mp_rows[kind];
    const uint32_t least = mp_rows_least(kind), present = row->mapped - row->first;
    const uint32_t rest = row->end - row->mapped;
    uint64_t count = (uint64_t)present + least;

    if (count > mp_kinds[kind].most)
        count = present / 2 > mp_kinds[kind].most ? present / 2 : mp_kinds[kind].most;
    if (count < needed)
        count = needed;
    count = (count + least - 1) / least * least;
    if (count > rest)
        count = rest / least * least;
    return count < needed ? 0 : (uint32_t)count;
}

long
mp_rows_map(enum mp_extent_kind kind, uint32_t count, int fd, uint64_t offset)
{
    return map(kind, mp_rows[kind].mapped, count, fd, offset);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Makes the pages present that begin between BEGIN and END. Extents and the memory beside them consist of whole
 * pages. */
static void
populate(const char *begin, const char *end)
{
    const uintptr_t page = getauxval(AT_PAGESZ);
    const uintptr_t from = ((uintptr_t)begin + page - 1) & -page, to = ((uintptr_t)end + page - 1) & -page;

    if (to > from + page)
        mp_sys_madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

void
mp_rows_populate(enum mp_extent_kind kind, uint32_t first, uint32_t count)
{
    const struct mp_id_row *row = &mp_rows[kind];
    const size_t size = mp_kinds[kind].size, beside = mp_kinds[kind].beside, end = (size_t)first + count;

    populate(row->base + first * size, row->base + end * size);
    populate(row->beside + first * beside, row->beside + end * beside);
}

/* ------------------------------------------------------------------ where addresses are limited */

#define ASIDE ((size_t)32 << 20)        /* bytes of the reserve; enough for a region of the block table and an
                                           equally large extent of the file */
#define MANY  ((uint64_t)512 << 20)     /* bytes of address space that must be left, so that the reserve is only a
                                           small part of it */

void
mp_rows_limit(uint64_t bytes)
{
    MP_LOCK_HELD();
    const uint64_t present = are_open ? mp_sys_memory(MP_MEMORY_SIZE) : 0;

    if (present > 0 && present < bytes && bytes - present >= MANY)
        mp_sys_set_aside(ASIDE);
}

bool
mp_rows_yield(void)
{
    MP_LOCK_HELD();
    return mp_sys_pay(ASIDE);
}
