#include "store_rows.h"

#include <errno.h>
#include <stddef.h>
#include <sys/resource.h>

#include "store.h"
#include "sys.h"

const struct mp_kind_size mp_kinds[MP_EXT_KINDS] = {
    [MP_EXT_STRINGS] = { 1, 8192, 1u << 20, 27 },
    [MP_EXT_MODULES] = { sizeof(struct mp_live_module), 32, 1024, 19 },
    [MP_EXT_FRAMES] = { sizeof(struct mp_live_frame), 1024, 65536, 24 },
    [MP_EXT_CONTEXTS] = { sizeof(struct mp_live_context), 2048, 1u << 18, 28 },
    [MP_EXT_CELLS] = { sizeof(struct mp_live_cell), 256, 65536, 25 },
    [MP_EXT_TAILS] = { sizeof(struct mp_live_tail), 256, 65536, 25 },
    [MP_EXT_RECORDERS] = { sizeof(struct mp_live_recorder), 1, 64, 16 },
    [MP_EXT_NAMES] = { sizeof(struct mp_live_name), 256, 16384, 22 },
    [MP_EXT_OBJECT_KINDS] = { sizeof(struct mp_live_kind), 256, 4096, 22 },
};

#define LARGEST_PAGE 65536u     /* of any machine */
#define MOST_SHIFT   12u        /* to what part of their size, as a power of two, rows may shrink */

struct mp_row mp_rows[MP_EXT_KINDS];

/* Where addresses are limited to BYTES the rows share an eighth of them; 1 << SHIFT is what they are
 * divided by. */
static unsigned
shift_for(uint64_t bytes)
{
    uint64_t whole = 0;
    unsigned shift = 0;

    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        whole += (uint64_t)mp_kinds[kind].size << mp_kinds[kind].row_bits;
    while (shift < MOST_SHIFT && (whole >> shift) > bytes / 8)
        shift++;
    return shift;
}

static unsigned
first_shift(void)
{
    struct rlimit limit;

    if (mp_sys_limit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    return shift_for(limit.rlim_cur);
}

static char *
reserve_row(unsigned kind, unsigned shift)
{
    for (; shift < 16 && shift < mp_kinds[kind].row_bits; shift++) {
        uint32_t records = 1u << (mp_kinds[kind].row_bits - shift);
        char *base = NULL;

        if (records >= mp_kinds[kind].least)
            base = mp_sys_reserve((size_t)records * mp_kinds[kind].size);
        if (base) {
            mp_rows[kind].base = base;
            mp_rows[kind].records = records;
            return base;
        }
    }
    return NULL;
}

int
mp_rows_reserve(void)
{
    unsigned shift = first_shift();

    if (mp_store.contexts)
        return 0;
    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++)
        if (!reserve_row(kind, shift))
            return -ENOMEM;
    mp_store.context_cells =
        mp_sys_reserve((size_t)mp_rows[MP_EXT_CONTEXTS].records * sizeof(uint32_t));
    mp_store.frame_starts =
        mp_sys_reserve((size_t)mp_rows[MP_EXT_FRAMES].records * sizeof(uintptr_t));
    if (!mp_store.context_cells || !mp_store.frame_starts)
        return -ENOMEM;
    mp_store.strings = mp_rows[MP_EXT_STRINGS].base;
    mp_store.modules = (void *)mp_rows[MP_EXT_MODULES].base;
    mp_store.frames = (void *)mp_rows[MP_EXT_FRAMES].base;
    mp_store.cells = (void *)mp_rows[MP_EXT_CELLS].base;
    mp_store.tails = (void *)mp_rows[MP_EXT_TAILS].base;
    mp_store.recorders = (void *)mp_rows[MP_EXT_RECORDERS].base;
    mp_store.contexts = (void *)mp_rows[MP_EXT_CONTEXTS].base;
    mp_store.names = (void *)mp_rows[MP_EXT_NAMES].base;
    mp_store.object_kinds = (void *)mp_rows[MP_EXT_OBJECT_KINDS].base;
    return 0;
}

/* ------------------------------------------------------------------ giving back */

/* Give back the records FROM to TO, of SIZE bytes, of the row at BASE: the whole pages of them. */
static void
cut(void *base, size_t size, uint32_t from, uint32_t to)
{
    uintptr_t start = (uintptr_t)base + from * size, end = (uintptr_t)base + to * size;

    start = (start + LARGEST_PAGE - 1) & ~(uintptr_t)(LARGEST_PAGE - 1);
    if (start < end)
        mp_sys_unmap((void *)start, end - start);
}

/* Give back what is beyond the rows' sizes divided by 1 << SHIFT; false: nothing is. */
static bool
shrink(unsigned shift)
{
    bool some = false;

    for (unsigned kind = 1; kind < MP_EXT_KINDS; kind++) {
        struct mp_row *row = &mp_rows[kind];
        uint32_t records = 1u << (mp_kinds[kind].row_bits - shift), old = row->records;

        if (records < row->mapped + mp_kinds[kind].most)
            records = row->mapped + mp_kinds[kind].most;        /* room for one more extent */
        if (records >= old)
            continue;
        some = true;
        row->records = records;
        cut(row->base, mp_kinds[kind].size, records, old);
        if (kind == MP_EXT_CONTEXTS)
            cut(mp_store.context_cells, sizeof *mp_store.context_cells, records, old);
        else if (kind == MP_EXT_FRAMES)
            cut(mp_store.frame_starts, sizeof *mp_store.frame_starts, records, old);
    }
    return some;
}

void
mp_rows_limit(uint64_t bytes)
{
    if (mp_store.contexts)
        shrink(shift_for(bytes));
}

bool
mp_rows_yield(void)
{
    struct rlimit limit;

    if (!mp_store.contexts || mp_sys_limit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    for (unsigned shift = 1; shift <= MOST_SHIFT; shift++)
        if (shrink(shift))
            return true;
    return false;
}
