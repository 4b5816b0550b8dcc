/* sealed_lifetimes.c -- the section of block lifetimes. */
#include "reporter/profile/lifetimes.h"
#include "sealed_parts.h"

/* Returns the set of nonempty buckets of CELL, one bit each. */
static uint32_t
buckets_of(const struct mp_cell *cell)
{
    const struct mp_lifetimes *lifetimes = cell->lifetimes;
    uint32_t buckets = 0;

    for (unsigned i = 0; lifetimes && i < MP_LIFETIMES; i++)
        buckets |= (uint32_t)(lifetimes->blocks[i] > 0 || lifetimes->bytes[i] > 0) << i;
    return buckets;
}

static bool
has_lifetimes(const struct mp_cell *cell)
{
    return buckets_of(cell) != 0;
}

/* Codes the blocks, or the BYTES, of the nonempty BUCKETS of N CELLS. */
static void
code_column(struct mp_codec *codec, struct mp_cell *const cells[], const uint32_t buckets[], uint32_t n, bool bytes)
{
    for (uint32_t i = 0; i < n && !mp_code_failed(codec); i++)
        for (unsigned k = 0; k < MP_LIFETIMES; k++)
            if (buckets[i] >> k & 1)
                mp_code_u64(codec, &(bytes ? cells[i]->lifetimes->bytes : cells[i]->lifetimes->blocks)[k]);
}

void
mp_code_lifetimes(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_cell **cells;
    uint32_t n, *buckets;

    if (!codec->from && !profile->lifetimes)
        return;
    mp_code_check(codec, profile->meta.sample_period == 0, "lifetimes of samples");
    cells = mp_code_some_cells(codec, has_lifetimes, &n, 4);
    buckets = mp_arena_alloc(codec->arena, n * sizeof *buckets);
    for (uint32_t i = 0; i < n; i++) {
        mp_code_check(codec, !mp_is_lisp(cells[i]), "lifetimes of blocks that are not counted");
        cells[i]->lifetimes = mp_code_array(codec, cells[i]->lifetimes, 1, sizeof *cells[i]->lifetimes);
    }
    for (uint32_t i = 0; i < n; i++) {
        buckets[i] = buckets_of(cells[i]);
        mp_code_below(codec, &buckets[i], 1u << MP_LIFETIMES);
        mp_code_check(codec, buckets[i] != 0, "a cell without lifetimes");
    }
    code_column(codec, cells, buckets, n, false);
    code_column(codec, cells, buckets, n, true);
    profile->lifetimes = true;
}
